import type { Administration } from "./administration.ts";
import type { Needed } from "./authority.ts";

type Nouns = { readonly [Noun in keyof Administration]: keyof Administration[Noun] & string };

/** The full name of an act, such as `clients.disable`. */
export type ActName = { readonly [Noun in keyof Nouns]: `${Noun}.${Nouns[Noun]}` }[keyof Nouns];

/** The scope that each act needs, wherever it is called from. This is the only table of who may do what. */
export const ACT_SCOPES: Readonly<Record<ActName, Needed>> = {
  "appRules.replace": "admin:apps",
  "audit.authorizeReceiver": "admin:security",
  "clients.create": "admin:apps",
  "clients.change": "admin:apps",
  "clients.rotateSecret": "admin:apps",
  "clients.approve": "admin:apps",
  "clients.deny": "admin:apps",
  "clients.disable": "admin:apps",
  "clients.enable": "admin:apps",
  "clients.remove": "admin:apps",
  "clients.decideAll": "admin:apps",
  // Whoever runs an engine can read all documents in it.
  "documents.move": "owner",
  "documents.cancelMove": "owner",
  "documents.eraseOld": "owner",
  "documents.restorePlacement": "owner",
  "grants.revoke": "admin:apps",
  "grants.revokeAll": "admin:security",
  "instances.create": "operator",
  "issuers.add": "admin:security",
  "issuers.register": "admin:security",
  "issuers.edit": "admin:security",
  "issuers.disable": "admin:security",
  "issuers.enable": "admin:security",
  "issuers.remove": "admin:security",
  "logos.put": "admin:security",
  "logos.remove": "admin:security",
  "masterKeys.reseal": "operator",
  "metadata.create": "admin:content",
  "metadata.replace": "admin:content",
  "metadata.remove": "admin:content",
  // This scope can change the SSO, and so get every other scope. That is why it may also give every role except owner.
  "people.nameRole": "admin:security",
  "people.removeRole": "admin:security",
  "people.deactivate": "admin:people",
  "people.deactivateEmail": "admin:people",
  "people.reactivate": "admin:people",
  "people.release": "admin:people",
  // Permissions can name a service account's groups, so these acts decide which documents it can read.
  "serviceAccounts.create": "admin:security",
  "serviceAccounts.change": "admin:security",
  "serviceAccounts.disable": "admin:security",
  "serviceAccounts.enable": "admin:security",
  "serviceAccounts.remove": "admin:security",
  // A Client API token acts as the person that its creator names.
  "serviceTokens.issue": "admin:security",
  "serviceTokens.rotate": "admin:security",
  "serviceTokens.revoke": "admin:security",
  "sessions.endAll": "admin:security",
  "settings.change": "admin:security",
  "signals.put": "admin:security",
  "signals.remove": "admin:security",
  "signingKeys.rotate": "admin:security",
  "singleSignOn.connect": "admin:security",
};

/**
 * Whether an act needs a fresh sign-in, where people perform it in a session. Somebody who uses an unattended or stolen session must
 * not do anything that outlasts it (ASVS 5.0 §7.5.3):
 *
 * - `fresh`: it gives access, sends data elsewhere, shows a secret, or removes for good or earlier what is kept;
 * - `any`: it only ends access, so nothing may delay it in an emergency; or it does nothing of the above;
 * - `by form`: some of its forms do; the console says which, and the others need a fresh sign-in too if it says nothing.
 */
type SignIn = "fresh" | "any" | "by form";

/** The sign-in that each act needs. */
export const ACT_SIGN_INS: Readonly<Record<ActName, SignIn>> = {
  "appRules.replace": "fresh",
  "audit.authorizeReceiver": "fresh",
  "clients.create": "fresh",
  "clients.change": "fresh",
  "clients.rotateSecret": "fresh",
  "clients.approve": "fresh",
  "clients.deny": "any",
  "clients.disable": "any",
  "clients.enable": "fresh",
  "clients.remove": "fresh",
  "clients.decideAll": "by form",
  "documents.move": "fresh",
  "documents.cancelMove": "any",
  "documents.eraseOld": "fresh",
  "documents.restorePlacement": "fresh",
  "grants.revoke": "any",
  "grants.revokeAll": "fresh",
  "instances.create": "fresh",
  "issuers.add": "fresh",
  "issuers.register": "fresh",
  "issuers.edit": "fresh",
  "issuers.disable": "any",
  "issuers.enable": "fresh",
  "issuers.remove": "fresh",
  "logos.put": "any",
  "logos.remove": "any",
  "masterKeys.reseal": "fresh",
  "metadata.create": "any",
  "metadata.replace": "by form",
  "metadata.remove": "fresh",
  "people.nameRole": "fresh",
  "people.removeRole": "any",
  "people.deactivate": "any",
  "people.deactivateEmail": "any",
  "people.reactivate": "fresh",
  "people.release": "fresh",
  "serviceAccounts.create": "fresh",
  "serviceAccounts.change": "fresh",
  "serviceAccounts.disable": "any",
  "serviceAccounts.enable": "fresh",
  "serviceAccounts.remove": "fresh",
  "serviceTokens.issue": "fresh",
  "serviceTokens.rotate": "fresh",
  "serviceTokens.revoke": "any",
  "sessions.endAll": "any",
  "settings.change": "fresh",
  "signals.put": "fresh",
  "signals.remove": "fresh",
  "signingKeys.rotate": "by form",
  "singleSignOn.connect": "fresh",
};
