import { actInstance } from "#administration/act-instance.ts";
import type { Decider } from "#administration/acts.ts";
import { requireScope } from "#administration/authority.ts";
import type { Administration } from "#administration/administration.ts";
import { sha256 } from "#crypto/secrets.ts";
import { LiteralFirstRouter } from "#platform/router.ts";
import { describeIssue } from "#platform/members.ts";
import { epochSeconds } from "#platform/clock.ts";
import { type ContextOf, noStore, readBytes, readJson, readQuery, waitUntil } from "#platform/http.ts";
import { type ListSpec, readListQuery } from "#platform/listing.ts";
import { callerAddress } from "#platform/rate-limit.ts";
import { ApiError } from "#protocol/errors.ts";
import type { ServiceWords } from "#protocol/service-words.ts";
import type { HonoRequest } from "hono";
import { HonoBase } from "hono/hono-base";
import * as v from "valibot";
import { type AdminEnv, adminGate } from "./gate-middleware.ts";
import { type AdminOperation, evaluatesIfMatch, evaluatesIfNoneMatch, scopeOf } from "./operation.ts";
import { ADMIN_OPERATIONS } from "./operations.ts";
import type { AdminReads } from "./reads.ts";

export interface AdminServices extends AdminReads {
  readonly administrationWithin: (by: Decider) => Administration;
  readonly serviceWords: ServiceWords;
}

/** Maximum size of a request: larger than any schema, app or issuer that is accepted. */
const BODY_BYTES_MAX = 256 * 1024;

export function adminApi() {
  const api = new HonoBase<AdminEnv<AdminServices>>({ router: new LiteralFirstRouter() });
  api.use(adminGate, noStore);
  for (const [route, operation] of Object.entries(ADMIN_OPERATIONS)) {
    const [method = "", path = ""] = route.split(" ");
    api.on(method, [path], endpointOf(operation));
  }
  return api;
}

/** Returns the handler of an operation: it reads the request, runs the operation, and sends its result. */
function endpointOf(operation: AdminOperation) {
  return async (c: ContextOf<AdminEnv<AdminServices>>): Promise<Response> => {
    const { actor, authority, instance, services } = c.var;
    requireScope(authority, scopeOf(operation));
    const condition = readCondition(c.req, operation);
    const parameters = readParameters(operation, readQuery(c));
    const body = operation.request && parse(operation.request, await readJson(c, BODY_BYTES_MAX));
    const answer = await operation.run({
      instance: actInstance(c),
      issuer: instance.issuer,
      policy: instance.policy,
      actor,
      administration: services.administrationWithin({ instance: actInstance(c), actor, authority }),
      reads: services,
      path: (name) => c.req.param(name) ?? "",
      query: readListQuery(operation.list ?? NO_LIST, operation.list ? parameters : new Map()),
      parameter: (name) => parameters.get(name),
      body: body as never,
      bytes: operation.takesBytes ? await readBytes(c) : new Uint8Array(),
      caller: {
        address: callerAddress(c),
        authTypeHeader: services.serviceWords.authTypeHeader,
        waitUntil: waitUntil(c),
      },
      now: epochSeconds(),
      isConditional: condition !== undefined,
      requireUnchanged: (stored) => requireMatch(condition, stored, operation),
    });
    if (c.req.method === "GET" && !operation.list) c.header("ETag", await tagOf(answer as object, operation));
    return c.json(answer as object, operation.creates ? 201 : 200);
  };
}

const NO_LIST: ListSpec = { filters: {}, sorts: [""] };

/**
 * Reads the query's parameters. An operation that returns no list accepts only the parameters that it names.
 *
 * @throws {ApiError} `bad_request`, naming the parameter
 */
function readParameters(
  { list, parameters: own = {} }: AdminOperation,
  parameters: ReturnType<typeof readQuery>,
): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const name of parameters.names()) {
    const [value, another] = parameters.all(name);
    if (!list && !Object.hasOwn(own, name)) {
      const taken = Object.keys(own).join(", ") || "no parameters";
      throw malformed(name, `This call takes ${taken}: leave ${name} out`);
    }
    if (another !== undefined) throw malformed(name, `${name} was sent more than once: send it once`);
    if (value !== undefined) given.set(name, value);
  }
  return given;
}

/** Parses a body. @throws {ApiError} `bad_request`, naming the member */
function parse<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, body, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw malformed(v.getDotPath(issue) ?? undefined, describeIssue(issue, "The body"));
}

/** The tags of what the caller has read; none if the caller has read that nothing is stored. */
type Condition = readonly string[];

/**
 * Reads the request's condition.
 *
 * @throws {ApiError} `bad_request` if the call does not support it: ignoring it could change what the caller meant to keep
 */
function readCondition(request: HonoRequest, operation: AdminOperation): Condition | undefined {
  const ifMatch = request.header("if-match");
  const ifNoneMatch = request.header("if-none-match");
  if (ifMatch !== undefined && !evaluatesIfMatch(operation)) {
    throw malformed("If-Match", "This call does not support If-Match: send it without");
  }
  // Caches send If-None-Match with reads. Every read gets a full response.
  if (ifNoneMatch === undefined || request.method === "GET") return ifMatch?.split(",").map((tag) => tag.trim());
  if (ifNoneMatch === "*" && ifMatch === undefined && evaluatesIfNoneMatch(request.method, operation)) return [];
  throw malformed("If-None-Match", "Only calls with PUT support If-None-Match, as *, without If-Match");
}

/**
 * Checks the condition.
 *
 * @throws {ApiError} `precondition_failed` if the caller has read something else (RFC 9110 §§13.1.1, 13.1.2)
 */
async function requireMatch(
  tags: Condition | undefined,
  stored: object | null,
  operation: AdminOperation,
): Promise<void> {
  if (tags === undefined || (stored === null && tags.length === 0)) return;
  if (stored !== null && (tags.includes("*") || tags.includes(await tagOf(stored, operation)))) return;
  throw new ApiError("precondition_failed", { reason: "changed_since_read" });
}

async function tagOf(answer: object, { unversioned = [] }: AdminOperation): Promise<string> {
  const version = Object.entries(answer).filter(([name]) => !unversioned.includes(name));
  return `"${(await sha256(JSON.stringify(version))).slice(0, 22)}"`;
}

function malformed(field: string | undefined, description: string): ApiError {
  return new ApiError("bad_request", { reason: "admin_request_malformed", field, description });
}
