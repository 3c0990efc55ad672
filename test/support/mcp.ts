import { ORIGIN, send } from "./world.ts";

export const MODERN = "2026-07-28";
export const NEGOTIATED = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;

export interface RpcAnswer {
  readonly jsonrpc: string;
  readonly id?: string | number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

type Headers = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;

/** Posts a body to the MCP endpoint unchanged. */
export function postMcp(token: string | undefined, body: string, headers: Headers = {}, origin = ORIGIN) {
  return send(`${origin}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body,
  });
}

/** Builds a request as hosts of a version send it. */
export function rpcRequest(revision: string, method: string, params: Json = {}) {
  if (revision !== MODERN) {
    return { body: { jsonrpc: "2.0", id: 7, method, params }, headers: { "MCP-Protocol-Version": revision } };
  }
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name: Headers = typeof params["name"] === "string" ? { "Mcp-Name": params["name"] } : {};
  return {
    body: { jsonrpc: "2.0", id: 7, method, params: { ...params, _meta } },
    headers: { "MCP-Protocol-Version": revision, "Mcp-Method": method, ...name },
  };
}

/** Sends a request of a version, and returns the response even if it is an error. */
export async function rpc(token: string | undefined, revision: string, method: string, params: Json = {}) {
  const { body, headers } = rpcRequest(revision, method, params);
  const response = await postMcp(token, JSON.stringify(body), headers);
  return { response, answer: await response.clone().json<RpcAnswer>() };
}

/** Calls a tool. @throws if the response has no result */
export async function callTool(token: string, name: string, args: Json = {}, revision: string = MODERN) {
  const { response, answer } = await rpc(token, revision, "tools/call", { name, arguments: args });
  if (!answer.result) throw new Error(`${name} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer.result as unknown as ToolResult;
}

/** Returns the structured content of a tool's result. @throws if it is an error */
export async function toolAnswer<Shape>(token: string, name: string, args: Json = {}, revision: string = MODERN) {
  const result = await callTool(token, name, args, revision);
  if (result.isError) throw new Error(`${name} refused: ${result.content[0]?.text ?? ""}`);
  return result.structuredContent as Shape;
}
