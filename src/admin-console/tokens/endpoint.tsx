import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { SCOPE_OPTIONS } from "#admin-console/scope-options.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { systemClock } from "#platform/clock.ts";
import type { FormState } from "#platform/form-state.ts";
import { doneOf } from "#pages/page-middleware.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import { requireOrder, TokenNotIssued } from "#service-tokens/token-order.ts";
import { parsePurpose, readOrder, refusedToken, type TokenPurpose } from "./token-form.ts";
import { type TokenShown, toShown } from "./token-words.ts";
import { NewTokenPage, PurposePage } from "./views/new-token-page.tsx";
import { RevokeTokenPage, RotateTokenPage } from "./views/ending-pages.tsx";
import { TokenSecretPage } from "./views/secret-page.tsx";
import { TokensPage } from "./views/tokens-page.tsx";

const DONE = {
  revoked: "The token is revoked. Within 10 seconds it opens nothing.",
  gone: "That token had ended already.",
};

/** What a new form has: a quarter of a year is a habit that people keep. */
const PROPOSED: Readonly<Record<TokenPurpose, FormState["values"]>> = {
  person: { scopes: ["SEARCH"], lifetime: "90" },
  metadata: { reach: "chosen", lifetime: "90" },
  documents: { reach: "chosen", lifetime: "90" },
};

/** `offline_access` is for apps: a token of the service has no refresh token. */
const API_SCOPE_OPTIONS = SCOPE_OPTIONS.filter(({ value }) => value !== "offline_access");

/** GET /admin/tokens */
export const tokensPage = pages.createHandlers(async (c) => {
  const tokens = await listTokens(c);
  const [ended, running] = [tokens.filter(hasEnded), tokens.filter((token) => !hasEnded(token))];
  return c.html(<TokensPage frame={c.var.console} done={doneOf(c, DONE)} running={running} ended={ended} />);
});

/** GET /admin/tokens/new: first what the token is for, then the form for that; a link may name the group or datasource. */
export const newTokenPage = pages.createHandlers((c) => {
  const query = readQuery(c);
  const purpose = parsePurpose(query.all("purpose")[0]);
  if (purpose === undefined) return c.html(<PurposePage frame={c.var.console} />);
  return showForm(c, purpose, { values: { ...PROPOSED[purpose], target: query.all("target") }, errors: {} });
});

/** POST /admin/tokens/new. The secret is in this answer and nowhere else. */
export const createToken = forms.createHandlers(async (c) => {
  const { form, instance, services, session } = c.var;
  const purpose = parsePurpose(form.one("purpose"));
  if (purpose === undefined) return c.html(<PurposePage frame={c.var.console} />, 422);
  try {
    // Whose it is comes last: a form that is refused makes nobody known.
    requireOrder(readOrder(form, purpose, purpose === "person" ? "to be found" : null));
    const personId = purpose === "person" ? await findPerson(c, form.one("person")) : null;
    const order = readOrder(form, purpose, personId);
    const { token, secret } = await services.serviceTokenIssuer.issue(
      instance.policy.instanceId,
      order,
      session.person.id,
    );
    const title = "The token is made";
    return c.html(<TokenSecretPage {...secretPage(c)} token={token} purpose={purpose} secret={secret} title={title} />);
  } catch (error) {
    return showForm(c, purpose, refusedToken(form, purpose, error));
  }
});

/** GET /admin/tokens/:id/rotate */
export const askToRotateToken = pages.createHandlers(async (c) => {
  return c.html(<RotateTokenPage frame={c.var.console} token={await requireRunning(c)} />);
});

/** POST /admin/tokens/:id/rotate. The new secret is in this answer and nowhere else. */
export const rotateToken = forms.createHandlers(async (c) => {
  const { form, instance, services, session } = c.var;
  const { instanceId, name } = instance.policy;
  const token = await requireRunning(c);
  const endsOldNow = form.one("end_old") === "on";
  const secret = await services.serviceTokenIssuer.rotate(instanceId, token.id, endsOldNow, session.person.id);
  if (secret === undefined) throw notRunning();
  services.policySnapshots.expire(name);
  return c.html(
    <TokenSecretPage
      {...secretPage(c)}
      token={token}
      purpose={purposeOf(token)}
      secret={secret}
      title="The token has a new secret"
      oldSecret={endsOldNow ? "The old secret ends within 10 seconds." : "The old secret works ten minutes more."}
    />,
  );
});

/** GET /admin/tokens/:id/revoke */
export const askToRevokeToken = pages.createHandlers(async (c) => {
  return c.html(<RevokeTokenPage frame={c.var.console} token={await requireToken(c)} />);
});

/** POST /admin/tokens/:id/revoke */
export const revokeToken = pages.createHandlers(async (c) => {
  const { instance, services, session } = c.var;
  const { instanceId, name } = instance.policy;
  const token = await requireToken(c);
  const revoked = await services.serviceTokenIssuer.revoke(instanceId, token.id, session.person.id);
  services.policySnapshots.expire(name);
  return c.redirect(`/admin/tokens?done=${revoked ? "revoked" : "gone"}`, 303);
});

function showForm(c: ConsoleContext, purpose: TokenPurpose, state: FormState): Response | Promise<Response> {
  return c.html(
    <NewTokenPage frame={c.var.console} purpose={purpose} scopes={API_SCOPE_OPTIONS} state={state} />,
    Object.keys(state.errors).length === 0 ? 200 : 422,
  );
}

/** @throws {TokenNotIssued} for no address, or somebody who is deactivated */
async function findPerson(c: ConsoleContext, email = ""): Promise<string> {
  const { instance, services } = c.var;
  const record = await services.instances.require(instance.policy.name);
  const person = await services.instances.ensurePerson(record, email).catch((error: unknown) => {
    if (error instanceof AdministrationRefused) throw new TokenNotIssued("Write the person’s email address", "person");
    throw error;
  });
  if (person.deactivatedAt === null) return person.id;
  throw new TokenNotIssued(`${person.email} is deactivated: reactivate them first`, "person");
}

async function listTokens(c: ConsoleContext): Promise<TokenShown[]> {
  const { instanceId, deactivatedPeople } = c.var.instance.policy;
  const tokens = await c.var.services.serviceTokenIssuer.list(instanceId);
  return tokens.map((token) => toShown(token, deactivatedPeople, systemClock()));
}

/** @throws {ApiError} `not_found` for an id that no token of this instance has */
async function requireToken(c: ConsoleContext): Promise<TokenShown> {
  const token = (await listTokens(c)).find(({ id }) => id === c.req.param("id"));
  if (token) return token;
  throw new ApiError("not_found", { reason: "service_token_unknown", description: "There is no such token here" });
}

/** @throws {ApiError} `bad_request` for a token that has ended: it gets no new secret */
async function requireRunning(c: ConsoleContext): Promise<TokenShown> {
  const token = await requireToken(c);
  if (hasEnded(token)) throw notRunning();
  return token;
}

function notRunning(): ApiError {
  return new ApiError("bad_request", {
    reason: "service_token_ended",
    description: "This token has ended, so it gets no new secret: make a new one",
  });
}

function hasEnded({ state }: TokenShown): boolean {
  return state === "expired" || state === "revoked";
}

function purposeOf({ kind, scopes }: TokenShown): TokenPurpose {
  if (kind === "client-api") return "person";
  return scopes.some((scope) => scope.startsWith("custommetadata:")) ? "metadata" : "documents";
}

function secretPage(c: ConsoleContext) {
  return { frame: c.var.console, issuer: c.var.instance.issuer };
}
