import { parseSettings } from "#settings/settings.ts";
import { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import { D1ConnectionSteps } from "#connection-attempts/connection-steps.d1.ts";
import { D1Usage } from "#usage/usage.d1.ts";
import { Usage } from "#usage/usage.ts";
import { D1GroupDirectory } from "#custom-metadata/group-directory.d1.ts";
import { GroupDirectory } from "#custom-metadata/group-directory.ts";
import { AppAccess } from "#app-access/app-access.ts";
import { D1AppRules } from "#app-access/app-rules.d1.ts";
import type { AppRuleReader } from "#app-access/app-rule-store.ts";
import { AuditChain } from "#audit/audit-chain.ts";
import { AuditDelivery } from "#audit/audit-delivery.ts";
import { D1AuditDeliveries } from "#audit/audit-delivery.d1.ts";
import { AuditLog } from "#audit/audit-log.ts";
import { D1Refusals } from "#audit/refusals.d1.ts";
import { Refusals } from "#audit/refusals.ts";
import { D1Audit } from "#audit/audit.d1.ts";
import { Authorization } from "#authorization-server/authorization/authorize.ts";
import { D1PendingRequests } from "#authorization-requests/pending-requests.d1.ts";
import { Consent } from "#authorization-server/consent/consent.ts";
import { PushedRequests } from "#authorization-server/pushed-requests/pushed-requests.ts";
import { Introspection } from "#authorization-server/introspection/introspection.ts";
import { ClientAuthentication } from "#authorization-server/client-authentication/client-authentication.ts";
import { D1ClientAssertions } from "#clients/client-assertions.d1.ts";
import { ClientAssertions } from "#clients/client-assertions.ts";
import { D1ClientDirectory } from "#clients/client-directory.d1.ts";
import type { ClientDirectory } from "#clients/client-directory.ts";
import { DocumentClients } from "#clients/document-clients.ts";
import { D1ClientDecisions } from "#clients/client-decisions.d1.ts";
import { D1Clients } from "#clients/clients.d1.ts";
import type { EndGrantsOfClients } from "#clients/client-removal.sql.ts";
import { D1Registrations } from "#clients/registrations.d1.ts";
import { AuditActs } from "#administration/audit-acts.ts";
import { ClientActs } from "#administration/client-acts.ts";
import { DocumentActs } from "#administration/document-acts.ts";
import { GrantActs } from "#administration/grant-acts.ts";
import { MasterKeyActs } from "#administration/master-key-acts.ts";
import { MetadataActs } from "#administration/metadata-acts.ts";
import { SignalActs } from "#administration/signal-acts.ts";
import { SessionActs } from "#administration/session-acts.ts";
import { SigningKeyActs } from "#administration/signing-key-acts.ts";
import { type Authority, OPERATOR } from "#administration/authority.ts";
import { boundedBy } from "#administration/bounded-acts.ts";
import type { Administration } from "#administration/administration.ts";
import { effectOn } from "#administration/take-effect.ts";
import { ClientRegistration } from "#authorization-server/registration/register-client.ts";
import { Revocation } from "#authorization-server/revocation/revocation.ts";
import { D1SigningKeyStore } from "#authorization-server/signing-keys/signing-keys.d1.ts";
import { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import { ConnectionCheck } from "#single-sign-on/connection-check.ts";
import { SignIn } from "#single-sign-on/sign-in.ts";
import { Sweep } from "#authorization-server/sweep.ts";
import { OpenIdProvider } from "#single-sign-on/openid-provider.ts";
import { D1People } from "#people/people.d1.ts";
import { D1RememberedConsents } from "#consents/remembered-consents.d1.ts";
import { D1GrantDirectory } from "#grants/grant-directory.d1.ts";
import { D1GrantEnding } from "#grants/grant-ending.d1.ts";
import { D1GrantHolders } from "#grants/grant-holder.d1.ts";
import { UserInfoService } from "#authorization-server/openid/userinfo.ts";
import { endAssertedGrants, endGrantsOfClients } from "#grants/ending.sql.ts";
import { Grants } from "#grants/grants.ts";
import { D1TokenGrants } from "#grants/token-grants.d1.ts";
import { DpopNonces } from "#dpop/nonces.ts";
import { DpopProofs } from "#dpop/dpop-proofs.ts";
import { AssertionGrants } from "#authorization-server/token/assertion-grant.ts";
import { IdJags } from "#authorization-server/token/id-jag.ts";
import { Tokens } from "#authorization-server/token/tokens.ts";
import type { LogoStore } from "#branding/logo.ts";
import { sweepEndedTokens, type TokenReader } from "#service-tokens/token-listing.ts";
import { D1Logos } from "#branding/logos.d1.ts";
import { Search } from "#client-api/search/search.ts";
import { Keyring } from "#crypto/keyring.ts";
import { Doctor } from "#doctor/doctor.ts";
import { D1Probe } from "#doctor/probes.d1.ts";
import { KvProbe } from "#doctor/probes.kv.ts";
import { AuthorIds } from "#client-api/document-answer.ts";
import { Chat } from "#client-api/chat/chat.ts";
import { WorkersAiComposer } from "#client-api/chat/workers-ai.ts";
import { GetDocuments } from "#client-api/documents/get-documents.ts";
import { CommandTokens } from "#admin-api/command-token.ts";
import { Engines } from "#documents/moving/engines.ts";
import { DocumentMoves } from "#documents/moving/move.ts";
import { D1Moves } from "#documents/moving/moves.d1.ts";
import { Placements } from "#documents/moving/placement.ts";
import { RemoteDocuments } from "#documents/remote-documents.ts";
import { AccessCheck } from "#people/access-check.ts";
import { D1Seers } from "#people/seers.d1.ts";
import { Seers } from "#people/seers.ts";
import type { DirectoryGroupStore, DirectoryUserStore } from "#directories/directory.ts";
import { D1DirectoryCounter } from "#directories/directory-counts.d1.ts";
import { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import { D1DirectoryUsers } from "#directories/directory-users.d1.ts";
import { GroupProvisioning } from "#scim/group-provisioning.ts";
import { UserProvisioning } from "#scim/user-provisioning.ts";
import { DocumentValues } from "#indexing-api/custom-metadata/document-values.ts";
import { D1GroupSchemas } from "#custom-metadata/group-schemas.d1.ts";
import { GroupSchemas } from "#custom-metadata/group-schemas.ts";
import { AppRuleActs } from "#administration/app-rule-acts.ts";
import { IssuerActs } from "#administration/issuer-acts.ts";
import { InstanceActs } from "#administration/instance-acts.ts";
import { LogoActs } from "#administration/logo-acts.ts";
import { PeopleActs } from "#administration/people-acts.ts";
import { SettingsActs } from "#administration/settings-acts.ts";
import { SingleSignOnActs } from "#administration/single-sign-on-acts.ts";
import { Instances } from "#instance/instances.ts";
import { D1ReleasedPeople } from "#people/released-people.d1.ts";
import { sweepReleasedPeople } from "#people/released-people.ts";
import { PeopleDirectory } from "#people/people-directory.ts";
import { D1PeopleStandings } from "#people/person.d1.ts";
import { InstanceHosts } from "#instance/instance-host.ts";
import { D1Instances } from "#instance/instances.d1.ts";
import { D1PolicySource } from "#instance/policy-snapshot.d1.ts";
import { PolicySnapshots, sweepPolicyChanges } from "#instance/policy-snapshot.ts";
import { D1SealedSecrets } from "#master-keys/sealed-secrets.d1.ts";
import { D1Maintenance } from "#maintenance/maintenance.d1.ts";
import { Maintenance, runTasks } from "#maintenance/maintenance.ts";
import type { Bindings } from "#platform/bindings.ts";
import { systemClock } from "#platform/clock.ts";
import { createOutgoingFetch } from "#platform/outgoing-fetch.ts";
import { KvPublicCache } from "#platform/public-cache.kv.ts";
import { RATE_LIMIT_BINDINGS } from "#platform/rate-limits.ts";
import { ClientApiGate } from "#resource-server/authentication/client-api-gate.ts";
import {
  ADMIN_API,
  INDEXING_API,
  SCIM_API,
  ServiceTokenGate,
} from "#resource-server/authentication/service-token-gate.ts";
import { OwnTokens } from "#resource-server/authentication/own-token.ts";
import { TokenExplainer } from "#resource-server/authentication/token-explanation.ts";
import { ExternalTokens } from "#resource-server/authentication/external-token.ts";
import { D1ExternalPeople } from "#people/external-people.d1.ts";
import { LookedUpPeople } from "#people/looked-up-people.ts";
import { D1NamedPeople } from "#people/named-people.d1.ts";
import { D1Profiles } from "#people/profiles.d1.ts";
import { IssuerCheck } from "#issuers/issuer-check.ts";
import { IssuerDocuments } from "#issuers/issuer-documents.ts";
import { IssuerKeys } from "#issuers/issuer-keys.ts";
import { D1ExternalIssuers } from "#issuers/external-issuers.d1.ts";
import { IssuerDirectory } from "#issuers/registration.ts";
import { ServiceAccountActs } from "#administration/service-account-acts.ts";
import { MachineGrants } from "#authorization-server/token/machine-grant.ts";
import { D1ServiceAccounts } from "#service-accounts/service-accounts.d1.ts";
import {
  machineName,
  proofOfMachine,
  SERVICE_ACCOUNTS_MAX,
  type ServiceAccountReader,
} from "#service-accounts/service-account.ts";
import { ServiceTokenActs } from "#administration/service-token-acts.ts";
import { LastUse } from "#service-tokens/last-use.ts";
import { D1Succession } from "#service-tokens/rotate-token.d1.ts";
import { TokenRotation } from "#service-tokens/rotate-token.ts";
import { D1ServiceTokens } from "#service-tokens/service-tokens.d1.ts";
import { ServiceTokens } from "#service-tokens/service-tokens.ts";
import { D1SpentIds } from "#spent-ids/spent-ids.d1.ts";
import { SpentIds } from "#spent-ids/spent-ids.ts";
import { BackChannelLogout } from "#signals/back-channel-logout.ts";
import { GlobalTokenRevocation } from "#signals/global-token-revocation.ts";
import { SecurityEvents } from "#signals/security-events.ts";
import type { TransmitterReader } from "#signals/transmitter.ts";
import { D1Transmitters } from "#signals/transmitters.d1.ts";
import { D1SignOuts } from "#signals/sign-outs.d1.ts";
import { SignOuts } from "#signals/sign-outs.ts";
import { SignedMessages } from "#signals/signed-message.ts";
import { D1Sessions } from "#session/sessions.d1.ts";
import { Sessions } from "#session/session.ts";
import { SessionSignIn } from "#session/session-sign-in.ts";

/** Everything that endpoints call. */
export type Services = ReturnType<typeof createServices>;

const servicesByBindings = new WeakMap<Bindings, Services>();

/** The services of an isolate: built once, so that what they remember (policy, verified tokens, keys) outlives a request. */
export function servicesOf(bindings: Bindings): Services {
  const known = servicesByBindings.get(bindings);
  if (known) return known;
  const services = createServices(bindings);
  servicesByBindings.set(bindings, services);
  return services;
}

/** The composition root: from bindings to stores to services. No other place builds a store. */
function createServices(bindings: Bindings) {
  const clock = systemClock;
  const localDevelopment = bindings.LOCAL_DEVELOPMENT === "true";
  const naming = { pattern: bindings.INSTANCE_HOST, localDevelopment };
  const keyring = new Keyring(bindings.MASTER_KEYS);
  const audit = new AuditLog(new D1Audit(bindings.DB), new AuditChain(keyring), clock);
  const policySource = new D1PolicySource(bindings.DB);
  const moveStore = new D1Moves(bindings.DB);
  const placements = new Placements(moveStore);
  const policySnapshots = new PolicySnapshots(policySource, clock, ({ instanceId, documents: placement }) =>
    placements.note(instanceId, placement),
  );

  const clients = new D1Clients(bindings.DB);
  const endOfClients: EndGrantsOfClients = (instanceId, clientIds, actor, at) =>
    endGrantsOfClients(bindings.DB, { instanceId, clientIds, actor, at });
  const registrations = new D1Registrations(bindings.DB, endOfClients);
  const clientDirectory: ClientDirectory = new D1ClientDirectory(bindings.DB);
  const takeEffect = effectOn(policySnapshots, audit);
  const pending = new D1PendingRequests(bindings.DB);
  const tokenGrants = new D1TokenGrants(bindings.DB);
  const grants = new Grants(
    new D1GrantDirectory(bindings.DB),
    new D1GrantEnding(bindings.DB),
    policySnapshots,
    audit,
    clock,
  );
  const signingKeys = new SigningKeys(new D1SigningKeyStore(bindings.DB), keyring, policySnapshots, clock);
  const publicCache = new KvPublicCache(bindings.CACHE);
  // Addresses that administrators chose: their SSO and identity providers, which run on this machine in development.
  const chosenFetch = createOutgoingFetch(localDevelopment);
  const provider = new OpenIdProvider(keyring, publicCache, chosenFetch, localDevelopment);
  const issuerDocuments = new IssuerDocuments(chosenFetch);
  const issuerKeys = new IssuerKeys(issuerDocuments, publicCache, clock);
  // Anybody can name a document's URL, so these fetches never reach the machine itself, not in local development either.
  const publicFetch = createOutgoingFetch(false);
  const documentClients = new DocumentClients(publicFetch, publicCache, clients, clock);
  const publishedClientKeys = () => new IssuerKeys(new IssuerDocuments(publicFetch), publicCache, clock);
  const spentIds = new SpentIds(new D1SpentIds(bindings.DB), clock);
  const clientAssertions = new ClientAssertions(
    new D1ClientAssertions(bindings.DB),
    { vouchedFor: publishedClientKeys(), others: publishedClientKeys() },
    spentIds,
    clock,
  );
  const clientAuthentication = new ClientAuthentication(tokenGrants, clientAssertions);
  const dpopProofs = new DpopProofs(new DpopNonces(keyring), clock);
  const signIn = new SignIn(new D1People(bindings.DB), provider, keyring, clock);
  const authorization = new Authorization(clients, documentClients, pending, signIn, clock);
  const sessionStore = new D1Sessions(bindings.DB);
  const sessions = new Sessions(sessionStore, keyring, clock);
  const sessionSignIn = new SessionSignIn(sessionStore, signIn, keyring, clock);
  const serviceTokenStore = new D1ServiceTokens(bindings.DB);
  const externalPeople = new D1ExternalPeople(bindings.DB);
  const serviceTokens = new ServiceTokens(serviceTokenStore, new LastUse(serviceTokenStore), clock);

  const signedMessages = new SignedMessages(issuerKeys, clock);
  const transmitters = new D1Transmitters(bindings.DB);
  const signOuts = new SignOuts(
    new D1SignOuts(bindings.DB),
    new D1NamedPeople(bindings.DB),
    spentIds,
    policySnapshots,
    audit,
    clock,
  );

  const engines = new Engines(bindings.DOCUMENTS, bindings);
  const documents = new RemoteDocuments(placements, engines);
  const documentMoves = new DocumentMoves(moveStore, engines, clock);
  const commandTokens = new CommandTokens(keyring, clock);
  const seers = new Seers(new D1Seers(bindings.DB), clock);
  const appAccess = new AppAccess(seers);
  const appRuleStore = new D1AppRules(bindings.DB);
  const groupSchemaStore = new D1GroupSchemas(bindings.DB);
  const groupSchemas = new GroupSchemas(groupSchemaStore);
  const search = new Search(documents, seers, keyring, clock);
  const { AI: models, CHAT_MODEL: model } = bindings;
  const composer = models && model ? new WorkersAiComposer(models, model) : null;

  const sweep = new Sweep(pending, tokenGrants, registrations, clock);
  const usage = new Usage(new D1Usage(bindings.DB), clock);
  const connectionAttempts = new ConnectionAttempts(new D1ConnectionSteps(bindings.DB), clock);
  const instanceStore = new D1Instances(bindings.DB);
  const instances = new Instances(instanceStore);
  const issuerStore = new D1ExternalIssuers(bindings.DB, endAssertedGrants);
  const externalIssuers = new IssuerDirectory(issuerStore);
  const standings = new D1PeopleStandings(bindings.DB);
  const logos = new D1Logos(bindings.DB);
  const directoryUsers = new D1DirectoryUsers(bindings.DB);
  const directoryGroups = new D1DirectoryGroups(bindings.DB);
  const issuerCheck = new IssuerCheck(issuerDocuments);
  const connectionCheck = new ConnectionCheck(chosenFetch, keyring, localDevelopment);
  const serviceAccounts = new D1ServiceAccounts(bindings.DB, {
    accountsMax: SERVICE_ACCOUNTS_MAX,
    machineName,
    proofOf: proofOfMachine,
  });
  const auditDeliveries = new D1AuditDeliveries(bindings.DB);
  const auditDelivery = new AuditDelivery(
    auditDeliveries,
    new D1Audit(bindings.DB),
    async (name) => {
      const policy = await policySnapshots.current(name);
      if (!policy) throw new Error("the instance is gone");
      return signingKeys.active(policy);
    },
    keyring,
    chosenFetch,
    bindings.SERVICE_NAME,
    clock,
  );
  const administrationOf = (authority: Authority) =>
    ({
      instances: new InstanceActs(instances, instanceStore, takeEffect, clock),
      settings: new SettingsActs(instances, instanceStore, takeEffect, clock),
      singleSignOn: new SingleSignOnActs(instances, instanceStore, keyring, takeEffect, clock),
      issuers: new IssuerActs({
        instances,
        directory: externalIssuers,
        store: issuerStore,
        hostPattern: bindings.INSTANCE_HOST,
        takeEffect,
        clock,
      }),
      logos: new LogoActs(logos, takeEffect, clock),
      serviceAccounts: new ServiceAccountActs(serviceAccounts, takeEffect, clock),
      serviceTokens: new ServiceTokenActs(serviceTokenStore, serviceTokenStore, takeEffect, clock, authority),
      people: new PeopleActs(standings, standings, takeEffect, clock, authority),
      audit: new AuditActs(auditDelivery, auditDeliveries, keyring, takeEffect, clock),
      appRules: new AppRuleActs(appRuleStore, takeEffect, clock),
      documents: new DocumentActs(moveStore, engines, takeEffect, clock),
      clients: new ClientActs(new D1ClientDecisions(bindings.DB, endOfClients), clientDirectory, takeEffect, clock),
      grants: new GrantActs(grants),
      signals: new SignalActs(transmitters, takeEffect, clock),
      sessions: new SessionActs(sessionStore, takeEffect, clock),
      signingKeys: new SigningKeyActs(signingKeys, takeEffect, clock),
      metadata: new MetadataActs(groupSchemaStore, documents, takeEffect, clock),
      masterKeys: new MasterKeyActs(new D1SealedSecrets(bindings.DB), keyring, takeEffect, clock),
    }) satisfies Administration;

  const machineGrants = new MachineGrants(
    clientAuthentication,
    serviceAccounts,
    issuerKeys,
    spentIds,
    tokenGrants,
    appAccess,
  );
  const auditTasks = [
    { name: "audit seals", run: async () => ({ auditsSealed: await audit.sealAll() }) },
    // The last, because it waits for others' servers.
    { name: "audit delivery", run: async () => ({ auditDelivered: await auditDelivery.run() }) },
  ];
  const maintenance = new Maintenance(
    [
      { name: "signing keys", run: async () => ({ rotated: await signingKeys.rotateDue() }) },
      { name: "sweep", run: () => sweep.run() },
      { name: "sessions", run: async () => ({ sessions: await sessions.sweep() }) },
      { name: "policy changes", run: async () => ({ policyChanges: await sweepPolicyChanges(policySource) }) },
      { name: "spent ids", run: async () => ({ spentIds: await spentIds.sweep() }) },
      {
        name: "released people",
        run: async () => ({ people: await sweepReleasedPeople(new D1ReleasedPeople(bindings.DB), clock()) }),
      },
      {
        name: "service tokens",
        run: async () => ({ serviceTokens: await sweepEndedTokens(serviceTokenStore, clock()) }),
      },
      { name: "usage", run: async () => ({ usageCounts: await usage.sweep() }) },
      { name: "connection steps", run: async () => ({ connectionSteps: await connectionAttempts.sweep() }) },
      {
        name: "audit",
        run: async () => ({ auditEntries: await audit.trimOverdue(parseSettings({}).auditKeptSeconds) }),
      },
      ...auditTasks,
    ],
    new D1Maintenance(bindings.DB),
    clock,
  );

  return {
    audit,
    auditDelivery,
    instanceHosts: new InstanceHosts(naming),
    policySnapshots,
    signingKeys,
    clientRegistration: new ClientRegistration(registrations, policySnapshots, clock),
    authorization,
    pushedRequests: new PushedRequests(clientAuthentication, authorization, dpopProofs, pending, clock),
    sessions,
    sessionSignIn,
    spentIds,
    consent: new Consent(
      pending,
      clients,
      tokenGrants,
      new D1RememberedConsents(bindings.DB),
      appAccess,
      keyring,
      clock,
    ),
    tokens: new Tokens(
      clientAuthentication,
      dpopProofs,
      new AssertionGrants(
        clientAuthentication,
        clients,
        documentClients,
        new IdJags(issuerKeys, externalPeople, spentIds),
        tokenGrants,
        appAccess,
        machineGrants,
      ),
      machineGrants,
      tokenGrants,
      grants,
      appAccess,
      signingKeys,
      keyring,
      clock,
    ),
    revocation: new Revocation(clientAuthentication, tokenGrants, grants, keyring),
    introspection: new Introspection(clientAuthentication, tokenGrants, appAccess, keyring, clock),
    dpopProofs,
    userInfo: new UserInfoService(new D1GrantHolders(bindings.DB), dpopProofs, appAccess, keyring, clock),
    maintenance,
    /** What the trigger of each minute does: seals the newest audit entries, and sends them to their receivers. */
    forwardAudit: () => runTasks(auditTasks),
    instances,
    people: new PeopleDirectory(standings),
    administration: administrationOf(OPERATOR),
    /** The acts within what somebody may decide. */
    administrationWithin: (authority: Authority) => boundedBy(authority, administrationOf(authority)),
    logos: logos as Pick<LogoStore, "find">,
    issuedTokens: serviceTokenStore as TokenReader,
    doctor: new Doctor(
      {
        database: new D1Probe(bindings.DB),
        cache: new KvProbe(bindings.CACHE),
        commandTokens,
        keyring,
        signingKeys,
        maintenance,
        auditDelivery,
        checkIssuer: (issuer) => issuerCheck.check(issuer),
        discoverSingleSignOn: (issuer) => connectionCheck.discover(issuer),
        fetchDocument: createOutgoingFetch(localDevelopment, "give"),
        // Typed as there; a deployment's configuration may lack it all the same.
        missingRateLimits: RATE_LIMIT_BINDINGS.filter((binding) => !bindings[binding]),
      },
      clock,
    ),
    connectionAttempts,
    grants,
    usage,
    refusals: new Refusals(new D1Refusals(bindings.DB), clock),
    clientDirectory,
    externalIssuers,
    connectionCheck,
    issuerCheck,
    backChannelLogout: new BackChannelLogout(signedMessages, signOuts),
    globalTokenRevocation: new GlobalTokenRevocation(signedMessages, transmitters, signOuts),
    securityEvents: new SecurityEvents(signedMessages, transmitters, signOuts, clock),
    transmitters: transmitters as TransmitterReader,
    tokenRotation: new TokenRotation(new D1Succession(bindings.DB), keyring, audit, clock),
    clientApiGate: new ClientApiGate(
      new OwnTokens(policySnapshots, clock),
      new ExternalTokens(issuerKeys, externalPeople, clock, naming),
      serviceTokens,
      dpopProofs,
      naming,
    ),
    tokenExplainer: new TokenExplainer(
      () =>
        new ClientApiGate(
          new OwnTokens(policySnapshots, clock),
          new ExternalTokens(issuerKeys, new LookedUpPeople(externalPeople), clock, naming),
          new ServiceTokens(serviceTokenStore, { note: () => undefined }, clock),
          dpopProofs,
          naming,
        ),
      appAccess,
    ),
    indexingGate: new ServiceTokenGate(INDEXING_API, serviceTokens),
    adminGate: new ServiceTokenGate(ADMIN_API, serviceTokens),
    scimGate: new ServiceTokenGate(SCIM_API, serviceTokens),
    directoryCounter: new D1DirectoryCounter(bindings.DB),
    directoryUsers: directoryUsers as Pick<DirectoryUserStore, "list">,
    directoryGroups: directoryGroups as Pick<DirectoryGroupStore, "list">,
    userProvisioning: new UserProvisioning(directoryUsers, standings, clock),
    groupProvisioning: new GroupProvisioning(directoryGroups, clock),
    search,
    authorIds: new AuthorIds(keyring),
    chat: new Chat(search, composer),
    profiles: new D1Profiles(bindings.DB),
    metadataGroups: new GroupDirectory(new D1GroupDirectory(bindings.DB), documents),
    documents,
    documentMoves,
    seers,
    appAccess,
    appRules: appRuleStore as AppRuleReader,
    serviceAccounts: serviceAccounts as ServiceAccountReader,
    accessCheck: new AccessCheck(documents, seers),
    commandTokens,
    groupSchemas,
    documentValues: new DocumentValues(documents, groupSchemas),
    getDocuments: new GetDocuments(documents, seers),
  };
}
