/** How tests reach the OpenID provider that runs beside them. */
export interface SsoUnderTest {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who can sign in there. */
  readonly people: readonly import("../../scripts/local/people.ts").Person[];
}

/** How tests reach the Gatehouse that runs beside them. */
export interface GatehouseUnderTest {
  readonly port: number;
  /** Where apps that register wait for approval; the other instance is "acme". */
  readonly approvalInstance: string;
  readonly folder: string;
}

/** A document that a test issuer publishes: by OpenID Connect Discovery, by RFC 8414, and its key set. */
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
  /** Members of the discovery document other than usual. */
  readonly discovery: Readonly<Record<string, unknown>>;
  readonly faults: Readonly<Partial<Record<DocumentKind, Fault>>>;
}

/** How often each document of a test issuer was asked for. */
export type IssuerCounts = Record<DocumentKind, number>;

/** A key of a test issuer, for signatures. */
export type IssuerJwk = Readonly<{ kty: string; kid: string; use: string; n?: string; x?: string; d?: string }>;

export interface IssuerKey {
  readonly algorithm: string;
  readonly publicJwk: IssuerJwk;
  readonly privateJwk: IssuerJwk;
}

/** How tests reach the identity providers that run beside them, and what these sign with. */
export interface IssuersUnderTest {
  readonly origin: string;
  readonly keys: Readonly<Record<string, IssuerKey>>;
}

declare module "vitest" {
  /** What a global setup tells the tests. */
  interface ProvidedContext {
    sso: SsoUnderTest;
    issuers: IssuersUnderTest;
    /** Where to ask for the {@link GatehouseUnderTest}, which starts in the background. */
    gatehouse: string;
    /** Where to ask for the folder of the Chromium of the tests, which is unpacked in the background. */
    chromium: string;
    /** The seed of all properties, or null for one of their own each; and how many times the usual number of cases they try. */
    properties: { readonly seed: number | null; readonly times: number };
    /** How much the long proofs in bench/ do. */
    rounds: number;
    requests: number;
    seed: number;
  }
}
