import { isObject, statedMembers } from "#protocol/json-object.ts";
import { ApiError, RpcError } from "#protocol/errors.ts";
import { API_SCOPES } from "#protocol/scopes.ts";
import { problemOf as issueText } from "#platform/members.ts";
import { withheldScope } from "#app-access/app-rules.ts";
import * as v from "valibot";
import type { Json } from "./message.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { chatTool } from "./tools/chat.ts";
import { withMarks } from "./tools/document-text.ts";
import { fetchTool } from "./tools/fetch.ts";
import { searchDocumentsTool } from "./tools/search-documents.ts";
import { searchTool } from "./tools/search.ts";
import { whoamiTool } from "./tools/whoami.ts";

/** All tools, in the order in which hosts get them. Don't change the order: models' caches begin with it. */
export const TOOLS: readonly Tool[] = [searchTool, fetchTool, searchDocumentsTool, chatTool, whoamiTool];

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** Returns the tool that a call names. @throws {RpcError} `invalid_params` for a name that no tool has */
export function requireTool(name: unknown): Tool {
  const tool = typeof name === "string" ? BY_NAME.get(name) : undefined;
  if (tool) return tool;
  throw new RpcError("invalid_params", {
    reason: "mcp_tool_unknown",
    description: `Unknown tool: this server has ${[...BY_NAME.keys()].join(", ")}`,
  });
}

/**
 * Runs a tool as the caller.
 *
 * @throws {ApiError} `insufficient_scope`, with the scopes that the caller has and the one that is missing, so that a new token
 *   loses nothing that the old one had (2026-07-28, Scope Challenge Handling); or what the tool refuses
 * @throws {ApiError} `too_many_requests` over the rate
 * @throws {ApiError} `bad_request` for invalid arguments, which the model reads; {RpcError} `invalid_params` if they are no object
 */
export async function callTool(tool: Tool, args: unknown, context: ToolContext): Promise<Json> {
  requireScope(tool, context);
  await context.requireWithinRate();
  const text = JSON.stringify(await tool.run(readArguments(tool, args), context), withMarks);
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) as Json };
}

function requireScope({ scope }: Tool, { caller: { scopes, withheld } }: ToolContext): void {
  if (scope === null || scopes.has(scope)) return;
  if (withheld?.includes(scope)) throw withheldScope(scope);
  throw new ApiError("insufficient_scope", {
    reason: "scope_missing",
    description: `The token lacks the scope ${scope}: connect again and allow it, or ask an administrator to allow it for this app`,
    scopes: API_SCOPES.filter((one) => one === scope || scopes.has(one)),
  });
}

function readArguments({ name, input }: Tool, args: unknown): unknown {
  if (!isObject(args)) {
    throw new RpcError("invalid_params", {
      reason: "mcp_arguments_malformed",
      description: "arguments must be an object",
    });
  }
  const parsed = v.safeParse(input, statedMembers(args), { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  // A model should see this and correct it (2025-11-25, Error Handling). Earlier versions allow a protocol error too, which hosts
  // don't show to it.
  throw new ApiError("bad_request", { reason: "mcp_arguments_unfit", description: problemOf(name, issue) });
}

/** Returns what to change, in words that a model can act on. */
function problemOf(tool: string, issue: v.BaseIssue<unknown>): string {
  const argument = v.getDotPath(issue) ?? "arguments";
  if (issue.expected === "never") return `${tool} takes no ${argument}: leave it out`;
  if (issue.input === undefined) return `${tool} needs ${argument}`;
  return `${argument} of ${tool} is not acceptable: ${issueText(issue)}`;
}
