import type { ActInstance } from "#administration/act-instance.ts";
import { ACT_SCOPES, type ActName } from "#administration/act-scopes.ts";
import type { Administration } from "#administration/administration.ts";
import type { Needed } from "#administration/authority.ts";
import type { AskingSelf } from "#doctor/outside.ts";
import type { Operation } from "#platform/api-operation.ts";
import type { ListQuery, ListSpec } from "#platform/listing.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type * as v from "valibot";
import type { AdminReads } from "./reads.ts";

/** A call of the Admin API, read and let in. */
export interface Call<Body = unknown> extends Readonly<AskingSelf> {
  readonly instance: ActInstance;
  /** The instance's own address, at which it was asked. */
  readonly issuer: string;
  readonly policy: PolicySnapshot;
  /** Who the audit says it was: the token's id. */
  readonly actor: string;
  /** The acts, within what the token may. */
  readonly administration: Administration;
  readonly reads: AdminReads;
  /** The part of the path that this names, decoded. */
  readonly path: (name: string) => string;
  /** Of a list. */
  readonly query: ListQuery;
  /** A parameter of an operation that lists nothing. */
  readonly parameter: (name: string) => string | undefined;
  readonly body: Body;
  /** Of an operation that takes no JSON. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The caller, as the gate of the Client API sees it. */
  readonly caller: {
    readonly address: string;
    /** The header that announces an identity provider's token. */
    readonly authTypeHeader: string;
    readonly waitUntil: WaitUntil;
  };
  /** Now, in seconds. */
  readonly now: number;
  /** Whether the caller sent `If-Match` or `If-None-Match`: what is not there any more is then not made again. */
  readonly isConditional: boolean;
  /**
   * Holds what is stored, or `null`, against the caller's `If-Match` or `If-None-Match`, where there is one.
   *
   * @throws {ApiError} `precondition_failed` where it is not what the caller read
   */
  readonly requireUnchanged: (stored: object | null) => Promise<void>;
}

/** A call, whatever its body is. */
export type AnyCall = Omit<Call, "body">;

/** A call of the Admin API. It needs the scope of its act, or `admin:read` where it has none. */
export interface AdminOperation extends Pick<Operation, "request" | "refusals"> {
  readonly act?: ActName;
  /** What the list can be filtered and sorted by, of an operation that lists. */
  readonly list?: ListSpec;
  /** Parameters of an operation that lists nothing, each with its description. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Members of the answer that change without a decision, and are therefore not part of its `ETag`. */
  readonly unversioned?: readonly string[];
  /** Whether the body is a picture and no JSON. */
  readonly takesBytes?: true;
  /** Whether it makes something. */
  readonly creates?: true;
  readonly run: (call: Call<never>) => unknown;
}

/** Whether a call holds what is stored against `If-Match`. */
export function evaluatesIfMatch({ refusals }: Pick<AdminOperation, "refusals">): boolean {
  return refusals?.includes(412) ?? false;
}

/** Whether a call makes what is not there, and can therefore be asked with `If-None-Match: *` to change nothing that is. */
export function evaluatesIfNoneMatch(method: string, operation: Pick<AdminOperation, "refusals">): boolean {
  return method === "PUT" && evaluatesIfMatch(operation);
}

/** The scope that a call needs; `owner` where no token has it, and only commands with the master keys can call. */
export function scopeOf({ act }: Pick<AdminOperation, "act">): Exclude<Needed, "operator"> {
  const scope = act === undefined ? "admin:read" : ACT_SCOPES[act];
  if (scope === "operator") throw new Error(`${act} is for no face of an instance`);
  return scope;
}

/** An operation with a body, which is read by its schema. */
export function taking<const Schema extends v.GenericSchema>(
  request: Schema,
  operation: Omit<AdminOperation, "request" | "run"> & {
    readonly run: (call: Call<v.InferOutput<Schema>>) => unknown;
  },
): AdminOperation {
  return { ...operation, request };
}

/** An operation that lists. */
export function lists(list: ListSpec, run: AdminOperation["run"]): AdminOperation {
  return { list, run };
}

/** An operation that decides about what its path names, and answers whether that changed anything. */
export function deciding<Found>(
  find: (call: AnyCall) => Promise<Found>,
  {
    decide,
    ...operation
  }: Pick<AdminOperation, "act" | "parameters" | "refusals"> & {
    readonly decide: (call: AnyCall, found: Found) => Promise<boolean>;
  },
): AdminOperation {
  const run = async (call: AnyCall) => changed(decide(call, await find(call)));
  return { ...operation, refusals: [404, ...(operation.refusals ?? [])], run };
}

/** What an act says that tells whether it changed anything. */
export async function changed(act: Promise<boolean>): Promise<{ readonly changed: boolean }> {
  return { changed: await act };
}

/** The acts take a value back to its default where it is `undefined`; JSON has only `null` for that. */
export function nullsToDefaults(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]));
}

/** The operations of one noun, by method and path below the API's base. */
export type AdminOperations = Readonly<Record<string, AdminOperation>>;
