import type { Administration } from "#administration/administration.ts";
import { AppRuleActs } from "#administration/app-rule-acts.ts";
import { AuditActs } from "#administration/audit-acts.ts";
import type { Authority } from "#administration/authority.ts";
import { ClientActs } from "#administration/client-acts.ts";
import { DocumentActs } from "#administration/document-acts.ts";
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
import { Instances } from "#instance/instances.ts";
import { IssuerDirectory } from "#issuers/registration.ts";
import type { Clock } from "#platform/clock.ts";
import type { Stores } from "./stores.ts";

/** What the acts need in addition to stores. */
interface SharedWithActs {
  readonly instances: Instances;
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

/** Creates the acts of administrators, limited to this authority. */
export function createAdministration(stores: Stores, shared: SharedWithActs, authority: Authority) {
  const { instances, keyring, takeEffect, clock } = shared;
  return {
    appRules: new AppRuleActs(stores.appRules, takeEffect, clock),
    audit: new AuditActs(shared.auditDelivery, stores.auditDeliveries, keyring, takeEffect, clock),
    clients: new ClientActs(stores.clientDecisions, stores.clientDirectory, takeEffect, clock),
    documents: new DocumentActs(stores.moves, shared.engines, takeEffect, clock),
    grants: new GrantActs(shared.grants),
    instances: new InstanceActs(instances, stores.instances, takeEffect, clock),
    issuers: new IssuerActs({
      instances,
      directory: shared.issuerDirectory,
      store: stores.externalIssuers,
      hostPattern: shared.hostPattern,
      takeEffect,
      clock,
    }),
    logos: new LogoActs(stores.logos, takeEffect, clock),
    masterKeys: new MasterKeyActs(stores.sealedSecrets, keyring, takeEffect, clock),
    metadata: new MetadataActs(stores.groupSchemas, shared.documents, takeEffect, clock),
    people: new PeopleActs(stores.standings, stores.standings, takeEffect, clock, authority),
    serviceAccounts: new ServiceAccountActs(stores.serviceAccounts, takeEffect, clock),
    serviceTokens: new ServiceTokenActs(stores.serviceTokens, stores.serviceTokens, takeEffect, clock, authority),
    sessions: new SessionActs(stores.sessions, takeEffect, clock),
    settings: new SettingsActs(instances, stores.instances, takeEffect, clock),
    signals: new SignalActs(stores.transmitters, takeEffect, clock),
    signingKeys: new SigningKeyActs(shared.signingKeys, takeEffect, clock),
    singleSignOn: new SingleSignOnActs(instances, stores.instances, keyring, takeEffect, clock),
  } satisfies Administration;
}
