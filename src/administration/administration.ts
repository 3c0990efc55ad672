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
