import { RpcError } from "#protocol/errors.ts";
import { isSelfDescribing, negotiated, type Revision, REVISIONS } from "./revision.ts";
import type { Json, RpcRequest } from "./message.ts";
import type { ToolContext } from "./tool.ts";
import { callTool, requireTool } from "./tools.ts";

/** The server's name and version, as the protocol has them (`serverInfo`). */
export interface ServerIdentity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** Tools change only with a deployment; an hour later, every host has the new ones. */
const LISTED = { ttlMs: 3_600_000, cacheScope: "public" } as const;

const CAPABILITIES = { tools: {} };

const INSTRUCTIONS =
  "Searches and reads the organisation's own documents, as the signed-in person: it finds what they may see and nothing else. " +
  "Start with search, in the person's own words; read what looks right with fetch before you rely on it; " +
  "use search_documents to narrow by source, date or field and to turn pages. Cite the url of what you use.";

/**
 * Handles one request.
 *
 * @returns its result
 * @throws {RpcError} `method_not_found`, `invalid_params`; and what a tool refuses
 */
export async function answerRequest(
  request: RpcRequest,
  revision: Revision,
  identity: ServerIdentity,
  context: ToolContext,
): Promise<Json> {
  if (!isSelfDescribing(revision)) return answerNegotiated(request, revision, identity, context);
  const result = request.method === "server/discover" ? discovered() : await answerShared(request, context);
  return { resultType: "complete", ...result, _meta: { "io.modelcontextprotocol/serverInfo": identity } };
}

async function answerNegotiated(
  request: RpcRequest,
  revision: Revision,
  identity: ServerIdentity,
  context: ToolContext,
): Promise<Json> {
  switch (request.method) {
    case "initialize":
      return {
        protocolVersion: negotiated(request.params["protocolVersion"]),
        capabilities: CAPABILITIES,
        serverInfo: identity,
        instructions: INSTRUCTIONS,
      };
    case "ping":
      return {};
    default:
      return answerShared(request, context);
  }
}

/** Handles what every version has, with results in the newest form: hosts of older versions ignore unknown members. */
async function answerShared({ method, params }: RpcRequest, context: ToolContext): Promise<Json> {
  switch (method) {
    case "tools/list":
      // Some hosts send null or an empty text if they have no cursor.
      if (params["cursor"]) {
        throw new RpcError("invalid_params", {
          reason: "mcp_cursor_unknown",
          description: "There is only one page of tools: leave the cursor out",
        });
      }
      return { tools: await context.describeTools(), ...LISTED };
    case "tools/call":
      return callTool(requireTool(params["name"]), params["arguments"] ?? {}, context);
    default:
      throw new RpcError("method_not_found", { reason: "mcp_method_unknown" });
  }
}

function discovered(): Json {
  return { supportedVersions: REVISIONS, capabilities: CAPABILITIES, instructions: INSTRUCTIONS, ...LISTED };
}
