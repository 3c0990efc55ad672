import type * as v from "valibot";

/**
 * A call of an API, as the API description lists it. Refusals by the middleware of all requests and by the gate are described for
 * all calls.
 */
export interface Operation {
  /** What the call does, in one line. */
  readonly summary: string;
  /** What else a caller has to know, as CommonMark. */
  readonly description?: string;
  /** The schema of the request body; absent: no body. */
  readonly request?: v.GenericSchema;
  /** The schema of a 200 response's JSON. */
  readonly answer: v.GenericSchema;
  /** Whether a 200 response may also be a stream of such JSON, one object a line, as text/plain. */
  readonly isStreamed?: true;
  /** Statuses of its own refusals, in addition to those of every call with or without a body. */
  readonly refusals?: readonly number[];
}
