import type * as v from "valibot";

/** A call of an API, as its description has it. The frame's and the gate's refusals are described for all calls. */
export interface Operation {
  /** What it does, in one line. */
  readonly summary: string;
  /** What else a caller has to know; CommonMark. */
  readonly description?: string;
  /** The schema that the body is read with; absent: no body. */
  readonly request?: v.GenericSchema;
  /** The JSON of a 200. */
  readonly answer: v.GenericSchema;
  /** Whether a 200 may also be a stream of such JSON, one object a line, as text/plain. */
  readonly isStreamed?: true;
  /** Statuses of its own refusals, beside those of every call with a body or without. */
  readonly refusals?: readonly number[];
}
