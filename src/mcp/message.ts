import { isObject } from "#protocol/json-object.ts";
import { RpcError } from "#protocol/errors.ts";

export type Json = Readonly<Record<string, unknown>>;

/**
 * The id by which a response refers to its request. JSON-RPC's null and fractions are not allowed here (2026-07-28, Requests).
 */
export type RequestId = string | number;

export type Message =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Json }
  | { readonly kind: "notification"; readonly method: string; readonly params: Json }
  /** A response to a request that this server never sent. */
  | { readonly kind: "response" };

export type RpcRequest = Extract<Message, { kind: "request" }>;

/** Returns the id of what may be a request, so that even its refusal can contain it. */
export function idOf(value: unknown): RequestId | undefined {
  if (!isObject(value)) return undefined;
  const { id } = value;
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : undefined;
}

/** @throws {RpcError} `invalid_request` for anything that is not one message */
export function readMessage(value: unknown): Message {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") throw malformed('one JSON object with "jsonrpc": "2.0"');
  const { method } = value;
  const params = value["params"] ?? {};
  if (method === undefined && ("result" in value || "error" in value)) return { kind: "response" };
  if (typeof method !== "string") throw malformed("a method");
  if (!isObject(params)) throw malformed("params that are an object");
  if (!("id" in value)) return { kind: "notification", method, params };
  const id = idOf(value);
  if (id === undefined) throw malformed("an id that is a string or an integer");
  return { kind: "request", id, method, params };
}

function malformed(wanted: string): RpcError {
  return new RpcError("invalid_request", {
    reason: "rpc_message_malformed",
    description: `A JSON-RPC message has ${wanted}`,
  });
}
