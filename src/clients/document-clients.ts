import { sha256 } from "#crypto/hash.ts";
import { parseStrictJson, RepeatedMember } from "#crypto/strict-json.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { Clock } from "#platform/clock.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import type { PublicCache } from "#platform/public-cache.ts";
import { OAuthError } from "#protocol/errors.ts";
import { isObject } from "#protocol/json-object.ts";
import { opensAnApi } from "#protocol/scopes.ts";
import type { Client, ClientDescription } from "./client.ts";
import { parseClientMetadata } from "./client-metadata.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** A document describes one app; larger ones are something else (Client ID Metadata Document §6.6). */
const DOCUMENT_BYTES_MAX = 5 * 1024;

/** Bounds on what the document's `Cache-Control` may ask for. */
const CACHED_SECONDS_MIN = 5 * 60;
const CACHED_SECONDS_MAX = 24 * 3600;

/** A client as its document describes it. */
export interface DescribedClient extends ClientDescription {
  readonly id: string;
  readonly kind: "document";
}

/**
 * Documents of one instance whose apps nobody has used: one host may have any number of them, and each that a request names is kept. To
 * make room, the oldest leave that no request is about; the next one reads the document again.
 */
export const UNUSED_DOCUMENTS_PER_INSTANCE = 2000;

export interface DocumentClientStore {
  /**
   * Keeps what the document says as the client's row. `null` when an administrator disabled it; `full` where there is no room for a new
   * one, as requests are under way for {@link UNUSED_DOCUMENTS_PER_INSTANCE} others.
   */
  keepDocument(instanceId: number, client: DescribedClient, now: number): Promise<Client | null | "full">;
}

/** Finds clients that are described by a document at their id. */
export interface DocumentClientReader {
  find(policy: PolicySnapshot, clientId: string, beforeFetch: () => Promise<void>): Promise<Client | null>;
}

interface CachedDocument {
  readonly body: Readonly<Record<string, unknown>>;
  readonly freshUntil: number;
}

/**
 * Clients that are described by the document at their id (OAuth Client ID Metadata Document): nothing has to be registered,
 * and the host in the id is the one thing about them that is proved.
 */
export class DocumentClients implements DocumentClientReader {
  readonly #fetch: OutgoingFetch;
  readonly #cache: PublicCache;
  readonly #store: DocumentClientStore;
  readonly #clock: Clock;

  constructor(outgoingFetch: OutgoingFetch, cache: PublicCache, store: DocumentClientStore, clock: Clock) {
    this.#fetch = outgoingFetch;
    this.#cache = cache;
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The client that the document at this URL describes.
   *
   * @param beforeFetch may refuse the fetch of a document that is not in the cache
   * @returns `null` when an administrator disabled it
   * @throws {OAuthError} `invalid_request` when there is no acceptable document there; `slow_down` when there is no room for it
   */
  async find(policy: PolicySnapshot, clientId: string, beforeFetch: () => Promise<void>): Promise<Client | null> {
    requireDocumentUrl(clientId);
    const body = await this.#document(clientId, beforeFetch);
    const methods = methodsOf(body);
    const tokenEndpointAuthMethod = methods.has("private_key_jwt") ? "private_key_jwt" : "none";
    const metadata = parseClientMetadata(
      { ...body, scope: scopeOf(body), token_endpoint_auth_method: tokenEndpointAuthMethod },
      policy.settings.dynamicScopes,
    );
    const kept = await this.#store.keepDocument(
      policy.instanceId,
      {
        id: clientId,
        kind: "document",
        name: metadata.name,
        clientUri: metadata.clientUri,
        policyUri: metadata.policyUri,
        tosUri: metadata.tosUri,
        redirectUris: metadata.redirectUris,
        scopes: metadata.scopes,
        tokenEndpointAuthMethod,
        isPublic: methods.has("none"),
        keys: metadata.keys,
        declaredRequirements: metadata.declaredRequirements,
      },
      this.#clock(),
    );
    if (kept !== "full") return kept;
    throw new OAuthError("slow_down", { reason: "registrations_unused_too_many", retryAfterSeconds: 60 });
  }

