import { CommandTokens, SETUP_LIFETIME_SECONDS } from "#admin-api/command-token.ts";
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
import { Alerts } from "#doctor/alerts.ts";
import { createDoctor } from "#doctor/doctor.ts";
import { RemovalNotes } from "#indexing-api/bulk/removal-notes.ts";
import { UnknownGroups } from "#indexing-api/unknown-groups.ts";
import { DocumentValues } from "#indexing-api/custom-metadata/document-values.ts";
import { InstanceHosts } from "#instance/instance-host.ts";
import { AccessCheck } from "#people/access-check.ts";
import type { Bindings } from "#platform/bindings.ts";
import { ConfigurationError, configurationFaults, requireConfiguration } from "#platform/configuration.ts";
import { createOutgoingFetch } from "#platform/outgoing-fetch.ts";
import { serviceWordsOf } from "#protocol/service-words.ts";
import { TokenRotation } from "#service-tokens/rotate-token.ts";
import { SessionSignIn } from "#session/session-sign-in.ts";
import { createAdministration } from "#composition/administration.ts";
import { createAuthorizationServer } from "#composition/authorization-server.ts";
import { createGates } from "#composition/gates.ts";
import { createShared } from "#composition/shared.ts";
import { createUpkeep } from "#composition/upkeep.ts";

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
  const { stores, keyring, naming, audit, connectionCheck, documents, appAccess } = shared;
  const metadataGroups = new GroupDirectory(stores.groupSchemas, documents);
  const search = new Search(documents, appAccess, keyring, shared.unfoundWords);
  const { AI: models, CHAT_MODEL: model } = bindings;
  const composer = models && model ? new WorkersAiComposer(models, model) : null;
  const commandTokens = new CommandTokens(keyring);
  const gates = createGates(shared);
  const upkeep = createUpkeep(
    shared,
    new Alerts({
      ...stores,
      ...shared,
      store: stores.alerts,
      issuedTokens: stores.serviceTokens,
      fetch: shared.chosenFetch,
      bindings,
    }),
  );

  return {
    // A service that a store is part of has its name.
    ...stores,
    ...shared,
    ...gates,
    ...createAuthorizationServer(shared, gates.clientApiGate),
    ...upkeep,
    serviceWords,
    instanceHosts: new InstanceHosts(naming),
    sessionSignIn: new SessionSignIn(stores.sessions, shared.signIn, keyring),
    people: stores.standings,
    /** Returns the acts about an instance, which the operator or a pipeline performs. */
    administrationOf: (instance: ActInstance, actor: string) =>
      createAdministration(shared, { instance, actor, authority: OPERATOR }),
    /** Returns the acts, limited to the decider’s authority. */
    administrationWithin: (by: Decider, isAsked?: (act: ActName) => boolean) =>
      boundedBy(by.authority, createAdministration(shared, by), isAsked),
    issuedTokens: stores.serviceTokens,
    doctor: createDoctor({
      ...stores,
      ...shared,
      cache: stores.cacheProbe,
      discoverSingleSignOn: (issuer) => connectionCheck.discover(issuer),
      fetchDocument: createOutgoingFetch(naming.localDevelopment, "give"),
    }),
    refusals: new Refusals(stores.refusals),
    tokenRotation: new TokenRotation(stores.succession, keyring, audit),
    search,
    authorIds: new AuthorIds(keyring),
    chat: new Chat(search, composer),
    metadataGroups,
    accessCheck: new AccessCheck(documents, shared.seers),
    commandTokens,
    setupTokens: new CommandTokens(keyring, SETUP_LIFETIME_SECONDS),
    removalNotes: new RemovalNotes(stores.audit, audit),
    unknownGroups: new UnknownGroups(documents, stores.directoryGroups),
    documentValues: new DocumentValues(documents, metadataGroups),
    getDocuments: new GetDocuments(documents, appAccess),
  };
}
