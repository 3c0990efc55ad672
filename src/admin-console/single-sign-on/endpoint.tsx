import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import { BY_HAND } from "#admin-console/issuers/preset-form.ts";
import { found } from "#administration/found.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { ConsoleContext } from "#admin-console/http.ts";
import { lineOf, statusOf, typed } from "#admin-console/form-values.ts";
import type { ConnectionStep } from "#connection-attempts/connection-step.ts";
import { PROVIDERS } from "#issuers/presets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { counted } from "#pages/views/count.ts";
import type { Finding } from "#platform/finding.ts";
import { readQuery } from "#platform/http.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import { labelOf, nextNumber, ssoOfIssuer } from "#single-sign-on/choosing.ts";
import {
  normalised,
  replacedBy,
  requireApart,
  requireConnection,
  SINGLE_SIGN_ONS_MAX,
} from "#single-sign-on/connection.ts";
import { callbackUri } from "#single-sign-on/sign-in.ts";
import type { FormState } from "#platform/described-members.ts";
import { providerForm, readConnection, storedConnection } from "./connection-form.ts";
import { ChooseSsoPage, SingleSignOnPage } from "./views/single-sign-on-page.tsx";
import { SingleSignOnsPage } from "./views/single-sign-ons-page.tsx";

const REFUSED_SHOWN = 5;

const SSO = "/single-sign-on";

/** The SSOs where people sign in. */
export const SINGLE_SIGN_ON_PATHS: ConsolePaths = {
  // The only SSO; with several, their list, or the one that `issuer` names.
  [SSO]: consoleForm({
    page: async (c) => {
      const ssos = c.var.instance.policy.singleSignOns;
      const [issuer] = readQuery(c).all("issuer");
      if (issuer === undefined && ssos.length > 1) return showList(c);
      const sso = issuer === undefined ? ssos[0] : await requireSso(c, issuer);
      return show(c, sso, storedConnection(sso));
    },
    // With another issuer, everybody gets a new account, so the form asks for confirmation first.
    act: "singleSignOn.connect",
    button: "Save the connection",
    async decide({ c, form, administration }) {
      const { order, record } = await readOrder(c, form);
      if (isAnotherIssuer(record, order) && form.one("confirmed") !== "on") return askForNewIssuer(c, form);
      return administration.singleSignOn.connect(order);
    },
    again: ({ c, form }, state) => show(c, shownIn(c, form), state, { form }),
    says: { saved: "Connection saved. Sign-ins use it within 10 seconds." },
  }),
  "/single-sign-on/add": consoleForm({
    page: (c) => show(c, "another", storedConnection(undefined)),
    act: "singleSignOn.put",
    button: "Add the single sign-on",
    async decide({ c, form, administration }) {
      const { order, record } = await readOrder(c, form);
      requireApart(record.singleSignOns, order);
      await administration.singleSignOn.put(order);
    },
    again: ({ c, form }, state) => show(c, "another", state, { form }),
    leadsTo: SSO,
    says: { added: "Single sign-on added. People can choose it within 10 seconds." },
  }),
  // Tests the connection in the form, saved or not.
  "/single-sign-on/test": consoleForm({
    act: "singleSignOn.connect",
    button: "Test",
    anySignIn: "stores nothing",
    async decide({ c, form }) {
      const shown = shownIn(c, form);
      const { order, record } = await readOrder(c, form);
      const steps = await c.var.services.connectionCheck.check(record, order, redirectUriOf(c, shown));
      return show(c, shown, { values: typed(form), errors: {} }, { form, steps });
    },
    again: ({ c, form }, state) => show(c, shownIn(c, form), state, { form }),
  }),
  "/single-sign-on/remove": consoleForm({
    act: "singleSignOn.remove",
    button: "Remove the single sign-on",
    about: (c, field) => requireSso(c, field("issuer")),
    async question(c, sso) {
      const people = await c.var.services.people.countOf(c.var.instance.policy.instanceId, sso.issuer);
      return {
        title: `Remove “${labelOf(sso)}”?`,
        words:
          `${counted(people, "person has", "people have")} signed in there. Their sessions, their apps’ access and their tokens ` +
          "end within 10 seconds, and they can’t sign in any more. Their email addresses stay taken: to let them sign in elsewhere, " +
          "release these under People. Nothing changes for the people of the others.",
        fields: { issuer: sso.issuer },
        back: pathOf(sso),
      };
    },
    decide: ({ administration }, { issuer }) => administration.singleSignOn.remove(issuer),
    leadsTo: SSO,
    says: { removed: "Single sign-on removed. What people got there ends within 10 seconds." },
  }),
};

