import type { Administration } from "#administration/administration.ts";
import { AppRuleActs } from "#administration/app-rule-acts.ts";
import { AuditActs } from "#administration/audit-acts.ts";
import type { Decider } from "#administration/acts.ts";
import { ClientActs } from "#administration/client-acts.ts";
import { ContentActs } from "#administration/content-acts.ts";
import { DocumentActs } from "#administration/document-acts.ts";
import { GlossaryActs } from "#administration/glossary-acts.ts";
import { GrantActs } from "#administration/grant-acts.ts";
import { IssuerActs } from "#administration/issuer-acts.ts";
import { LogoActs } from "#administration/logo-acts.ts";
import { MetadataActs } from "#administration/metadata-acts.ts";
import { PeopleActs } from "#administration/people-acts.ts";
import { ServiceAccountActs } from "#administration/service-account-acts.ts";
import { ServiceTokenActs } from "#administration/service-token-acts.ts";
import { SessionActs } from "#administration/session-acts.ts";
import { SettingsActs } from "#administration/settings-acts.ts";
import { SignalActs } from "#administration/signal-acts.ts";
import { SigningKeyActs } from "#administration/signing-key-acts.ts";
import { SingleSignOnActs } from "#administration/single-sign-on-acts.ts";
import type { Shared } from "./shared.ts";

/** Creates the acts of administrators, for whoever decides. */
export function createAdministration(shared: Shared, by: Decider): Administration {
  const { stores, keyring } = shared;
  const { instances } = stores;
  const bound = { ...shared, by };
  return {
    appRules: new AppRuleActs(bound, { store: stores.appRules }),
    glossary: new GlossaryActs(bound, { store: stores.glossaries }),
    audit: new AuditActs(bound, { deliveries: shared.auditDelivery, store: stores.auditDeliveries, keyring }),
    clients: new ClientActs(bound, { decisions: stores.clientDecisions, directory: stores.clientDirectory }),
    content: new ContentActs(bound, { audit: stores.audit, documents: shared.documents }),
    documents: new DocumentActs(bound, { moves: stores.moves, engines: shared.engines }),
    grants: new GrantActs(bound, { store: stores.grants }),
    issuers: new IssuerActs(bound, {
      instances,
      store: stores.externalIssuers,
      hostPattern: shared.naming.pattern,
    }),
    logos: new LogoActs(bound, { store: stores.logos }),
    metadata: new MetadataActs(bound, { store: stores.groupSchemas, documents: shared.documents }),
    people: new PeopleActs(bound, { people: stores.standings }),
    serviceAccounts: new ServiceAccountActs(bound, { store: stores.serviceAccounts }),
    serviceTokens: new ServiceTokenActs(bound, { store: stores.serviceTokens }),
    sessions: new SessionActs(bound, { store: stores.sessions }),
    settings: new SettingsActs(bound, { instances }),
    signals: new SignalActs(bound, { store: stores.transmitters }),
    signingKeys: new SigningKeyActs(bound, { keys: shared.signingKeys }),
    singleSignOn: new SingleSignOnActs(bound, { instances, issuers: stores.externalIssuers, keyring }),
  };
}
