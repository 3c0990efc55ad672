/** How tests reach the OpenID provider that runs for them. */
export interface SsoUnderTest {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The people who can sign in there. */
  readonly people: readonly import("../../scripts/local/people.ts").Person[];
}

/** How tests reach the Gatehouse that runs for them. */
export interface GatehouseUnderTest {
  readonly port: number;
  /** The instance where apps that register wait for approval. The other instance is "acme". */
  readonly approvalInstance: string;
  readonly setupInstance: string;
  readonly folder: string;
  readonly sso: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
}

/** A document that a test issuer publishes: by OpenID Connect Discovery, by RFC 8414, or its key set. */
export type DocumentKind = "discovery" | "metadata" | "keys";

/** How a document of a test issuer fails. */
export type Fault =
  | "down"
  | "absent"
  | "error"
  | "slow"
  | "held until it is mended"
  | "silent"
  | "trickling"
  | "huge"
  | "redirecting to itself"
  | "redirecting inside"
  | "redirecting to the document"
  | "HTML"
  | "truncated";

/** What a test issuer publishes, and how it fails. */
export interface IssuerState {
  readonly keys: readonly unknown[];
  /** Members of the discovery document that differ from the usual ones. */
  readonly discovery: Readonly<Record<string, unknown>>;
  readonly faults: Readonly<Partial<Record<DocumentKind, Fault>>>;
}

/** How often each document of a test issuer was requested. */
export type IssuerCounts = Record<DocumentKind, number>;

/** A signing key of a test issuer. */
export type IssuerJwk = Readonly<{ kty: string; kid: string; use: string; n?: string; x?: string; d?: string }>;

export interface IssuerKey {
  readonly algorithm: string;
  readonly publicJwk: IssuerJwk;
  readonly privateJwk: IssuerJwk;
}

/** How tests reach the identity providers that run for them, and the keys of these. */
export interface IssuersUnderTest {
  readonly origin: string;
  readonly keys: Readonly<Record<string, IssuerKey>>;
}

declare module "vitest" {
  /** What a global setup passes to the tests. */
  interface ProvidedContext {
    sso: SsoUnderTest;
    issuers: IssuersUnderTest;
    /** The URL that returns the {@link GatehouseUnderTest}, which starts in the background. */
    gatehouse: string;
    /** The URL that returns the folder of the tests' Chromium, which is unpacked in the background. */
    chromium: string;
    /**
     * The seed of all properties, or null if each chooses its own; and the factor by which they try more cases than usual.
     */
    properties: { readonly seed: number | null; readonly times: number };
    /** How much the long proofs in bench/ do. */
    rounds: number;
    requests: number;
    seed: number;
  }
}
