import { knownList, t } from "#pages/views/console-frame.ts";
import { later, type Question } from "#pages/views/asking-page.tsx";
import { consoleForm, type ConsolePaths, readList, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { statusOf, typed } from "#admin-console/form-values.ts";
import { ADMIN_SCOPE_OPTIONS, SCOPE_OPTIONS } from "#admin-console/scope-options.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { FormState } from "#platform/described-members.ts";
import { readQuery } from "#platform/http.ts";
import type { ListQuery } from "#platform/listing.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { ApiError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { exampleOf } from "./token-example.ts";
import { parsePurpose, readToken, refusedToken, type TokenPurpose } from "./token-form.ts";
import { type TokenShown, toShown } from "./token-words.ts";
import { NewTokenPage, PurposePage } from "./views/new-token-page.tsx";
import { UNTYPED } from "#pages/views/form.tsx";
import { Facts, Moment } from "#pages/views/console-layout.tsx";
import { Switch } from "#pages/views/fields.tsx";
import type { Child } from "hono/jsx";
import { TokenSecretPage } from "./views/secret-page.tsx";
import { TokensPage } from "./views/tokens-page.tsx";

/** The initial values of the form, by purpose. Replacing a token every 90 days is a habit that people can keep. */
const PROPOSED: Readonly<Record<TokenPurpose, FormState["values"]>> = {
  person: { scopes: ["SEARCH"], lifetime: "90" },
  metadata: { reach: "chosen", lifetime: "90" },
  documents: { reach: "chosen", lifetime: "90" },
  admin: { scopes: ["admin:read"], lifetime: "90" },
  directory: { lifetime: "366" },
};

/** Without `offline_access`, which is only for apps: service-issued tokens have no refresh token. */
const CLIENT_API_SCOPE_OPTIONS = SCOPE_OPTIONS.filter(({ value }) => value !== "offline_access");

/** The tokens that administrators create. Only the responses to two forms contain a secret. */
export const TOKEN_PATHS: ConsolePaths = {
  // Active tokens; with `state=ended`, expired and revoked ones.
  "/tokens": {
    page: async (c) => {
      const now = epochSeconds();
      const read = (id: number, query: ListQuery) => c.var.services.issuedTokens.list(id, query, now);
      const { items, list } = await readList(c, TOKEN_LIST, read, { state: "running" });
      return render(c, <TokensPage list={list} tokens={items.map((token) => toShown(token, now))} />);
    },
  },
  // Asks what the token is for; with `purpose`, shows the form. A link may also fill in `target`.
  "/tokens/new": consoleForm({
    page: (c) => {
      const query = readQuery(c);
      const purpose = parsePurpose(query.all("purpose")[0]);
      if (purpose === undefined) return render(c, <PurposePage />);
      return showForm(c, purpose, { values: { ...PROPOSED[purpose], target: query.all("target") }, errors: {} });
    },
    // If nobody has the address of its person, it asks first.
    act: "serviceTokens.issue",
    button: "Create the token",
    about: (_c, field) => parsePurpose(field("purpose")),
    async decide({ c, form, administration }, purpose) {
      if (purpose === undefined) return render(c, <PurposePage />, 422);
      const draft = readToken(form, purpose);
      const isNewMeant = form.one("newPerson") === draft.person;
      const { token, secret } = await administration.serviceTokens.issue(draft, isNewMeant);
      const title = "Token created";
      return render(c, <TokenSecretPage {...secretPage(c, token, purpose)} secret={secret} title={title} />);
    },
    again({ c, form, ask }, state, purpose, error) {
      if (error instanceof AdministrationRefused && error.member === "newPerson") return ask(newPersonQuestion(form));
      if (purpose === undefined) throw error;
      return showForm(c, purpose, refusedToken(state, purpose));
    },
  }),
  "/tokens/:id/rotate": consoleForm({
    act: "serviceTokens.rotate",
    button: "Replace the secret",
    about: requireRunning,
    question: (_c, token) =>
      about(token, "Replace this token’s secret?", () => (
        <Switch
          name="end_old"
          label={t`End the old secret now`}
          hint={t`If it may be compromised. Otherwise it works for ten more minutes, so that programs can change over.`}
          state={UNTYPED}
        />
      )),
    async decide({ c, form, administration }, token) {
      const endsOldNow = form.one("end_old") === "on";
      const secret = await administration.serviceTokens.rotate(token.id, endsOldNow);
      return render(
        c,
        <TokenSecretPage
          {...secretPage(c, token, purposeOf(token))}
          secret={secret}
          title="New secret created"
          oldSecret={
            endsOldNow ? "The old secret ends within 10 seconds." : "The old secret works for ten more minutes."
          }
        />,
      );
    },
  }),
  "/tokens/:id/revoke": consoleForm({
    act: "serviceTokens.revoke",
    button: "Revoke the token",
    about: requireToken,
    question: (_c, token) =>
      about(token, "Revoke this token?", () => (
        <p>{t`Programs that use it are refused within 10 seconds. You can’t undo this.`}</p>
      )),
    decide: ({ administration }, { id }) => administration.serviceTokens.revoke(id),
    leadsTo: "/tokens",
    says: {
      revoked: "Token revoked. It stops working within 10 seconds.",
      gone: "That token had already ended.",
    },
  }),
};

function newPersonQuestion(form: Parameters): Question {
  const person = form.one("person") ?? "";
  return {
    title: "Create a token for a new person?",
    lead: later(() => t`Nobody has signed in as ${<bdi>{person}</bdi>} yet.`),
    words: [
      "The token works at once. If the address has a typing mistake, it finds only what everybody may see.",
      "The person appears under People, and keeps the token after their first sign-in.",
    ],
    fields: { ...typed(form), newPerson: person },
    leave: "Back to the tokens",
    back: "/admin/tokens",
  };
}

function about(token: TokenShown, title: string, below: () => Child): Question {
  const { name, abilities, personEmail, lastUsedAt, expiresAt } = token;
  return {
    title,
    lead: later(() => t`The token ${<bdi>{name}</bdi>}.`),
    more: later(() => (
      <>
        <Facts
          facts={[
            [t`Permissions`, abilities.map(knownList).join("; ")],
            ...(personEmail === null ? [] : [[t`As`, personEmail] as const]),
            [t`Last used`, <Moment at={lastUsedAt} />],
            [t`Expires`, <Moment at={expiresAt} />],
          ]}
        />
        {below()}
      </>
    )),
    back: "/admin/tokens",
  };
}

function showForm(c: ConsoleContext, purpose: TokenPurpose, state: FormState): Response | Promise<Response> {
  return render(
    c,
    <NewTokenPage
      purpose={purpose}
      scopes={purpose === "admin" ? ADMIN_SCOPE_OPTIONS : CLIENT_API_SCOPE_OPTIONS}
      state={state}
    />,
    statusOf(state),
  );
}

/** @throws {ApiError} `not_found` if this instance has no token with this id */
async function requireToken(c: ConsoleContext): Promise<TokenShown> {
  const { instance, services } = c.var;
  const token = await services.issuedTokens.find(instance.policy.instanceId, c.req.param("id") ?? "");
  if (token) return toShown(token, epochSeconds());
  throw new ApiError("not_found", { reason: "service_token_unknown", description: "There is no such token" });
}

/** @throws {ApiError} `bad_request` if the token has ended, because it can't get a new secret then */
async function requireRunning(c: ConsoleContext): Promise<TokenShown> {
  const token = await requireToken(c);
  if (token.state === "active") return token;
  throw new ApiError("bad_request", {
    reason: "service_token_ended",
    description: "This token has ended: create a new one",
  });
}

function purposeOf({ kind, scopes }: TokenShown): TokenPurpose {
  if (kind === "client-api") return "person";
  if (kind === "admin") return "admin";
  if (kind === "scim") return "directory";
  return scopes.some((scope) => scope.startsWith("custommetadata:")) ? "metadata" : "documents";
}

function secretPage(
  c: ConsoleContext,
  token: { readonly name: string; readonly scopes: readonly string[] },
  purpose: TokenPurpose,
) {
  const { console: frame, instance } = c.var;
  const example = exampleOf({ issuer: instance.issuer, email: frame.person.email }, purpose, token.scopes);
  return { token, example };
}
