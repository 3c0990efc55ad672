import { isObject } from "#protocol/json-object.ts";
import { ApiError, Refusal, ScimError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import type { ScimResource } from "./resources.ts";
import { toScimError } from "./scim-error.ts";

/**
 * Maximum operations of a request. Each costs as much as a separate request, and this keeps a request well below the number of
 * statements that a Worker may send.
 */
export const BULK_OPERATIONS_MAX = 20;

export const BULK_BYTES_MAX = 1024 * 1024;

/** Maximum depth: more than any resource or PATCH has. */
const DEPTH_MAX = 20;

const REFERENCE = "bulkId:";

/** Temporary refusals: too many requests, and no storage. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 503]);

/** One operation of a bulk request, in the form of a separate request. */
export interface BulkOperation {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly type: "Users" | "Groups";
  /** The id of an existing resource. */
  readonly id: string | undefined;
  readonly version: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The result of an operation. */
export interface Performed {
  readonly status: 200 | 201 | 204;
  readonly id: string;
  readonly version?: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Runs the operations of a bulk request (RFC 7644 §3.7) one after the other. Each is separate: one that is refused changes nothing,
 * and the others continue until there were `failOnErrors` errors. An operation that refers to the `bulkId` of a later one waits for
 * it. If that one was refused temporarily, the operation is refused in the same way, so that the caller can see what to retry.
 *
 * @param perform runs one operation; if it throws a refusal, that is the operation's response
 * @param locationOf returns the address of a resource
 * @throws {ScimError} for another body, or two operations with one `bulkId`; {ApiError} `request_too_large` for too many operations
 */
export async function runBulk(
  body: Json,
  perform: (operation: BulkOperation) => Promise<Performed>,
  locationOf: (type: BulkOperation["type"], id: string) => string,
): Promise<ScimResource> {
  const { Operations: given, failOnErrors = Infinity } = body;
  if (!Array.isArray(given) || !given.every(isObject) || !isErrorLimit(failOnErrors)) {
    throw invalid("Send Operations, a list of objects, and failOnErrors as a whole number from 1 if at all");
  }
  if (given.length > BULK_OPERATIONS_MAX) {
    const reason: RefusalReason = "scim_too_many";
    const description = `Send at most ${BULK_OPERATIONS_MAX} operations in a request`;
    throw new ApiError("request_too_large", { reason, description });
  }
  const bulkIds = given.map(({ bulkId }) => bulkId).filter((id) => typeof id === "string" && id !== "");
  // A reference to one of two would be a guess (RFC 7644 §3.7).
  if (new Set(bulkIds).size < bulkIds.length) throw invalid("Two operations have the same bulkId: give each its own");
  const created = new Map<string, string | Refusal>();
  const begun = new Set<Json>();
  const answers = new Map<Json, Json>();
  let errors = 0;

  const run = async (operation: Json): Promise<void> => {
    if (begun.has(operation) || errors >= failOnErrors) return;
    begun.add(operation);
    const { method, bulkId } = operation;
    let location: string | undefined;
    const said = { method, ...(bulkId === undefined ? {} : { bulkId }) };
    try {
      for (const awaited of referencesIn([operation["path"], operation["data"]])) {
        const other = given.find((each) => each["bulkId"] === awaited);
        if (other) await run(other);
      }
      if (errors >= failOnErrors) return;
      const read = readOperation(operation, created);
      // Every response includes the resource's location, except that of a failed POST.
      if (read.id !== undefined) location = locationOf(read.type, read.id);
      const { status, id, version } = await perform(read);
      location ??= locationOf(read.type, id);
      if (typeof bulkId === "string" && status === 201) created.set(bulkId, id);
      answers.set(operation, { ...said, location, ...(version && { version }), status: String(status) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      errors += 1;
      if (typeof bulkId === "string" && method === "POST") created.set(bulkId, error);
      const response = toScimError(error);
      answers.set(operation, { ...said, ...(location && { location }), status: String(error.status), response });
    }
  };
  for (const operation of given) await run(operation);
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkResponse"],
    Operations: given.flatMap((operation) => answers.get(operation) ?? []),
  };
}

/** Reads an operation. @throws {ScimError} if it is malformed, or refers to something that was not created */
function readOperation(
  { method, path, bulkId, version, data }: Json,
  created: ReadonlyMap<string, string | Refusal>,
): BulkOperation {
  const wanted = typeof method === "string" ? method.toUpperCase() : "";
  const verb = (["POST", "PUT", "PATCH", "DELETE"] as const).find((each) => each === wanted);
  const [, type, id] = /^\/(Users|Groups)(?:\/([^/?#]+))?$/.exec(typeof path === "string" ? path : "") ?? [];
  if (!verb || (type !== "Users" && type !== "Groups") || (verb === "POST") !== (id === undefined)) {
    throw invalid("An operation has a method, and a path such as /Users for POST or /Users/{id} for others");
  }
  if (verb === "POST" && (typeof bulkId !== "string" || bulkId === "")) throw invalid("A POST needs a bulkId");
  if (version !== undefined && typeof version !== "string") throw invalid("The version of an operation is a text");
  if (verb !== "DELETE" && !isObject(data)) throw invalid("The data of the operation must be an object");
  return {
    method: verb,
    type,
    id: id === undefined ? undefined : resolved(id, created),
    version,
    data: isObject(data) ? (withIds(data, created) as Json) : {},
  };
}

/** Returns the data with ids in place of references. */
function withIds(value: unknown, created: ReadonlyMap<string, string | Refusal>): unknown {
  if (typeof value === "string") return resolved(value, created);
  if (Array.isArray(value)) return value.map((each: unknown) => withIds(each, created));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withIds(each, created)]));
}

function resolved(text: string, created: ReadonlyMap<string, string | Refusal>): string {
  if (!text.startsWith(REFERENCE)) return text;
  const made = created.get(text.slice(REFERENCE.length));
  if (typeof made === "string") return made;
  if (made !== undefined && RETRYABLE.has(made.status)) throw made;
  throw invalid(`No operation before created ${text.slice(0, 100)}`);
}

/**
 * Returns the bulk ids that a value refers to.
 *
 * @throws {ScimError} for a value that is nested deeper than any resource
 */
function referencesIn(value: unknown, depth = 0): string[] {
  if (depth > DEPTH_MAX) throw invalid("The data of the operation is nested too deeply");
  if (typeof value === "string") {
    const [, reference] = /(?:^|^\/(?:Users|Groups)\/)bulkId:(.+)$/.exec(value) ?? [];
    return reference === undefined ? [] : [reference];
  }
  if (Array.isArray(value)) return value.flatMap((each: unknown) => referencesIn(each, depth + 1));
  return isObject(value) ? Object.values(value).flatMap((each) => referencesIn(each, depth + 1)) : [];
}

function isErrorLimit(given: unknown): given is number {
  return given === Infinity || (Number.isInteger(given) && (given as number) >= 1);
}

function invalid(description: string): ScimError {
  return new ScimError("invalidSyntax", { reason: "scim_body_malformed", description });
}
