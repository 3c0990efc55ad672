import type { Administration } from "./administration.ts";
import type { Needed } from "./authority.ts";

/** The full name of an act, such as `clients.disable`. */
export type ActName = {
  readonly [Noun in keyof Administration]: `${Noun}.${keyof Administration[Noun] & string}`;
}[keyof Administration];

interface Act {
  /** The scope that it needs, wherever it is called from. */
  readonly scope: Exclude<Needed, "operator">;
  /** Why people may perform it without a fresh sign-in; absent: they may not. */
  readonly anySignIn?: string;
}

export const ENDS = "only ends access, so nothing may delay it in an emergency";
const LOOKS = "changes only what pages look like";

/**
 * What each act needs. This is the only table of who may do what.
 *
 * In a session, an act needs a fresh sign-in unless its row says why not: somebody who uses an unattended or stolen session must not do
 * anything that outlasts it (ASVS 5.0 §7.5.3), such as giving access, sending data elsewhere, or deleting something for good.
 */
export const ACTS: Readonly<Record<ActName, Act>> = {
  "appRules.replace": { scope: "admin:apps" },
  "appRules.limit": { scope: "admin:apps" },
  "appRules.limitMachine": { scope: "admin:security" },
  "audit.authorizeReceiver": { scope: "admin:security" },
  "clients.create": { scope: "admin:apps" },
  "clients.change": { scope: "admin:apps" },
  "clients.rotateSecret": { scope: "admin:apps" },
  "clients.approve": { scope: "admin:apps" },
  "clients.deny": { scope: "admin:apps", anySignIn: ENDS },
  "clients.disable": { scope: "admin:apps", anySignIn: ENDS },
  "clients.enable": { scope: "admin:apps" },
  "clients.remove": { scope: "admin:apps" },
  "content.removeHeld": { scope: "admin:content" },
  "content.discardHeld": { scope: "admin:content", anySignIn: "leaves the documents as they are" },
  "content.bringBack": { scope: "admin:content" },
  "content.eraseRemoved": { scope: "admin:content" },
  // Whoever runs an engine can read all documents in it.
  "documents.move": { scope: "owner" },
  "documents.cancelMove": { scope: "owner", anySignIn: "leaves the documents where they are" },
  "documents.eraseOld": { scope: "owner" },
  "documents.restorePlacement": { scope: "owner" },
  "documents.rewind": { scope: "owner" },
  "glossary.replace": { scope: "admin:content", anySignIn: "changes which words find documents, never who sees them" },
  "grants.revoke": { scope: "admin:apps", anySignIn: ENDS },
  "grants.revokeAll": { scope: "admin:security" },
  "issuers.add": { scope: "admin:security" },
  "issuers.register": { scope: "admin:security" },
  "issuers.edit": { scope: "admin:security" },
  "issuers.disable": { scope: "admin:security", anySignIn: ENDS },
  "issuers.enable": { scope: "admin:security" },
  "issuers.remove": { scope: "admin:security" },
  "logos.put": { scope: "admin:security", anySignIn: LOOKS },
  "logos.remove": { scope: "admin:security", anySignIn: LOOKS },
  "metadata.create": { scope: "admin:content", anySignIn: "shows and removes nothing" },
  "metadata.replace": { scope: "admin:content" },
  "metadata.remove": { scope: "admin:content" },
  // This scope can change the SSO, and so get every other scope. That is why it may also give every role except owner.
  "people.nameRole": { scope: "admin:security" },
  "people.removeRole": { scope: "admin:security", anySignIn: ENDS },
  "people.deactivate": { scope: "admin:people", anySignIn: ENDS },
  "people.deactivateEmail": { scope: "admin:people", anySignIn: ENDS },
  "people.reactivate": { scope: "admin:people" },
  "people.release": { scope: "admin:people" },
  // Permissions can name a service account's groups, so these acts decide which documents it can read.
  "serviceAccounts.create": { scope: "admin:security" },
  "serviceAccounts.change": { scope: "admin:security" },
  "serviceAccounts.disable": { scope: "admin:security", anySignIn: ENDS },
  "serviceAccounts.enable": { scope: "admin:security" },
  "serviceAccounts.remove": { scope: "admin:security" },
  // A Client API token acts as the person that its creator names.
  "serviceTokens.issue": { scope: "admin:security" },
  "serviceTokens.rotate": { scope: "admin:security" },
  "serviceTokens.revoke": { scope: "admin:security", anySignIn: ENDS },
  "sessions.endAll": { scope: "admin:security", anySignIn: ENDS },
  "settings.change": { scope: "admin:security" },
  "signals.put": { scope: "admin:security" },
  "signals.remove": { scope: "admin:security" },
  "signingKeys.rotate": { scope: "admin:security" },
  "singleSignOn.connect": { scope: "admin:security" },
  "singleSignOn.put": { scope: "admin:security" },
  "singleSignOn.remove": { scope: "admin:security" },
};
