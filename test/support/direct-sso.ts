import { OpenIdProvider } from "#single-sign-on/openid-provider.ts";
import { inject } from "vitest";
import type { Fetch } from "../../scripts/local/scripted-browser.ts";

/** The beginning of a code that no SSO issued. The rest is JSON: the person, the session at the SSO, the time, and other claims. */
const DIRECT = "signed-in-directly.";

interface DirectCode {
  readonly person: string;
  readonly sid?: string;
  readonly authTime?: number;
  /** Claims that differ from those of the test SSO. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

const redeemAtSso = Reflect.get<OpenIdProvider, "redeem">(OpenIdProvider.prototype, "redeem");

/**
 * Turns a {@link DIRECT} code into the claims that an SSO would have put into its ID token. Other codes go to the SSO.
 */
OpenIdProvider.prototype.redeem = function redeem(...given) {
  const [sso, , , answer] = given;
  const code = answer.searchParams.get("code") ?? "";
  if (!code.startsWith(DIRECT)) return redeemAtSso.apply(this, given);
  const { person, sid, authTime, claims: others } = JSON.parse(code.slice(DIRECT.length)) as DirectCode;
  const { sub, name, email, emailVerified = true, groups } = requirePerson(person);
  const now = Math.floor(Date.now() / 1000);
  const authenticatedAt = authTime === undefined ? now : authTime || undefined;
  const claims = {
    iss: sso.issuer,
    sub,
    name,
    email,
    email_verified: emailVerified,
    groups,
    auth_time: authenticatedAt,
    ...others,
  };
  return Promise.resolve({ claims: sid === undefined ? claims : { ...claims, sid }, kept: undefined });
};

/**
 * Sends a browser's requests, but signs a person in at the test SSO without visiting it. Tests that are not about the sign-in
 * need no page and no token of the SSO, which cost four times as much as everything that Gatehouse does. The callback does all of
 * its usual work.
 *
 * @param at another SSO and its number, a session there, other claims, and when the person signed in there: now, unless it is given; 0 if the SSO doesn't say
 */
export function signedInDirectly(
  sub: string,
  fetchOne: Fetch,
  at: { readonly issuer: string; readonly number?: string } & Omit<DirectCode, "person"> = inject("sso"),
): Fetch {
  requirePerson(sub);
  const { sid, authTime, claims } = at;
  const direct = DIRECT + JSON.stringify({ person: sub, sid, authTime, claims });
  return async (url, init) => {
    if (!url.startsWith(`${at.issuer}/`)) return fetchOne(url, init);
    const asked = new URL(url).searchParams;
    const callback = new URL(asked.get("redirect_uri") ?? "");
    callback.search = new URLSearchParams({ code: direct, state: asked.get("state") ?? "" }).toString();
    return new Response(null, { status: 302, headers: { Location: callback.href } });
  };
}

function requirePerson(sub: string) {
  const person = inject("sso").people.find((each) => each.sub === sub);
  if (!person) throw new Error(`the test SSO knows no ${sub}`);
  return person;
}
