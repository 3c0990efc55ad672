import type { D1Clients, KeptClient } from "./clients.d1.ts";
import { sha256 } from "#crypto/secrets.ts";
import { parseStrictJson, RepeatedMember } from "#crypto/strict-json.ts";
import { ByteBoundedMap } from "#platform/byte-bounded-map.ts";
import { epochSeconds } from "#platform/clock.ts";
import { type OutgoingFetch, OutgoingRequestsTooMany } from "#platform/outgoing-fetch.ts";
import type { PublicCache } from "#platform/public-cache.ts";
import { OAuthError } from "#protocol/errors.ts";
import { isObject } from "#protocol/json-object.ts";
import type { Settings } from "#settings/settings.ts";
import type { Client } from "./client.ts";
import { METADATA_MEMBERS, parseClientMetadata } from "./client-metadata.ts";
import { knownHostOf } from "./hosts.ts";
import { admit, admitListed } from "./registration-policy.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Maximum size of a document in bytes. It describes one app; larger ones are something else (Client ID Metadata Document §6.6). */
const DOCUMENT_BYTES_MAX = 5 * 1024;

/** Limits on how long a document is cached, whatever its `Cache-Control` says. */
const CACHED_SECONDS_MIN = 5 * 60;
const CACHED_SECONDS_MAX = 24 * 3600;

/** What an isolate remembers of the documents of apps that nobody uses yet, in bytes: hundreds of documents. */
const STRANGERS_BYTES_MAX = 1024 * 1024;

/** The part of a policy snapshot that decides about documents. */
interface DocumentPolicy {
  readonly instanceId: number;
  readonly settings: Settings;
}

interface CachedDocument {
  /** The members that are used, as JSON. A text takes no more memory than it is long, whatever it contains. */
  readonly text: string;
  readonly freshUntil: number;
}

/**
 * The fetches of documents. Only so many are under way at a time, and anybody may publish documents that take long: those of known
 * hosts don't wait for them.
 */
export interface DocumentFetches {
  readonly ofHosts: OutgoingFetch;
  readonly others: OutgoingFetch;
}

/**
 * Clients that the document at their id describes (OAuth Client ID Metadata Document). They need not register. The host in the id
 * is the only thing about them that is proved.
 */
export class DocumentClients {
  readonly #fetches: DocumentFetches;
  readonly #cache: PublicCache;
  readonly #store: D1Clients;
  /**
   * The documents of unused apps. Anybody can name any number of documents, so they are only in memory, and apart from those of apps
   * that are used, which are in the public cache.
   */
  readonly #ofStrangers = new ByteBoundedMap<string, CachedDocument>(STRANGERS_BYTES_MAX);

  constructor(fetches: DocumentFetches, cache: PublicCache, store: D1Clients) {
    this.#fetches = fetches;
    this.#cache = cache;
    this.#store = store;
  }

