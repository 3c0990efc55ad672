import type { D1Instances } from "#instance/instances.d1.ts";
import type { Administration, DeploymentActs } from "#administration/administration.ts";
import { AppRuleActs } from "#administration/app-rule-acts.ts";
import { AuditActs } from "#administration/audit-acts.ts";
import type { Decider } from "#administration/acts.ts";
import { ClientActs } from "#administration/client-acts.ts";
import { ContentActs } from "#administration/content-acts.ts";
import { DocumentActs } from "#administration/document-acts.ts";
import { GlossaryActs } from "#administration/glossary-acts.ts";
import { GrantActs } from "#administration/grant-acts.ts";
import { InstanceActs } from "#administration/instance-acts.ts";
import { IssuerActs } from "#administration/issuer-acts.ts";
import { LogoActs } from "#administration/logo-acts.ts";
import { MasterKeyActs } from "#administration/master-key-acts.ts";
import { MetadataActs } from "#administration/metadata-acts.ts";
import { PeopleActs } from "#administration/people-acts.ts";
import { ServiceAccountActs } from "#administration/service-account-acts.ts";
import { ServiceTokenActs } from "#administration/service-token-acts.ts";
import { SessionActs } from "#administration/session-acts.ts";
import { SettingsActs } from "#administration/settings-acts.ts";
import { SignalActs } from "#administration/signal-acts.ts";
import { SigningKeyActs } from "#administration/signing-key-acts.ts";
import { SingleSignOnActs } from "#administration/single-sign-on-acts.ts";
import type { TakeEffect } from "#administration/take-effect.ts";
import { AuditDelivery } from "#audit/audit-delivery.ts";
import { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import { Keyring } from "#crypto/keyring.ts";
import { Engines } from "#documents/moving/engines.ts";
import { RemoteDocuments } from "#documents/remote-documents.ts";
import { Grants } from "#grants/grants.ts";
import { IssuerDirectory } from "#issuers/registration.ts";
import type { Clock } from "#platform/clock.ts";
import type { Stores } from "./stores.ts";

/** What the acts need in addition to stores. */
interface SharedWithActs {
  readonly instances: D1Instances;
  readonly issuerDirectory: IssuerDirectory;
  readonly hostPattern: string;
  readonly grants: Grants;
  readonly signingKeys: SigningKeys;
  readonly auditDelivery: AuditDelivery;
  readonly documents: RemoteDocuments;
  readonly engines: Engines;
  readonly keyring: Keyring;
  readonly takeEffect: TakeEffect;
  readonly clock: Clock;
}

/** Creates the acts of the deployment's operator. */
export function createDeploymentActs(stores: Stores, shared: SharedWithActs): DeploymentActs {
  const { instances, keyring } = shared;
  return {
    instances: new InstanceActs(shared, { instances }),
    masterKeys: new MasterKeyActs(shared, { secrets: stores.sealedSecrets, keyring }),
  };
}

/** Creates the acts of administrators, for whoever decides. */
export function createAdministration(stores: Stores, shared: SharedWithActs, by: Decider): Administration {
  const { instances, keyring } = shared;
  const bound = { ...shared, by };
  return {
    appRules: new AppRuleActs(bound, { store: stores.appRules }),
    glossary: new GlossaryActs(bound, { store: stores.glossaries }),
    audit: new AuditActs(bound, { deliveries: shared.auditDelivery, store: stores.auditDeliveries, keyring }),
    clients: new ClientActs(bound, { decisions: stores.clientDecisions, directory: stores.clientDirectory }),
    content: new ContentActs(bound, { audit: stores.audit, documents: shared.documents }),
    documents: new DocumentActs(bound, { moves: stores.moves, engines: shared.engines }),
    grants: new GrantActs(bound, shared.grants),
    issuers: new IssuerActs(bound, {
      instances,
      directory: shared.issuerDirectory,
      store: stores.externalIssuers,
      hostPattern: shared.hostPattern,
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
    singleSignOn: new SingleSignOnActs(bound, { instances, keyring }),
  };
}
