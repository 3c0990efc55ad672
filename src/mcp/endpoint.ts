import { organisationOf } from "#instance/policy-snapshot.ts";
import { answerJson, type ContextOf, readJson } from "#platform/http.ts";
import { keptAsset } from "#platform/kept-asset.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { ApiError, RpcError } from "#protocol/errors.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { MCP_PATH } from "#protocol/resource-indicator.ts";
import type { ClientApiEnv } from "#resource-server/authentication/gate-middleware.ts";
import { createFactory, createMiddleware } from "#platform/handlers.ts";
import { answerBatch } from "./batch.ts";
import { readsChallengeFromResult } from "./hosts.ts";
import { allowsBatches, type MirroredHeaders, revisionOf } from "./revision.ts";
import { idOf, type Json, readMessage } from "./message.ts";
import { isPermittedOrigin } from "./origin.ts";
import { answerRequest, type ServerIdentity } from "./server.ts";
import type { McpCall } from "./refused-call.ts";
import type { ToolContext, ToolServices } from "./tool.ts";

/** Handlers behind `mcpGate`. */
export type McpEnv<Services extends object = object> = ClientApiEnv<
  Services,
  {
    /** The message that is being handled, which decides the form of a refusal. */
    mcpCall?: McpCall;
  }
>;

type Context = ContextOf<McpEnv<ToolServices>>;

const http = createFactory<McpEnv<ToolServices>>();

/** Many times the size of a long question and of what a host says about itself. */
const BODY_BYTES_MAX = 256 * 1024;

/** To be increased when the tools' descriptions change. */
const SERVER_VERSION = "1.0.0";

const toolDescriptions = keptAsset("/mcp-tools.json", (response) => response.json<readonly Json[]>());

/** Refuses pages that reach the server by DNS rebinding, before their token is checked. */
export const permittedOrigin = createMiddleware(async (c, next) => {
  const origin = c.req.header("origin");
  if (origin !== undefined && !isPermittedOrigin(origin)) {
    throw new RpcError("origin_refused", { reason: "mcp_origin_refused" });
  }
  await next();
});

/**
 * Handles requests to an address where people expect the MCP server but it isn't.
 *
 * @throws {ApiError} `not_found`, which says where it is
 */
export const wrongMcpAddress = createFactory<InstanceEnv>().createHandlers((c) => {
  throw new ApiError("not_found", {
    reason: "mcp_address_wrong",
    description: `The MCP server is not here: enter ${c.var.instance.issuer}${MCP_PATH} as its URL`,
  });
});

/** POST /mcp: handles a message of the Model Context Protocol, as the signed-in user. */
export const mcpEndpoint = http.createHandlers(async (c) => {
  const headers = mirroredHeaders(c);
  const body = await readJson(c, BODY_BYTES_MAX);
  if (body === undefined) throw new RpcError("parse_error", { reason: "json_broken" });
  if (Array.isArray(body) && allowsBatches(headers.version)) {
    const answers = await answerBatch(body, headers, identityOf(c), contextOf(c));
    return answers.length === 0 ? accepted(c) : answerJson(c, answers);
  }
  const call = { id: idOf(body), readsChallengeFromResult: readsChallengeFromResult(c.get("caller")) };
  c.set("mcpCall", call);
  const message = readMessage(body);
  if (message.kind === "response") return accepted(c);
  const revision = revisionOf(message, headers);
  if (message.kind === "notification") return accepted(c);
  c.set("mcpCall", { ...call, revision, isToolAtWork: message.method === "tools/call" });
  const result = await answerRequest(message, revision, identityOf(c), contextOf(c));
  return answerJson(c, { jsonrpc: "2.0", id: message.id, result });
});

/** Accepts a message that gets no response (Streamable HTTP, "Sending Messages to the Server"). */
function accepted(c: Pick<Context, "body">): Response {
  return c.body(null, 202, { "Cache-Control": "no-store" });
}

function mirroredHeaders(c: Context): MirroredHeaders {
  return {
    version: c.req.header("mcp-protocol-version"),
    method: c.req.header("mcp-method"),
    name: c.req.header("mcp-name"),
  };
}

function identityOf(c: Context): ServerIdentity {
  const service = c.env.SERVICE_NAME;
  const title = `${organisationOf(c.get("instance").policy)} (${service})`;
  return { name: service.toLowerCase(), title, version: SERVER_VERSION };
}

function contextOf(c: Context): ToolContext {
  const caller = c.get("caller");
  return {
    policy: c.get("instance").policy,
    caller,
    requestId: c.get("frame").requestId,
    requireWithinRate: () => requireWithinRate(c, "tool-call", { app: `${caller.personId} ${caller.clientId ?? ""}` }),
    services: c.get("services"),
    describeTools: () => toolDescriptions(c.env.ASSETS),
  };
}
