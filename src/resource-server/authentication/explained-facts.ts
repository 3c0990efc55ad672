import type { CompactJwt } from "#crypto/compact-jwt.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { ClientApiRoute } from "#resource-server/authorization/route-scopes.ts";
import type { ExternalIdentity, PersonFound } from "#people/external-people.ts";
import type { Caller } from "./caller.ts";

/** What is known about a token that was judged; nothing here decides anything. */
export interface Facts {
  readonly policy: PolicySnapshot;
  /** The instance's own issuer. */
  readonly origin: string;
  readonly jwt: CompactJwt | undefined;
  readonly looksLikeJwt: boolean;
  readonly looksServiceIssued: boolean;
  /** The provider that is registered for the token's `iss`. */
  readonly issuer: ExternalIssuer | undefined;
  readonly publishedKeys: readonly string[];
  /** Whom the gate asked for; `undefined` where it did not come that far. */
  readonly person: { readonly identity: ExternalIdentity; readonly found: PersonFound } | undefined;
  readonly route: ClientApiRoute;
  readonly announcedAsExternal: boolean;
  readonly authTypeHeader: string;
  readonly address: string;
  /** Who the token stands for, also where the route asks for more. */
  readonly caller: Caller | undefined;
  readonly now: number;
}

/** Whatever a token says may be long, and may be anything. */
const SHOWN_CHARACTERS_MAX = 200;

/** A value of a token in a sentence. */
export function said(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}

/** A claim of the token with what it says. */
export function claim({ jwt }: Facts, name: string): string {
  const value = jwt?.payload[name];
  return value === undefined ? `the token has no claim ${name}` : `the claim ${name} says ${said(value)}`;
}

/** A text as the beginning of a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A time of a token, as people read it. */
export function moment(value: unknown): string {
  const isTime = typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 8.64e12;
  return isTime ? `${new Date(value * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC` : said(value);
}

export function list(values: readonly string[], none: string): string {
  return values.length === 0 ? none : values.join(", ");
}
