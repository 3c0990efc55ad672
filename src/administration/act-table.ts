import { type Authority, type Needed, requireScope } from "./authority.ts";
import type { AppRuleActs } from "./app-rule-acts.ts";
import type { AuditActs } from "./audit-acts.ts";
import type { ClientActs } from "./client-acts.ts";
import type { ContentActs } from "./content-acts.ts";
import type { DocumentActs } from "./document-acts.ts";
import type { GlossaryActs } from "./glossary-acts.ts";
import type { GrantActs } from "./grant-acts.ts";
import type { IssuerActs } from "./issuer-acts.ts";
import type { LogoActs } from "./logo-acts.ts";
import type { MetadataActs } from "./metadata-acts.ts";
import type { PeopleActs } from "./people-acts.ts";
import type { ServiceAccountActs } from "./service-account-acts.ts";
import type { ServiceTokenActs } from "./service-token-acts.ts";
import type { SessionActs } from "./session-acts.ts";
import type { SettingsActs } from "./settings-acts.ts";
import type { SignalActs } from "./signal-acts.ts";
import type { SigningKeyActs } from "./signing-key-acts.ts";
import type { SingleSignOnActs } from "./single-sign-on-acts.ts";

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

/** All decisions of administrators about an instance, by their subject. */
export interface Administration {
  readonly appRules: AppRuleActs;
  readonly glossary: GlossaryActs;
  readonly audit: AuditActs;
  readonly clients: ClientActs;
  readonly content: ContentActs;
  readonly documents: DocumentActs;
  readonly grants: GrantActs;
  readonly issuers: IssuerActs;
  readonly logos: LogoActs;
  readonly metadata: MetadataActs;
  readonly people: PeopleActs;
  readonly serviceAccounts: ServiceAccountActs;
  readonly serviceTokens: ServiceTokenActs;
  readonly sessions: SessionActs;
  readonly settings: SettingsActs;
  readonly signals: SignalActs;
  readonly signingKeys: SigningKeyActs;
  readonly singleSignOn: SingleSignOnActs;
}

/**
 * Returns the same acts, each of which first checks that the authority allows it ({@link ACTS}).
 *
 * @param isAsked whether the sender was asked for a fresh sign-in, if the act needs one. Without it, acts are performed by programs,
 *   which have no session
 */
export function boundedBy(
  authority: Authority,
  administration: Administration,
  isAsked: (act: ActName) => boolean = () => true,
): Administration {
  const bounded = (noun: string, acts: object) =>
    new Proxy(acts, {
      get:
        (target, act) =>
        async (...given: unknown[]) => {
          const name = `${noun}.${String(act)}` as ActName;
          const { scope, anySignIn } = ACTS[name];
          requireScope(authority, scope);
          if (anySignIn === undefined && !isAsked(name))
            throw new Error(`No form asks for a fresh sign-in for ${name}`);
          return (Reflect.get(target, act) as (...given: unknown[]) => unknown).apply(target, given);
        },
    });
  return Object.fromEntries(
    Object.entries(administration).map(([noun, acts]) => [noun, bounded(noun, acts)]),
  ) as unknown as Administration;
}
