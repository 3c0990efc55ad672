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
import { Refusals } from "#audit/refusals.ts";
import { Chat } from "#client-api/chat/chat.ts";
import { WorkersAiComposer } from "#client-api/chat/workers-ai.ts";
import { AuthorIds } from "#client-api/document-answer.ts";
import { GetDocuments } from "#client-api/documents/get-documents.ts";
import { Search } from "#client-api/search/search.ts";
import { GroupDirectory } from "#custom-metadata/group-directory.ts";
import { GroupSchemas } from "#custom-metadata/group-schemas.ts";
import { Alerts } from "#doctor/alerts.ts";
import { Doctor } from "#doctor/doctor.ts";
import { RemovalNotes } from "#indexing-api/bulk/removal-notes.ts";
import { UnknownGroups } from "#indexing-api/unknown-groups.ts";
import { DocumentValues } from "#indexing-api/custom-metadata/document-values.ts";
import { InstanceHosts } from "#instance/instance-host.ts";
import { AccessCheck } from "#people/access-check.ts";
import type { Bindings } from "#platform/bindings.ts";
import { systemMillisecondClock } from "#platform/clock.ts";
import { ConfigurationError, configurationFaults, requireConfiguration } from "#platform/configuration.ts";
import { createOutgoingFetch } from "#platform/outgoing-fetch.ts";
import { GroupProvisioning } from "#scim/group-provisioning.ts";
import { UserProvisioning } from "#scim/user-provisioning.ts";
import { serviceWordsOf } from "#protocol/service-words.ts";
import { TokenRotation } from "#service-tokens/rotate-token.ts";
import { SessionSignIn } from "#session/session-sign-in.ts";
import type { SignalServices } from "#signals/signal-services.ts";
import { createAdministration, createDeploymentActs } from "./composition/administration.ts";
import { createAuthorizationServer } from "./composition/authorization-server.ts";
import { createGates } from "./composition/gates.ts";
import { createShared } from "./composition/shared.ts";
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
  const serviceWords = serviceWordsOf(bindings.SERVICE_NAME);
  if (!serviceWords) throw new ConfigurationError(configurationFaults(bindings));
  const shared = createShared(bindings);
  const { stores, keyring, clock, naming, policySnapshots, audit, auditVerification, auditDelivery } = shared;
  const { grants, signingKeys, spentIds, dpopProofs, sessions, issuerCheck, connectionCheck, usage } = shared;
  const { documents, documentMoves, seers, appAccess, unfoundWords, connectionAttempts } = shared;
  const groupSchemas = new GroupSchemas(stores.groupSchemas);
  const search = new Search(documents, appAccess, keyring, clock, unfoundWords);
  const { AI: models, CHAT_MODEL: model } = bindings;
  const composer = models && model ? new WorkersAiComposer(models, model) : null;
  const commandTokens = new CommandTokens(keyring, clock);
  const gates = createGates(shared);
  const upkeep = createUpkeep(
    shared,
    new Alerts({
      store: stores.alerts,
      clientDirectory: stores.clientDirectory,
      issuedTokens: stores.serviceTokens,
      fetch: shared.chosenFetch,
      instances: stores.instances,
      connectionCheck,
      auditVerification,
      keyOf: shared.keyOf,
      documents,
      signingKeys,
      usage,
      bindings,
      clock,
    }),
  );

  return {
    ...gates,
    ...createAuthorizationServer(shared, gates.clientApiGate),
    ...upkeep,
    serviceWords,
    audit,
    auditVerification,
    auditDelivery,
    instanceHosts: new InstanceHosts(naming),
    policySnapshots,
    signingKeys,
    sessions,
    sessionSignIn: new SessionSignIn(stores.sessions, shared.signIn, keyring, clock),
    spentIds,
    dpopProofs,
    instances: stores.instances as Pick<D1Instances, "find" | "list" | "require">,
    people: stores.standings as AdminReads["people"],
    administration: createDeploymentActs(shared),
    /** Returns the acts about an instance, which the operator or a pipeline performs. */
    administrationOf: (instance: ActInstance, actor: string) =>
      createAdministration(shared, { instance, actor, authority: OPERATOR }),
    /** Returns the acts, limited to the decider’s authority. */
    administrationWithin: (by: Decider, isAsked?: (act: ActName) => boolean) =>
      boundedBy(by.authority, createAdministration(shared, by), isAsked),
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
        fetchDocument: createOutgoingFetch(naming.localDevelopment, "give"),
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
    externalIssuers: shared.issuerDirectory,
    connectionCheck,
    issuerCheck,
    signals: {
      issuerKeys: shared.issuerKeys,
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
