import type { Json, Message } from "./message.ts";
import { isObject } from "#protocol/json-object.ts";
import { RpcError } from "#protocol/errors.ts";

/** Versions in which every request says which version it has, newest first. */
const SELF_DESCRIBING = ["2026-07-28"] as const;

/** Versions that begin with `initialize`, newest first. */
const NEGOTIATED = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;

export const REVISIONS = [...SELF_DESCRIBING, ...NEGOTIATED] as const;
export type Revision = (typeof REVISIONS)[number];

/** The version of a request that doesn't state one (2025-11-25, Protocol Version Header). */
const UNSTATED: Revision = "2025-03-26";

/** The members of `params._meta` with which a request describes itself. */
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** The headers of a request that repeat parts of its body. */
export interface MirroredHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

/**
 * The members that `Mcp-Name` repeats: the tool, prompt or resource that is meant (2026-07-28, Standard Request Headers).
 */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

export function isSelfDescribing(revision: string): revision is (typeof SELF_DESCRIBING)[number] {
  return (SELF_DESCRIBING as readonly string[]).includes(revision);
}

/**
 * Returns the version that `initialize` agrees on: the requested one or, if that is unknown, the newest that begins with
 * `initialize`.
 */
export function negotiated(requested: unknown): Revision {
  return NEGOTIATED.find((revision) => revision === requested) ?? NEGOTIATED[0];
}

/** Checks whether a request may contain several messages, which only the first version with this transport allows. */
export function allowsBatches(header: string | undefined): boolean {
  return (header ?? UNSTATED) === "2025-03-26";
}

/**
 * Returns the version of a message. Something that decides by a header, such as a gateway, must see the same request as something
 * that decides by the body, so in a version that describes itself, both must match (2026-07-28, Server Validation).
 *
 * @throws {RpcError} `unsupported_version`, `header_mismatch`, or `invalid_params` if a request does not describe itself
 */
export function revisionOf(message: Exclude<Message, { kind: "response" }>, headers: MirroredHeaders): Revision {
  const meta = isObject(message.params["_meta"]) ? message.params["_meta"] : {};
  const claimed = meta[VERSION];
  if (claimed === undefined) return statedRevision(message, headers);
  if (typeof claimed !== "string") throw undescribed(VERSION);
  if (message.kind === "request" && !isObject(meta[CAPABILITIES])) throw undescribed(CAPABILITIES);
  if (headers.version !== claimed && (message.kind === "request" || headers.version !== undefined)) {
    throw mismatch("MCP-Protocol-Version", headers.version, claimed);
  }
  if (!isSelfDescribing(claimed)) throw unsupported(claimed);
  if (message.kind === "request") requireMirrored(message, headers);
  return claimed;
}

/** Returns the version of a message that does not describe itself. */
function statedRevision(
  { kind, method }: Exclude<Message, { kind: "response" }>,
  { version }: MirroredHeaders,
): Revision {
  if (version !== undefined && isSelfDescribing(version)) {
    if (kind === "notification") return version;
    if (method === "initialize") throw mismatch("MCP-Protocol-Version", version, "initialize, which it does not have");
    throw undescribed(VERSION);
  }
  // The body of `initialize` has the version for the whole connection, and the response agrees on one.
  if (version === undefined || method === "initialize") return UNSTATED;
  const known = NEGOTIATED.find((revision) => revision === version);
  if (known === undefined) throw unsupported(version);
  return known;
}

function requireMirrored({ method, params }: { method: string; params: Json }, headers: MirroredHeaders): void {
  if (headers.method !== method) throw mismatch("Mcp-Method", headers.method, method);
  const member = Object.hasOwn(NAMED_BY, method) ? params[NAMED_BY[method] ?? ""] : undefined;
  if (typeof member === "string" && decodeName(headers.name) !== member) {
    throw mismatch("Mcp-Name", headers.name, member);
  }
}

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Decodes a name. If no header can contain it, it is sent as base64 of its UTF-8 (2026-07-28, Value Encoding). */
function decodeName(header: string | undefined): string | undefined {
  const encoded = header === undefined ? undefined : ENCODED.exec(header)?.[1];
  if (encoded === undefined) return header;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function undescribed(member: string): RpcError {
  return new RpcError("invalid_params", {
    reason: "mcp_request_undescribed",
    description: `params._meta lacks ${member}, which this protocol version requires`,
  });
}

function mismatch(header: string, found: string | undefined, body: string): RpcError {
  const says = found === undefined ? "is missing" : `says ${JSON.stringify(found.slice(0, 200))}`;
  return new RpcError("header_mismatch", {
    reason: "mcp_header_mismatch",
    description: `The header ${header} ${says}, the body ${JSON.stringify(body.slice(0, 200))}`,
  });
}

function unsupported(requested: string): RpcError {
  return new RpcError("unsupported_version", {
    reason: "mcp_version_unsupported",
    description: `Unsupported protocol version: use one of ${REVISIONS.join(", ")}`,
    data: { supported: REVISIONS, requested },
  });
}
