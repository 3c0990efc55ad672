import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import { found } from "#administration/found.ts";
import type { ConsoleContext } from "#admin-console/http.ts";
import { lineOf, linesOf, readForm, statusOf, storedForm } from "#admin-console/form-values.ts";
import { scopesInWords, SERVICE_ACCOUNT_SCOPE_OPTIONS } from "#admin-console/scope-options.ts";
import { enteredKeys, requireEnteredKeys } from "#clients/client-keys.ts";
import { fieldsOf, type FormState, withOptions } from "#platform/described-members.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { API_SCOPES } from "#protocol/scopes.ts";
import type { MachineProof, ServiceAccount, ServiceAccountDraft } from "#service-accounts/service-account.ts";
import { ACCOUNT_MEMBERS, WORKLOAD_MEMBERS } from "#service-accounts/service-account-members.ts";
import type { WorkloadRule } from "#service-accounts/workload-rule.ts";
import { ServiceAccountPage } from "./views/service-account-page.tsx";
import { ServiceAccountsPage } from "./views/service-accounts-page.tsx";

const FIELDS = withOptions(fieldsOf(ACCOUNT_MEMBERS, ["name", "groups", "scopes"]), {
  scopes: SERVICE_ACCOUNT_SCOPE_OPTIONS,
});

const WORKLOAD = fieldsOf(WORKLOAD_MEMBERS, ["issuer", "claims", "jwksUri", "isSingleUse"]);

const ACCOUNT = "/service-accounts/:id";

/** The machines that have access of their own. Somebody who changes how one authenticates can act as it. */
export const SERVICE_ACCOUNT_PATHS: ConsolePaths = {
  "/service-accounts": {
    page: async (c) => {
      const { instance, services } = c.var;
      const accounts = await services.serviceAccounts.list(instance.policy.instanceId);
      return render(
        c,
        <ServiceAccountsPage
          tokenEndpoint={instance.issuer + ENDPOINTS.token}
          accounts={accounts.map(({ proof, scopes, ...account }) => ({
            ...account,
            proof: inWords(proof),
            scopes: scopesInWords(scopes),
          }))}
        />,
      );
    },
  },
  "/service-accounts/new": consoleForm({
    page: (c) => show(c, undefined, { values: { scopes: ["SEARCH"], proof: ["keys"] }, errors: {} }),
    act: "serviceAccounts.create",
    button: "Create the service account",
    decide: async ({ form, administration }) =>
      administration.serviceAccounts.create({ name: lineOf(form, "name") ?? "", ...draftOf(form) }),
    again: ({ c }, state) => show(c, undefined, state),
    leadsTo: ACCOUNT,
    at: ({ id }) => `/admin/service-accounts/${id}`,
    says: { created: "Service account created. It can get tokens now." },
  }),
  [ACCOUNT]: consoleForm({
    page: async (c) => {
      const account = await requireAccount(c);
      return show(c, account, { values: valuesOf(account), errors: {} });
    },
    act: "serviceAccounts.change",
    button: "Save the service account",
    about: requireAccount,
    decide: async ({ form, administration }, account) => administration.serviceAccounts.change(account, draftOf(form)),
    again: ({ c }, state, account) => show(c, account, state),
    says: { saved: "Service account saved." },
  }),
  "/service-accounts/:id/disable": consoleForm({
    act: "serviceAccounts.disable",
    button: "Disable the service account",
    about: requireAccount,
    question: (_c, { name }) => ({
      title: `Disable “${name}”?`,
      words:
        "It can’t get new tokens, and its existing tokens stop working within 10 seconds. You can enable it again.",
    }),
    decide: ({ administration }, { id }) => administration.serviceAccounts.disable(id),
    leadsTo: ACCOUNT,
    says: { disabled: "Service account disabled." },
  }),
  "/service-accounts/:id/enable": consoleForm({
    act: "serviceAccounts.enable",
    button: "Enable the service account",
    about: requireAccount,
    decide: ({ administration }, { id }) => administration.serviceAccounts.enable(id),
    leadsTo: ACCOUNT,
    says: { enabled: "Service account enabled." },
  }),
  "/service-accounts/:id/delete": consoleForm({
    act: "serviceAccounts.remove",
    button: "Delete the service account",
    about: requireAccount,
    question: (_c, { name }) => ({
      title: `Delete “${name}”?`,
      words: "Its tokens stop working within 10 seconds, and its client id never works again. You can’t undo this.",
    }),
    decide: ({ administration }, { id }) => administration.serviceAccounts.remove(id),
    leadsTo: "/service-accounts",
    says: { deleted: "Service account deleted." },
  }),
};

function show(c: ConsoleContext, stored: ServiceAccount | undefined, state: FormState): Response | Promise<Response> {
  const { name, ...others } = FIELDS;
  const fields = stored ? others : { name, ...others };
  return render(c, <ServiceAccountPage {...{ state, fields, stored }} workload={WORKLOAD} />, statusOf(state));
}

/** Reads the form except the name. @throws {AdministrationRefused} with the field that can't be read */
function draftOf(form: Parameters): Omit<ServiceAccountDraft, "name"> {
  return {
    groups: linesOf(form, "groups"),
    scopes: API_SCOPES.filter((scope) => form.all("scopes").includes(scope)),
    proof: proofOf(form),
  };
}

function inWords(proof: MachineProof): string {
  if ("keys" in proof) return "Its own key";
  return "client" in proof ? `The app ${proof.client}` : `Tokens of ${proof.workload.issuer}`;
}

function proofOf(form: Parameters): MachineProof {
  if (form.one("proof") === "client") return { client: lineOf(form, "client") ?? "" };
  if (form.one("proof") !== "workload") return { keys: requireEnteredKeys(form.one("keys") ?? "") };
  const { issuer = "", jwksUri, ...rest } = readForm(WORKLOAD, form, {});
  return { workload: { ...rest, issuer, ...(jwksUri !== undefined && { jwksUri }) } as WorkloadRule };
}

function valuesOf({ groups, scopes, proof }: ServiceAccount): FormState["values"] {
  const common = { groups, scopes };
  if ("keys" in proof) return { ...common, proof: ["keys"], keys: [enteredKeys(proof.keys)] };
  if ("client" in proof) return { ...common, proof: ["client"], client: proof.client };
  return { ...common, proof: ["workload"], ...storedForm(WORKLOAD, proof.workload).values };
}

/** Returns the account in the address. @throws {ApiError} `not_found` if this instance has no such account */
function requireAccount(c: ConsoleContext): Promise<ServiceAccount> {
  const { instance, services } = c.var;
  const id = c.req.param("id") ?? "";
  return found(services.serviceAccounts.find(instance.policy.instanceId, id), "service account");
}