  /**
   * Finds the client that the document at this URL describes.
   *
   * @param beforeFetch may refuse the fetch of a document that is not fresh in the cache
   * @param isListed whether an administrator listed it for an identity provider
   * @returns `null` if an administrator disabled it
   * @throws {OAuthError} `invalid_request` if there is no acceptable document there; `invalid_redirect_uri` if only approved ones
   *   are accepted and it has none; `slow_down` if there is no room for it
   */
  async find(
    policy: DocumentPolicy,
    clientId: string,
    beforeFetch: () => Promise<void>,
    isListed = false,
  ): Promise<Client | null> {
    requireDocumentUrl(clientId);
    const document = await this.#document(clientId, beforeFetch);
    const body = JSON.parse(document.text) as Readonly<Record<string, unknown>>;
    const methods = methodsOf(body);
    const tokenEndpointAuthMethod = methods.has("private_key_jwt") ? "private_key_jwt" : "none";
    const id = { id: clientId, kind: "document" } as const;
    const metadata = parseClientMetadata(
      { ...body, token_endpoint_auth_method: tokenEndpointAuthMethod },
      id,
      policy.settings,
    );
    const kept = await this.#store.keepDocument(
      policy.instanceId,
      {
        ...metadata,
        ...id,
        ...(isListed ? admitListed : admit)(policy.settings, { ...id, redirectUris: metadata.redirectUris }),
        isPublic: methods.has("none"),
      },
      epochSeconds(),
    );
    if (kept !== "full") {
      if (document.isFetched) await this.#remember(clientId, document, kept);
      return kept.client;
    }
    throw new OAuthError("slow_down", { reason: "registrations_unused_too_many", retryAfterSeconds: 60 });
  }

  /** Returns the document from a cache or from its host. While the host is unavailable, the last valid one is used. */
  async #document(
    url: string,
    beforeFetch: () => Promise<void>,
  ): Promise<CachedDocument & { readonly isFetched?: true }> {
    const cached = this.#ofStrangers.get(url) ?? (await this.#cache.read<CachedDocument>(await cacheKey(url)));
    if (cached && cached.freshUntil > epochSeconds()) return cached;
    await beforeFetch();
    try {
      return { ...(await this.#fetchDocument(url)), isFetched: true };
    } catch (error) {
      if (error instanceof OAuthError) throw error;
      if (cached) return cached;
      if (error instanceof OutgoingRequestsTooMany) {
        throw new OAuthError("slow_down", { reason: "client_documents_too_many", retryAfterSeconds: 10, cause: error });
      }
      throw unacceptable("client_document_unreachable", error);
    }
  }

  async #remember(url: string, { text, freshUntil }: CachedDocument, { isUnused }: KeptClient): Promise<void> {
    if (isUnused) return this.#ofStrangers.set(url, { text, freshUntil }, url.length + text.length);
    this.#ofStrangers.delete(url);
    await this.#cache.write(await cacheKey(url), { text, freshUntil });
  }

  async #fetchDocument(url: string): Promise<CachedDocument> {
    const isOfHost = knownHostOf({ id: url, kind: "document", redirectUris: [] }) !== undefined;
    const fetch = isOfHost ? this.#fetches.ofHosts : this.#fetches.others;
    const response = await fetch(url, { headers: { Accept: "application/json" } }, DOCUMENT_BYTES_MAX);
    if (response.status >= 500) throw new Error(`the document's host answered ${response.status}`);
    if (response.status !== 200) throw unacceptable("client_document_not_found");
    const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
    if (!/^application\/([a-z0-9.-]+\+)?json$/.test(type)) throw unacceptable("client_document_not_json");
    const lifetime = Number(/max-age=(\d{1,9})/.exec(response.headers.get("cache-control") ?? "")?.[1] ?? 0);
    const seconds = Math.min(Math.max(lifetime, CACHED_SECONDS_MIN), CACHED_SECONDS_MAX);
    const document = requireOwnDocument(parseDocument(await response.text()), url);
    const used = METADATA_MEMBERS.map((name) => [name, document[name]]);
    return { text: JSON.stringify(Object.fromEntries(used)), freshUntil: epochSeconds() + seconds };
  }
}

/** The number is the version of the stored format. */
async function cacheKey(url: string): Promise<string> {
  return `client-document-2:${await sha256(url)}`;
}

/**
 * Returns how the app may authenticate: by the one method that its document prefers (RFC 7591 §2), and by the list of methods
 * that hosts write into documents for several servers. No server shares a secret with a document, so other methods are meant for
 * other servers.
 *
 * @throws {OAuthError} `invalid_request` if no method is left
 */
function methodsOf(document: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const { token_endpoint_auth_method: preferred, token_endpoint_auth_methods_supported: supported } = document;
  const listed: unknown[] = Array.isArray(supported) ? supported : [];
  const named = preferred === undefined && listed.length === 0 ? ["none"] : [preferred, ...listed];
  const methods = new Set(["none", "private_key_jwt"].filter((method) => named.includes(method)));
  if (methods.size === 0) throw unacceptable("client_document_confidential");
  return methods;
}

/** Checks whether a client id is meant to be the URL of a document. */
export function isDocumentUrl(clientId: string): boolean {
  return clientId.startsWith("https://");
}

/** Requires an https URL with a path, in its one normal form (Client ID Metadata Document §3). */
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
    // Issuer and client id with | between them name an identity provider's app (`issuersApp`), whose rules would apply.
    !/%2e|%2f|%5c|\|/i.test(url.pathname);
  if (!isAcceptable) throw unacceptable("client_document_url_malformed");
}

/** Parses a document. No object may name a member twice: an inspector and this server could believe different values. */
function parseDocument(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (error) {
    throw unacceptable(
      error instanceof RepeatedMember ? "client_document_member_repeated" : "client_document_not_json",
    );
  }
}

/**
 * Requires that a document names its own URL, so that nobody can put another's document in its place, and contains no secret,
 * because it is public.
 */
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