/** Reads the form, and checks it as far as it is about this connection alone. */
async function readOrder(c: ConsoleContext, form: Parameters) {
  const order = normalised(readConnection(form));
  const record = await c.var.services.instances.require(c.var.instance.policy.name);
  requireConnection(record.singleSignOns, order);
  return { order, record };
}

/** The SSO whose form a page shows: a stored one, none yet, or another one. */
type Shown = SingleSignOn | "another" | undefined;

/** Returns the SSO whose form was sent. */
function shownIn(c: ConsoleContext, form: Parameters): Shown {
  if (form.one("adding") === "on") return "another";
  return replacedBy(c.var.instance.policy.singleSignOns, { issuer: lineOf(form, "issuer") ?? "" });
}

function askForNewIssuer(c: ConsoleContext, form: Parameters): Promise<Response> {
  const message = "You are changing the issuer. Read what this means, then confirm it";
  return show(c, shownIn(c, form), { values: typed(form), errors: { confirmed: message } }, { form });
}

function isAnotherIssuer({ singleSignOns }: InstanceRecord, { issuer }: Pick<SingleSignOn, "issuer">): boolean {
  const [only] = singleSignOns;
  return only !== undefined && singleSignOns.length === 1 && only.issuer !== issuer;
}

async function showList(c: ConsoleContext): Promise<Response> {
  const { instance, services } = c.var;
  const ssos = instance.policy.singleSignOns.map(async (sso) => ({
    path: pathOf(sso),
    label: labelOf(sso),
    issuer: sso.issuer,
    domains: sso.emailDomains ?? [],
    people: await services.people.countOf(instance.policy.instanceId, sso.issuer),
  }));
  return render(
    c,
    <SingleSignOnsPage
      ssos={await Promise.all(ssos)}
      hasRoom={ssos.length < SINGLE_SIGN_ONS_MAX}
      refused={await refusedSignIns(c)}
    />,
  );
}

async function show(
  c: ConsoleContext,
  shown: Shown,
  state: FormState,
  { form, steps }: { readonly form?: Parameters; readonly steps?: readonly Finding[] } = {},
): Promise<Response> {
  const { instance, services } = c.var;
  const { instanceId, singleSignOns } = instance.policy;
  const stored = shown === "another" ? undefined : shown;
  // The short form of a provider would end what else a stored connection decides.
  const chosen = stored ? BY_HAND : readQuery(c).all("preset")[0];
  const preset = form ? (form.one("preset") ?? BY_HAND) : chosen;
  if (shown === "another" && preset === undefined) {
    return render(c, <ChooseSsoPage place="another" providers={PROVIDERS} />);
  }
  return render(
    c,
    <SingleSignOnPage
      {...providerForm(preset, state)}
      refused={shown === "another" ? [] : await refusedSignIns(c)}
      redirectUri={redirectUriOf(c, shown)}
      connected={stored && { issuer: stored.issuer, people: await services.people.countOf(instanceId, stored.issuer) }}
      place={
        shown === "another" ? "another" : singleSignOns.length > 1 || stored?.number ? "one of several" : "the only one"
      }
      removal={stored && singleSignOns.length > 1 ? pathOf(stored, "/remove") : undefined}
      isSecretTyped={form?.one("clientSecret") !== undefined}
      steps={steps}
    />,
    statusOf(state),
  );
}

async function refusedSignIns(c: ConsoleContext): Promise<readonly ConnectionStep[]> {
  const attempts = await c.var.services.connectionAttempts.recent(c.var.instance.policy.instanceId);
  const refused = attempts
    .flatMap((attempt) => attempt.steps)
    .filter(({ step, reason }) => step === "sign-in" && reason !== null);
  return refused.toSorted((one, other) => other.at - one.at).slice(0, REFUSED_SHOWN);
}

function redirectUriOf(c: ConsoleContext, shown: Shown): string {
  const number = shown === "another" ? nextNumber(c.var.instance.policy.singleSignOns) : shown?.number;
  return callbackUri(c.var.instance, { number });
}

function pathOf({ issuer }: SingleSignOn, page = ""): string {
  return `/admin/single-sign-on${page}?${new URLSearchParams({ issuer }).toString()}`;
}

/** Returns a connected SSO. @throws {ApiError} `not_found` if this instance has none with that issuer */
function requireSso(c: ConsoleContext, issuer = ""): Promise<SingleSignOn> {
  const sso = ssoOfIssuer(c.var.instance.policy.singleSignOns, issuer);
  return found(Promise.resolve(sso ?? null), "single sign-on");
}
