import { D1AuditTrail } from "#audit/audit.d1.ts";
import { Authorization } from "#authorization-server/authorization/authorize.ts";
import { D1PendingRequests } from "#authorization-server/authorization/pending-requests.d1.ts";
import { Consent } from "#authorization-server/consent/consent.ts";
import { Introspection } from "#authorization-server/introspection/introspection.ts";
import { DocumentClients } from "#authorization-server/registration/document-clients.ts";
import { D1ClientStore } from "#authorization-server/registration/clients.d1.ts";
import { ClientRegistration } from "#authorization-server/registration/register-client.ts";
import { StaticClients } from "#authorization-server/registration/static-clients.ts";
import { Revocation } from "#authorization-server/revocation/revocation.ts";
import { D1SigningKeyStore } from "#authorization-server/signing-keys/signing-keys.d1.ts";
import { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import { Sweep } from "#authorization-server/sweep.ts";
import { OpenIdProvider } from "#authorization-server/single-sign-on/openid-provider.ts";
import { D1People } from "#authorization-server/single-sign-on/people.d1.ts";
import { D1Grants } from "#authorization-server/token/grants.d1.ts";
import { Tokens } from "#authorization-server/token/tokens.ts";
import { D1SearchIndex } from "#client-api/search/search.d1.ts";
import { Search } from "#client-api/search/search.ts";
import { Keyring } from "#crypto/keyring.ts";
import { D1DocumentStore } from "#indexing-api/documents/documents.d1.ts";
import { DocumentIndexing } from "#indexing-api/documents/documents.ts";
import { InstanceAdministration } from "#instance/administration.ts";
import { D1Instances } from "#instance/instances.d1.ts";
import { D1PolicySource } from "#instance/policy-snapshot.d1.ts";
import { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { Bindings } from "#platform/bindings.ts";
import { systemClock } from "#platform/clock.ts";
import { createOutgoingFetch } from "#platform/outgoing-fetch.ts";
import { KvPublicCache } from "#platform/public-cache.kv.ts";
import { ClientApiGate } from "#resource-server/authentication/client-api-gate.ts";
import { IndexingGate } from "#resource-server/authentication/indexing-gate.ts";
import { OwnTokens } from "#resource-server/authentication/own-token.ts";
import { ServiceTokenIssuer } from "#resource-server/service-tokens/issue-token.ts";
import { D1ServiceTokens } from "#resource-server/service-tokens/service-tokens.d1.ts";
import { ServiceTokens } from "#resource-server/service-tokens/service-tokens.ts";

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
  const keyring = new Keyring(bindings.MASTER_KEYS);
  const audit = new D1AuditTrail(bindings.DB);
  const policySnapshots = new PolicySnapshots(new D1PolicySource(bindings.DB), clock);

  const clients = new D1ClientStore(bindings.DB);
  const pending = new D1PendingRequests(bindings.DB);
  const grants = new D1Grants(bindings.DB);
  const signingKeys = new SigningKeys(new D1SigningKeyStore(bindings.DB), keyring, policySnapshots, audit, clock);
  const publicCache = new KvPublicCache(bindings.CACHE);
  const provider = new OpenIdProvider(keyring, publicCache, createOutgoingFetch(localDevelopment), localDevelopment);
  // Anybody can name a document's URL, so these fetches never reach the machine itself, not in local development either.
  const documentClients = new DocumentClients(createOutgoingFetch(false), publicCache, clients, clock);
  const serviceTokenStore = new D1ServiceTokens(bindings.DB);
  const serviceTokens = new ServiceTokens(serviceTokenStore, clock);

  return {
    policySnapshots,
    signingKeys,
    clientRegistration: new ClientRegistration(clients, policySnapshots, clock),
    authorization: new Authorization(
      clients,
      documentClients,
      pending,
      new D1People(bindings.DB),
      provider,
      keyring,
      clock,
    ),
    consent: new Consent(pending, clients, grants, keyring, clock),
    tokens: new Tokens(grants, signingKeys, keyring, policySnapshots, audit, clock),
    revocation: new Revocation(grants, keyring, policySnapshots, clock),
    introspection: new Introspection(grants, keyring, clock),
    sweep: new Sweep(pending, grants, clients, clock),
    instances: new InstanceAdministration(new D1Instances(bindings.DB), keyring, audit, clock),
    staticClients: new StaticClients(clients, audit, clock),
    serviceTokenIssuer: new ServiceTokenIssuer(serviceTokenStore, audit, clock),
    clientApiGate: new ClientApiGate(new OwnTokens(policySnapshots, clock), serviceTokens),
    indexingGate: new IndexingGate(serviceTokens),
    search: new Search(new D1SearchIndex(bindings.DB)),
    documentIndexing: new DocumentIndexing(new D1DocumentStore(bindings.DB), clock),
  };
}
