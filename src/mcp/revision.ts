import { isObject } from "#protocol/json-object.ts";
import { RpcError } from "#protocol/errors.ts";
import type { Json, Message } from "./message.ts";

/** Versions whose every request says which one it is of, newest first. */
const SELF_DESCRIBING = ["2026-07-28"] as const;

/** Versions that begin with `initialize`, newest first. */
const NEGOTIATED = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;

export const REVISIONS = [...SELF_DESCRIBING, ...NEGOTIATED] as const;
export type Revision = (typeof REVISIONS)[number];

/** What a request without a version is of (2025-11-25, Protocol Version Header). */
const UNSTATED: Revision = "2025-03-26";

/** The members of `params._meta` that a request describes itself with. */
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** What the headers of a request say of its body. */
export interface MirroredHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

/** The header `Mcp-Name` says which tool, prompt or resource is meant (2026-07-28, Standard Request Headers). */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

export function isSelfDescribing(revision: string): revision is (typeof SELF_DESCRIBING)[number] {
  return (SELF_DESCRIBING as readonly string[]).includes(revision);
}

/** The version that `initialize` agrees on: the one that is asked for, else the newest that begins that way. */
export function negotiated(requested: unknown): Revision {
  return NEGOTIATED.find((revision) => revision === requested) ?? NEGOTIATED[0];
}

/** Only the first version with this transport allowed several messages in one request. */
export function allowsBatches(header: string | undefined): boolean {
  return (header ?? UNSTATED) === "2025-03-26";
}

/**
 * The version that a message is of. Who decides by a header, such as a gateway, and who decides by the body must see the same
 * request, so a version that describes itself is held to both (2026-07-28, Server Validation).
 *
 * @throws {RpcError} `unsupported_version`, `header_mismatch`, or `invalid_params` where a request does not describe itself
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

/** Of a message that does not describe itself. */
function statedRevision(
  { kind, method }: Exclude<Message, { kind: "response" }>,
  { version }: MirroredHeaders,
): Revision {
  if (version !== undefined && isSelfDescribing(version)) {
    if (kind === "notification") return version;
    if (method === "initialize") throw mismatch("MCP-Protocol-Version", version, "initialize, which it does not have");
    throw undescribed(VERSION);
  }
  // The version of the whole connection is in the body here, and agreed on by the answer.
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

/** Names that no header can hold come in base64 of their UTF-8 (2026-07-28, Value Encoding). */
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
