import { ACT_SIGN_INS } from "#administration/act-scopes.ts";
import type { SteppedUpForm } from "#session/step-up.ts";
import { FORM_ACTS, formAt } from "./form-acts.ts";

/** Forms that only end access, or change nothing, although their acts can do more ({@link ACT_SIGN_INS}). */
const WITHOUT = new Set([
  "/oauth/disable",
  "/clients/disable",
  "/settings/refuse-external-tokens",
  "/single-sign-on/test",
  // The receiver gets these entries within a minute anyway.
  "/audit/receiver/deliver",
]);

/** The labels of forms that need a fresh sign-in, by their path below `/admin`, and which of the forms sent there do. */
const FORMS: ReadonlyMap<string, SteppedUpForm> = new Map([
  ["/oauth", { act: "Save the settings" }],
  ["/oauth/enable", { act: "Switch OAuth on" }],
  ["/clients/new", { act: "Create the app" }],
  ["/clients/rules", { act: "Save who may use the app" }],
  ["/clients/app", { act: "Save the app" }],
  ["/clients/approve", { act: "Approve the app" }],
  ["/clients/enable", { act: "Enable the app" }],
  // Somebody who changes an app's keys or redirect URIs can act as the app.
  ["/clients/:clientId", { act: "Save the app" }],
  ["/clients/:clientId/rotate-secret", { act: "Replace the secret" }],
  ["/clients/:clientId/enable", { act: "Enable the app" }],
  ["/clients/:clientId/delete", { act: "Delete the app" }],
  ["/clients/delete", { act: "Delete the app" }],
  [
    "/clients/decide",
    {
      act: "Decide about the apps",
      when: (form) =>
        form.one("decision") !== "disable" && (form.one("decision") !== "delete" || form.one("confirmed") === "yes"),
    },
  ],
  ["/registration", { act: "Save the settings" }],
  ["/single-sign-on", { act: "Save the connection" }],
  ["/issuers/new", { act: "Add the issuer" }],
  ["/issuers/issuer", { act: "Save the issuer" }],
  ["/issuers/enable", { act: "Enable the issuer" }],
  ["/issuers/remove", { act: "Remove the issuer" }],
  ["/signals/transmitter", { act: "Save the transmitter" }],
  ["/signals/remove", { act: "Remove the transmitter" }],
  ["/audit/receiver", { act: "Save the receiver" }],
  ["/audit/receiver/authorization", { act: "Save the header" }],
  ["/metadata/groups/:group/schema", { act: "Delete the keys", when: (form) => form.all("dropped").length > 0 }],
  ["/metadata/groups/:group/delete", { act: "Delete the group" }],
  ["/document-storage/move", { act: "Move the documents" }],
  ["/document-storage/erase-old", { act: "Delete the old documents" }],
  ["/keys/rotate", { act: "Replace the key", when: (form) => form.all("reason").includes("compromised") }],
  ["/people", { act: "Give the role" }],
  ["/people/:id/reactivate", { act: "Reactivate the person" }],
  ["/people/:id/release", { act: "Release the person" }],
  ["/people/:id/role", { act: "Change the role", when: (form) => form.one("role") !== "none" }],
  ["/tokens/new", { act: "Create the token" }],
  ["/tokens/:id/rotate", { act: "Replace the secret" }],
  ["/service-accounts/new", { act: "Create the service account" }],
  // Somebody who changes how a service account authenticates can act as that service account.
  ["/service-accounts/:id", { act: "Save the service account" }],
  ["/service-accounts/:id/enable", { act: "Enable the service account" }],
  ["/service-accounts/:id/delete", { act: "Delete the service account" }],
  ["/settings", { act: "Save the settings" }],
  ["/settings/end-grants", { act: "End every app’s access" }],
  ["/settings/take-external-tokens", { act: "Accept external tokens" }],
] satisfies [string, SteppedUpForm][]);

/**
 * Returns the form at an address, if it needs a fresh sign-in: by its act, so that a form that is missing in the table above is asked
 * for one, too.
 */
export function steppedUpFormAt(address: string): SteppedUpForm | undefined {
  const path = formAt(address) ?? "";
  const act = FORM_ACTS[path];
  if (act === undefined || ACT_SIGN_INS[act] === "any" || WITHOUT.has(path)) return undefined;
  return FORMS.get(path) ?? { act: "Confirm the decision" };
}