  /** The document, fresh from its host or from the cache; while the host is down, the last good one serves. */
  async #document(url: string, beforeFetch: () => Promise<void>): Promise<Readonly<Record<string, unknown>>> {
    const key = `client-document:${await sha256(url)}`;
    const cached = await this.#cache.read<CachedDocument>(key);
    if (cached && cached.freshUntil > this.#clock()) return cached.body;
    await beforeFetch();
    try {
      const fetched = await this.#fetchDocument(url);
      await this.#cache.write(key, fetched);
      return fetched.body;
    } catch (error) {
      if (error instanceof OAuthError) throw error;
      if (cached) return cached.body;
      throw unacceptable("client_document_unreachable", error);
    }
  }

  async #fetchDocument(url: string): Promise<CachedDocument> {
    const response = await this.#fetch(url, { headers: { Accept: "application/json" } }, DOCUMENT_BYTES_MAX);
    if (response.status >= 500) throw new Error(`the document's host answered ${response.status}`);
    if (response.status !== 200) throw unacceptable("client_document_not_found");
    const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
    if (!/^application\/([a-z0-9.-]+\+)?json$/.test(type)) throw unacceptable("client_document_not_json");
    const lifetime = Number(/max-age=(\d{1,9})/.exec(response.headers.get("cache-control") ?? "")?.[1] ?? 0);
    const seconds = Math.min(Math.max(lifetime, CACHED_SECONDS_MIN), CACHED_SECONDS_MAX);
    const body = parseDocument(await response.text());
    return { body: requireOwnDocument(body, url), freshUntil: this.#clock() + seconds };
  }
}

/**
 * How the app may authenticate: as it says in the singular (RFC 7591 §2), and in the plural that hosts write into documents which
 * serve several servers. No server shares a secret with a document, so other methods are another server's.
 *
 * @throws {OAuthError} `invalid_request` where neither is left
 */
function methodsOf(document: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const { token_endpoint_auth_method: preferred, token_endpoint_auth_methods_supported: supported } = document;
  const listed: unknown[] = Array.isArray(supported) ? supported : [];
  const named = preferred === undefined && listed.length === 0 ? ["none"] : [preferred, ...listed];
  const methods = new Set(["none", "private_key_jwt"].filter((method) => named.includes(method)));
  if (methods.size === 0) throw unacceptable("client_document_confidential");
  return methods;
}

/** What the app may ask for here. One document serves many servers: a list that names no API of this one is other servers'. */
function scopeOf({ scope }: Readonly<Record<string, unknown>>): unknown {
  return typeof scope === "string" && !opensAnApi(scope.split(" ")) ? undefined : scope;
}

/** Whether a client id is meant as the URL of a document. */
export function isDocumentUrl(clientId: string): boolean {
  return clientId.startsWith("https://");
}

/** An https URL with a path, written the one right way (Client ID Metadata Document §3). */
function requireDocumentUrl(clientId: string): void {
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined;
  const isAcceptable =
    url !== undefined &&
    clientId.length <= 500 &&
    url.href === clientId &&
    url.protocol === "https:" &&
    url.pathname !== "/" &&
    url.username === "" &&
    url.password === "" &&
    !clientId.includes("#") &&
    // After | stands an app of an identity provider (`issuersApp`), whose rules would be the document's.
    !/%2e|%2f|%5c|\|/i.test(url.pathname);
  if (!isAcceptable) throw unacceptable("client_document_url_malformed");
}

/** No object names a member twice: an inspector and this server could believe different ones. */
function parseDocument(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (error) {
    throw unacceptable(
      error instanceof RepeatedMember ? "client_document_member_repeated" : "client_document_not_json",
    );
  }
}

/** A document names its own URL, so that nobody can put another's document in its place, and holds no secret: it is public. */
function requireOwnDocument(body: unknown, url: string): Readonly<Record<string, unknown>> {
  const document = isObject(body) ? body : {};
  if (document["client_id"] !== url) throw unacceptable("client_document_of_another_id");
  if ("client_secret" in document) throw unacceptable("client_document_with_secret");
  return document;
}

function unacceptable(reason: RefusalReason, cause?: unknown): OAuthError {
  return new OAuthError("invalid_request", {
    reason,
    description:
      "The client_id names no acceptable client metadata document: an https URL with a path, whose JSON names that URL as " +
      "client_id, lists redirect_uris, and is at most 5 KB",
    cause,
  });
}
