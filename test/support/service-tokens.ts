import { readListQuery } from "#platform/listing.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { ADMIN_SCOPES } from "#protocol/admin-scopes.ts";
import type { Bindings } from "#platform/bindings.ts";
import type { TokenDraft } from "#service-tokens/token-draft.ts";
import type { TokenListing } from "#service-tokens/token-listing.ts";
import { servicesOf } from "#services.ts";
import { readRefusal } from "./challenge.ts";
import { env } from "./isolate.ts";
import { send } from "./world.ts";

/** The response of a rotation. */
export interface Rotated {
  readonly rawSecret: string;
  readonly createdAt: number;
  readonly rotationPeriodMinutes: number;
}

/** Issues an indexing token for all documents, for an hour and from anywhere, unless the changes say otherwise. */
export async function issueToken(instance: InstanceRecord, changes: Partial<TokenDraft> = {}) {
  const usual = { kind: "indexing" as const, name: "test", scopes: ["documents:global_scope"], person: null };
  const order = { ...usual, lifetimeSeconds: 3600, ...changes };
  const { token, secret } = await servicesOf(env).administrationOf(instance, "test").serviceTokens.issue(order, true);
  return { id: token.id, expiresAt: token.expiresAt, secret };
}

interface RotationRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Issues a token of the Admin API, and returns its secret. */
export async function issueAdminToken(
  instance: InstanceRecord,
  scopes: readonly string[] = ADMIN_SCOPES,
): Promise<string> {
  return (await issueToken(instance, { kind: "admin", scopes })).secret;
}

/** Rotates a token, and returns the response even if it is an error. */
export function rotate(secret: string, bindings: Bindings = env, init: RotationRequest = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${secret}`, ...init.headers };
  return send("/rest/api/index/rotatetoken", { method: "POST", ...init, headers }, bindings);
}

/** @throws if the rotation is refused */
export async function rotated(secret: string, bindings: Bindings = env): Promise<Rotated> {
  const response = await rotate(secret, bindings);
  if (response.status !== 200) throw new Error(`rotation answered ${response.status}: ${await response.text()}`);
  return response.json<Rotated>();
}

/** Returns how an isolate's gate of the Indexing API decides, for a path that doesn't exist and uses no storage. */
export async function gateOf(isolate: Bindings, secret: string, address?: string): Promise<unknown[]> {
  const headers = {
    Authorization: `Bearer ${secret}`,
    ...(address === undefined ? {} : { "CF-Connecting-IP": address }),
  };
  const response = await send("/rest/api/index/nothing", { method: "POST", headers }, isolate);
  return response.status === 404 ? ["let in"] : [response.status, (await readRefusal(response)).error];
}

/** Returns the rows of a token's secrets. */
export function secretsOf(tokenId: string) {
  return env.DB.prepare(
    "SELECT secret_hash, created_at, expires_at FROM service_token_secrets WHERE token_id = ?1 ORDER BY created_at",
  )
    .bind(tokenId)
    .all<{ secret_hash: string; created_at: number; expires_at: number | null }>()
    .then(({ results }) => results);
}

/** Returns the tokens of an instance, oldest first. */
export async function allTokens(instance: InstanceRecord): Promise<TokenListing[]> {
  const { issuedTokens } = servicesOf(env);
  const now = Math.floor(Date.now() / 1000);
  const query = new Map([
    ["limit", "500"],
    ["sort", "createdAt"],
  ]);
  const { items, nextCursor } = await issuedTokens.list(instance.id, readListQuery(TOKEN_LIST, query), now);
  if (nextCursor !== null) throw new Error("there are more tokens than one page has");
  return [...items];
}
