import type { ActInstance } from "#administration/act-instance.ts";
import { type ActName, ACTS } from "#administration/act-table.ts";
import type { Administration } from "#administration/administration.ts";
import type { Needed } from "#administration/authority.ts";
import type { ListQuery, ListSpec } from "#platform/listing.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type * as v from "valibot";
import type { AdminReads } from "./reads.ts";

/** A call of the Admin API, after its request was read and accepted. */
export interface Call<Body = unknown> {
  readonly instance: ActInstance;
  /** The instance's own origin, to which the request was sent. */
  readonly issuer: string;
  readonly policy: PolicySnapshot;
  /** The actor in the audit: the token's id, or `command`. */
  readonly actor: string;
  /** The acts, limited to what the token may do. */
  readonly administration: Administration;
  readonly reads: AdminReads;
  /** Returns a decoded parameter of the path. */
  readonly path: (name: string) => string;
  readonly query: ListQuery;
  /** Returns a query parameter of an operation that returns no list. */
  readonly parameter: (name: string) => string | undefined;
  readonly body: Body;
  /** The body of an operation that takes no JSON. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The caller, as the gate of the Client API sees it. */
  readonly caller: {
    readonly address: string;
    /** The header that says that a token is an identity provider's. */
    readonly authTypeHeader: string;
    readonly waitUntil: WaitUntil;
  };
  /** The current time, in seconds. */
  readonly now: number;
  /** Whether the caller sent `If-Match` or `If-None-Match`. Then something that was deleted is not created again. */
  readonly isConditional: boolean;
  /**
   * Compares what is stored, or `null`, with the caller's `If-Match` or `If-None-Match`, if there is one.
   *
   * @throws {ApiError} `precondition_failed` if it is not what the caller read
   */
  readonly requireUnchanged: (stored: object | null) => Promise<void>;
}

export type AnyCall = Omit<Call, "body">;

/** An operation of the Admin API. It needs the scope of its act, or `admin:read` if it has none. */
export interface AdminOperation {
  /** The schema of the request body; absent: no body. */
  readonly request?: v.GenericSchema;
  /** Statuses of its own refusals, in addition to those of every call with or without a body. */
  readonly refusals?: readonly number[];
  readonly act?: ActName;
  /** The filters and sort orders of an operation that returns a list. */
  readonly list?: ListSpec;
  /** Parameters of an operation that returns no list, each with its description. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Members of the response that change without a decision, and so are not part of its `ETag`. */
  readonly unversioned?: readonly string[];
  /** Whether the body is an image instead of JSON. */
  readonly takesBytes?: true;
  readonly creates?: true;
  readonly run: (call: Call<never>) => unknown;
}

/** Checks whether an operation supports `If-Match`. */
export function evaluatesIfMatch({ refusals }: Pick<AdminOperation, "refusals">): boolean {
  return refusals?.includes(412) ?? false;
}

/**
 * Checks whether an operation creates what does not exist, and so supports `If-None-Match: *`, to change nothing that exists.
 */
export function evaluatesIfNoneMatch(method: string, operation: Pick<AdminOperation, "refusals">): boolean {
  return method === "PUT" && evaluatesIfMatch(operation);
}

/**
 * Returns the scope that an operation needs. No token has `owner`, so only commands with the master keys can call such an operation.
 */
export function scopeOf({ act }: Pick<AdminOperation, "act">): Exclude<Needed, "operator"> {
  return act === undefined ? "admin:read" : ACTS[act].scope;
}

/** Creates an operation with a body, which is parsed by a schema. */
export function taking<const Schema extends v.GenericSchema>(
  request: Schema,
  operation: Omit<AdminOperation, "request" | "run"> & {
    readonly run: (call: Call<v.InferOutput<Schema>>) => unknown;
  },
): AdminOperation {
  return { ...operation, request };
}

export function lists(list: ListSpec, run: AdminOperation["run"]): AdminOperation {
  return { list, run };
}

/** Creates an operation that decides about what its path names, and returns whether that changed anything. */
export function deciding<Found>(
  act: ActName,
  find: (call: AnyCall) => Promise<Found>,
  decide: (call: AnyCall, found: Found) => Promise<boolean>,
): AdminOperation {
  return { act, refusals: [404], run: async (call) => changed(decide(call, await find(call))) };
}

/** Returns the response to an act that says whether it changed anything. */
export async function changed(act: Promise<boolean>): Promise<{ readonly changed: boolean }> {
  return { changed: await act };
}

/** Replaces `null` by `undefined`, with which acts reset a value to its default. JSON has only `null` for that. */
export function nullsToDefaults(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]));
}

/** The operations of one noun, by method and path below the API's base. */
export type AdminOperations = Readonly<Record<string, AdminOperation>>;
