import type { D1Instances } from "#instance/instances.d1.ts";
import type { D1Logos } from "#branding/logos.d1.ts";
import type { D1DirectoryUsers } from "#directories/directory-users.d1.ts";
import type { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import { CommandTokens, SETUP_LIFETIME_SECONDS } from "#admin-api/command-token.ts";
import type { AdminReads } from "#admin-api/reads.ts";
import type { ActInstance } from "#administration/act-instance.ts";
import type { Decider } from "#administration/acts.ts";
import { OPERATOR } from "#administration/authority.ts";
import type { ActName } from "#administration/act-table.ts";
import { boundedBy } from "#administration/bounded-acts.ts";
import { effectOn } from "#administration/take-effect.ts";
import { AppAccess } from "#app-access/app-access.ts";
import { AuditChain } from "#audit/audit-chain.ts";
import { AuditDelivery } from "#audit/audit-delivery.ts";
import { AuditLog } from "#audit/audit-log.ts";
import { AuditRetention } from "#audit/audit-retention.ts";
import { ChainVerification } from "#audit/chain-verification.ts";
import { Refusals } from "#audit/refusals.ts";
import { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import { Chat } from "#client-api/chat/chat.ts";
import { WorkersAiComposer } from "#client-api/chat/workers-ai.ts";
import { AuthorIds } from "#client-api/document-answer.ts";
import { GetDocuments } from "#client-api/documents/get-documents.ts";
import { Search } from "#client-api/search/search.ts";
import { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import { Keyring } from "#crypto/keyring.ts";
import { GroupDirectory } from "#custom-metadata/group-directory.ts";
import { GroupSchemas } from "#custom-metadata/group-schemas.ts";
import { Alerts } from "#doctor/alerts.ts";
import { Doctor } from "#doctor/doctor.ts";
import { Engines } from "#documents/moving/engines.ts";
import { DocumentMoves } from "#documents/moving/move.ts";
import { Placements } from "#documents/moving/placement.ts";
import { RemoteDocuments } from "#documents/remote-documents.ts";
import { DpopProofs } from "#dpop/dpop-proofs.ts";
import { DpopNonces } from "#dpop/nonces.ts";
import { Grants } from "#grants/grants.ts";
import { RemovalNotes } from "#indexing-api/bulk/removal-notes.ts";
import { UnknownGroups } from "#indexing-api/unknown-groups.ts";
import { DocumentValues } from "#indexing-api/custom-metadata/document-values.ts";
import { InstanceHosts } from "#instance/instance-host.ts";
import { PolicySnapshots } from "#instance/policy-snapshot.ts";
import { IssuerCheck } from "#issuers/issuer-check.ts";
import { IssuerDocuments } from "#issuers/issuer-documents.ts";
import { IssuerKeys } from "#issuers/issuer-keys.ts";
import { IssuerDirectory } from "#issuers/registration.ts";
import { AccessCheck } from "#people/access-check.ts";
import { Seers } from "#people/seers.ts";
import type { Bindings } from "#platform/bindings.ts";
import { systemClock, systemMillisecondClock } from "#platform/clock.ts";
import { ConfigurationError, configurationFaults, requireConfiguration } from "#platform/configuration.ts";
import { createOutgoingFetch } from "#platform/outgoing-fetch.ts";
import { outlivingRequests } from "#platform/wait-until.ts";
import { GroupProvisioning } from "#scim/group-provisioning.ts";
import { UserProvisioning } from "#scim/user-provisioning.ts";
import { serviceWordsOf } from "#protocol/service-words.ts";
import { LastUse } from "#service-tokens/last-use.ts";
import { TokenRotation } from "#service-tokens/rotate-token.ts";
import { ServiceTokens } from "#service-tokens/service-tokens.ts";
import { SessionSignIn } from "#session/session-sign-in.ts";
import { Sessions } from "#session/session.ts";
import type { SignalServices } from "#signals/signal-services.ts";
import { ConnectionCheck } from "#single-sign-on/connection-check.ts";
import { OpenIdProvider } from "#single-sign-on/openid-provider.ts";
import { SignIn } from "#single-sign-on/sign-in.ts";
import { SpentIds } from "#spent-ids/spent-ids.ts";
import { UnfoundWords } from "#glossary/unfound-words.ts";
import { Usage } from "#usage/usage.ts";
import { createAdministration, createDeploymentActs } from "./composition/administration.ts";
import { createAuthorizationServer } from "./composition/authorization-server.ts";
import { createGates } from "./composition/gates.ts";
import { createStores } from "./composition/stores.ts";
import { createUpkeep } from "./composition/upkeep.ts";

/** The services that endpoints use. */
export type Services = ReturnType<typeof createServices>;

const servicesByBindings = new WeakMap<Bindings, Services>();

/**
 * Returns the services of the Worker, after checking its variables and bindings.
 *
 * @throws {ConfigurationError} if one of them is not as it must be
 */
export function servicesOfWorker(bindings: Bindings): Services {
  const known = servicesByBindings.get(bindings);
  if (known) return known;
  requireConfiguration(bindings);
  return servicesOf(bindings);
}

/**
 * Returns the services of an isolate, or of a command, which has only some bindings. They are built once, so that their caches
 * (policy, verified tokens, keys) outlive a request.
 */
export function servicesOf(bindings: Bindings): Services {
  const known = servicesByBindings.get(bindings);
  if (known) return known;
  const services = createServices(bindings);
  servicesByBindings.set(bindings, services);
  return services;
}

/** The composition root: builds the services from bindings, with the stores and groups of `composition/`. */
function createServices(bindings: Bindings) {
  const clock = systemClock;
  const localDevelopment = bindings.LOCAL_DEVELOPMENT === "true";
  const naming = { pattern: bindings.INSTANCE_HOST, localDevelopment };
  const keyring = new Keyring(bindings.MASTER_KEYS);
  const serviceWords = serviceWordsOf(bindings.SERVICE_NAME);
  if (!serviceWords) throw new ConfigurationError(configurationFaults(bindings));
  const stores = createStores(bindings, keyring);
  const auditChain = new AuditChain(keyring);
  const audit = new AuditLog(stores.audit, auditChain, clock);
  const outliveRequest = outlivingRequests();
  const placements = new Placements(stores.moves);
  const policySnapshots = new PolicySnapshots(stores.policy, clock, ({ instanceId, documents: placement }) =>
    placements.note(instanceId, placement),
  );
  const takeEffect = effectOn(policySnapshots, audit);
  const grants = new Grants(stores.grantDirectory, stores.grantEnding, policySnapshots, audit, clock);
  const signingKeys = new SigningKeys(stores.signingKeys, keyring, policySnapshots, clock);
  const spentIds = new SpentIds(stores.spentIds, clock);

  // For addresses that administrators choose: their SSO and identity providers, which in development run on this machine.
  const chosenFetch = createOutgoingFetch(localDevelopment);
  const issuerDocuments = new IssuerDocuments(chosenFetch);
  const issuerKeys = new IssuerKeys(issuerDocuments, stores.publicCache, clock);
  const issuerCheck = new IssuerCheck(issuerDocuments);
  const issuerDirectory = new IssuerDirectory(stores.externalIssuers);
  const connectionCheck = new ConnectionCheck(chosenFetch, keyring, localDevelopment);
  const provider = new OpenIdProvider(keyring, stores.publicCache, chosenFetch, localDevelopment);
  const signIn = new SignIn(stores.people, provider, keyring, clock);
  const sessions = new Sessions(stores.sessions, keyring, clock);

  const engines = new Engines(bindings.DOCUMENTS, localDevelopment);
  const documents = new RemoteDocuments(placements, engines);
  const seers = new Seers(stores.seers, clock, outliveRequest);
  const appAccess = new AppAccess(seers);
  const groupSchemas = new GroupSchemas(stores.groupSchemas);
  const unfoundWords = new UnfoundWords(stores.unfoundWords, keyring, clock, outliveRequest);
  const search = new Search(documents, appAccess, keyring, clock, unfoundWords);
  const { AI: models, CHAT_MODEL: model } = bindings;
  const composer = models && model ? new WorkersAiComposer(models, model) : null;

  const serviceTokens = new ServiceTokens(stores.serviceTokens, new LastUse(stores.serviceTokens), clock);
  const dpopProofs = new DpopProofs(new DpopNonces(keyring), clock);
  const usage = new Usage(stores.usage, clock);
  const connectionAttempts = new ConnectionAttempts(stores.connectionSteps, clock);
  const commandTokens = new CommandTokens(keyring, clock);
  const { instances } = stores;
  const keyOf = async (name: string) => {
    const policy = await policySnapshots.current(name, outliveRequest);
    if (!policy) throw new Error("the instance is gone");
    return signingKeys.active(policy);
  };
  const auditDelivery = new AuditDelivery(
    stores.auditDeliveries,
    stores.audit,
    keyOf,
    keyring,
    chosenFetch,
    bindings.SERVICE_NAME,
    clock,
  );

  const sharedWithActs = {
    instances,
    issuerDirectory,
    hostPattern: bindings.INSTANCE_HOST,
    grants,
    signingKeys,
    auditDelivery,
    documents,
    engines,
    keyring,
    takeEffect,
    clock,
  };
  const gates = createGates(stores, {
    policySnapshots,
    issuerKeys,
    serviceTokens,
    dpopProofs,
    appAccess,
    naming,
    clock,
  });
  const documentMoves = new DocumentMoves(stores.moves, engines, clock);
  const auditVerification = new ChainVerification(stores.audit, auditChain);
  const upkeep = createUpkeep(stores, {
    alerts: new Alerts({
      store: stores.alerts,
      clientDirectory: stores.clientDirectory,
      issuedTokens: stores.serviceTokens,
      fetch: chosenFetch,
      instances,
      connectionCheck,
      auditVerification,
      keyOf,
      documents,
      signingKeys,
      usage,
      bindings,
      clock,
    }),
    audit,
    auditDelivery,
    auditRetention: new AuditRetention(stores.audit, auditChain, audit, clock),
    connectionAttempts,
    documentMoves,
    sessions,
    signingKeys,
    spentIds,
    unfoundWords,
    usage,
    clock,
  });

  return {
    ...gates,
    ...createAuthorizationServer(stores, {
      policySnapshots,
      clientApiGate: gates.clientApiGate,
      signIn,
      issuerKeys,
      spentIds,
      dpopProofs,
      appAccess,
      grants,
      signingKeys,
      keyring,
      clock,
    }),
    ...upkeep,
    serviceWords,
    audit,
    auditVerification,
    auditDelivery,
    instanceHosts: new InstanceHosts(naming),
    policySnapshots,
    signingKeys,
    sessions,
    sessionSignIn: new SessionSignIn(stores.sessions, signIn, keyring, clock),
    spentIds,
    dpopProofs,
    instances: instances as Pick<D1Instances, "find" | "list" | "require">,
    people: stores.standings as AdminReads["people"],
    administration: createDeploymentActs(stores, sharedWithActs),
    /** Returns the acts about an instance, which the operator or a pipeline performs. */
    administrationOf: (instance: ActInstance, actor: string) =>
      createAdministration(stores, sharedWithActs, { instance, actor, authority: OPERATOR }),
    /** Returns the acts, limited to the decider’s authority. */
    administrationWithin: (by: Decider, isAsked?: (act: ActName) => boolean) =>
      boundedBy(by.authority, createAdministration(stores, sharedWithActs, by), isAsked),
    logos: stores.logos as Pick<D1Logos, "find">,
    issuedTokens: stores.serviceTokens as AdminReads["issuedTokens"],
    doctor: new Doctor(
      {
        database: stores.databaseProbe,
        cache: stores.cacheProbe,
        commandTokens,
        keyring,
        signingKeys,
        maintenance: upkeep.maintenance,
        auditDelivery,
        checkIssuer: (issuer) => issuerCheck.check(issuer),
        discoverSingleSignOn: (issuer) => connectionCheck.discover(issuer),
        fetchDocument: createOutgoingFetch(localDevelopment, "give"),
        authTypeHeader: serviceWords.authTypeHeader,
      },
      clock,
    ),
    connectionAttempts,
    grants,
    unfoundWords,
    usage,
    refusals: new Refusals(stores.refusals, clock),
    clientDirectory: stores.clientDirectory,
    externalIssuers: issuerDirectory,
    connectionCheck,
    issuerCheck,
    signals: {
      issuerKeys,
      transmitters: stores.transmitters,
      signOuts: stores.signOuts,
      namedPeople: stores.namedPeople,
      spentIds,
      policySnapshots,
      audit,
      clock,
      millisecondClock: systemMillisecondClock,
    } as SignalServices,
    transmitters: stores.transmitters as AdminReads["transmitters"],
    tokenRotation: new TokenRotation(stores.succession, keyring, audit, clock),
    directoryCounter: stores.directoryCounter,
    directoryUsers: stores.directoryUsers as Pick<D1DirectoryUsers, "list">,
    directoryGroups: stores.directoryGroups as Pick<D1DirectoryGroups, "list">,
    userProvisioning: new UserProvisioning(stores.directoryUsers, stores.standings, clock),
    groupProvisioning: new GroupProvisioning(stores.directoryGroups, clock),
    search,
    authorIds: new AuthorIds(keyring),
    chat: new Chat(search, composer),
    profiles: stores.profiles,
    metadataGroups: new GroupDirectory(stores.groupDirectory, documents),
    documents,
    documentMoves,
    seers,
    appAccess,
    appRules: stores.appRules as AdminReads["appRules"],
    glossaries: stores.glossaries as AdminReads["glossaries"],
    serviceAccounts: stores.serviceAccounts as AdminReads["serviceAccounts"],
    accessCheck: new AccessCheck(documents, seers),
    commandTokens,
    setupTokens: new CommandTokens(keyring, clock, SETUP_LIFETIME_SECONDS),
    groupSchemas,
    removalNotes: new RemovalNotes(stores.audit, audit, clock),
    unknownGroups: new UnknownGroups(documents, stores.directoryGroups, clock),
    documentValues: new DocumentValues(documents, groupSchemas),
    getDocuments: new GetDocuments(documents, appAccess),
  };
}
