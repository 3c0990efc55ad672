import { OpenIdProvider } from "#single-sign-on/openid-provider.ts";
import { inject } from "vitest";
import type { Fetch } from "../../scripts/local/scripted-browser.ts";

/** The beginning of a code that no SSO issued. The rest names the person and, after colons, the session at the SSO and the time. */
const DIRECT = "signed-in-directly.";

const redeemAtSso = Reflect.get<OpenIdProvider, "redeem">(OpenIdProvider.prototype, "redeem");

/**
 * Turns a {@link DIRECT} code into the claims that an SSO would have put into its ID token. Other codes go to the SSO.
 */
OpenIdProvider.prototype.redeem = function redeem(...given) {
  const [sso, , , answer] = given;
  const code = answer.searchParams.get("code") ?? "";
  if (!code.startsWith(DIRECT)) return redeemAtSso.apply(this, given);
  const [person = "", sid, authTime] = code.slice(DIRECT.length).split(":");
  const { sub, name, email, emailVerified = true, groups } = requirePerson(person);
  const now = Math.floor(Date.now() / 1000);
  const authenticatedAt = authTime === undefined ? now : Number(authTime) || undefined;
  const claims = {
    iss: sso.issuer,
    sub,
    name,
    email,
    email_verified: emailVerified,
    groups,
    auth_time: authenticatedAt,
  };
  return Promise.resolve({ claims: sid === undefined ? claims : { ...claims, sid }, kept: undefined });
};

/**
 * Sends a browser's requests, but signs a person in at the test SSO without visiting it. Tests that are not about the sign-in
 * need no page and no token of the SSO, which cost four times as much as everything that Gatehouse does. The callback does all of
 * its usual work.
 *
 * @param at another SSO, a session there, and when the person signed in there: now, unless it is given; 0 if the SSO doesn't say
 */
export function signedInDirectly(
  sub: string,
  fetchOne: Fetch,
  at: { readonly issuer: string; readonly sid?: string; readonly authTime?: number } = inject("sso"),
): Fetch {
  requirePerson(sub);
  const direct = DIRECT + [sub, at.sid, at.authTime].filter((part) => part !== undefined).join(":");
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
