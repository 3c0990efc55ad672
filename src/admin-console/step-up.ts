import type { SteppedUpForm } from "#session/step-up.ts";
import { formAt } from "./form-acts.ts";

/**
 * The decisions that need a fresh sign-in, by the path of their form below `/admin`. They permanently delete something, show a new
 * secret, or create access that outlasts the session. Decisions that only end access (revoke, disable) don't need one, so that nothing
 * delays them in an emergency.
 */
export const STEPPED_UP_FORMS: ReadonlyMap<string, SteppedUpForm> = new Map([
  ["/clients/new", { act: "Create the app", when: (form) => form.all("kind").some((kind) => kind !== "public") }],
  // Somebody who changes an app's keys or redirect URIs can act as the app.
  ["/clients/:clientId", { act: "Save the app" }],
  ["/clients/:clientId/rotate-secret", { act: "Replace the secret" }],
  ["/clients/:clientId/delete", { act: "Delete the app" }],
  ["/clients/delete", { act: "Delete the app" }],
  [
    "/clients/decide",
    {
      act: "Delete the apps",
      when: (form) => form.one("decision") === "delete" && form.one("confirmed") === "yes",
    },
  ],
  ["/single-sign-on", { act: "Save the connection" }],
  ["/issuers/new", { act: "Add the issuer" }],
  ["/issuers/issuer", { act: "Save the issuer" }],
  ["/issuers/remove", { act: "Remove the issuer" }],
  ["/signals/transmitter", { act: "Save the transmitter" }],
  ["/audit/receiver/authorization", { act: "Save the header" }],
  ["/metadata/groups/:group/schema", { act: "Delete the keys", when: (form) => form.all("dropped").length > 0 }],
  ["/metadata/groups/:group/delete", { act: "Delete the group" }],
  ["/document-storage/move", { act: "Move the documents" }],
  ["/document-storage/erase-old", { act: "Delete the old documents" }],
  ["/keys/rotate", { act: "Replace the key", when: (form) => form.all("reason").includes("compromised") }],
  ["/people", { act: "Give the role" }],
  ["/people/:id/release", { act: "Release the person" }],
  ["/people/:id/role", { act: "Change the role", when: (form) => form.one("role") !== "none" }],
  ["/tokens/new", { act: "Create the token" }],
  ["/tokens/:id/rotate", { act: "Replace the secret" }],
  ["/service-accounts/new", { act: "Create the service account" }],
  // Somebody who changes how a service account authenticates can act as that service account.
  ["/service-accounts/:id", { act: "Save the service account" }],
  ["/service-accounts/:id/delete", { act: "Delete the service account" }],
  ["/settings/end-grants", { act: "End every app’s access" }],
] satisfies [string, SteppedUpForm][]);

/** Returns the form at an address, if it needs a fresh sign-in. */
export function steppedUpFormAt(address: string): SteppedUpForm | undefined {
  return STEPPED_UP_FORMS.get(formAt(address) ?? "");
}
