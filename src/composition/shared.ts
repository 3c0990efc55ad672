import { effectOn } from "#administration/acts.ts";
import { AppAccess } from "#app-access/app-access.ts";
import { AuditDelivery } from "#audit/audit-delivery.ts";
import { AuditLog } from "#audit/audit-log.ts";
import { AuditRetention } from "#audit/audit-retention.ts";
import { ChainVerification } from "#audit/chain-verification.ts";
import { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import { Keyring } from "#crypto/keyring.ts";
import { Engines, Placements } from "#documents/moving/engines.ts";
import { DocumentMoves } from "#documents/moving/move.ts";
import { remoteDocuments } from "#documents/remote-documents.ts";
import { DpopProofs } from "#dpop/dpop-proofs.ts";
import { DpopNonces } from "#dpop/nonces.ts";
import { GrantEndings } from "#grants/grant-endings.ts";
import { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import { checkIssuer } from "#issuers/issuer-check.ts";
import { IssuerDocuments } from "#issuers/issuer-documents.ts";
import { IssuerKeys } from "#issuers/issuer-keys.ts";
import { Seers } from "#people/seers.ts";
import type { Bindings } from "#platform/bindings.ts";
import { createOutgoingFetch } from "#platform/outgoing-fetch.ts";
import { outlivingRequests } from "#platform/wait-until.ts";
import { ServiceTokens } from "#service-tokens/service-tokens.ts";
import { Sessions } from "#session/session.ts";
import { ConnectionCheck } from "#single-sign-on/connection-check.ts";
import { OpenIdProvider } from "#single-sign-on/openid-provider.ts";
import { SignIn } from "#single-sign-on/sign-in.ts";
import { SpentIds } from "#spent-ids/spent-ids.ts";
import { UnfoundWords } from "#glossary/unfound-words.ts";
import { Usage } from "#usage/usage.ts";
import { createStores } from "./stores.ts";

/** Creates the stores, and the services that others are built from. */
export function createShared(bindings: Bindings) {
  const localDevelopment = bindings.LOCAL_DEVELOPMENT === "true";
  const naming = { pattern: bindings.INSTANCE_HOST, localDevelopment };
  const keyring = new Keyring(bindings.MASTER_KEYS);
  const stores = createStores(bindings, keyring);
  const audit = new AuditLog(stores.audit, keyring);
  const outliveRequest = outlivingRequests();
  const placements = new Placements(stores.moves);
  const policySnapshots = new PolicySnapshots(stores.policy, ({ instanceId, documents: placement }) =>
    placements.note(instanceId, placement),
  );
  const takeEffect = effectOn(policySnapshots, audit);
  const grantEndings = new GrantEndings(stores.grants, takeEffect);
  const signingKeys = new SigningKeys(stores.signingKeys, keyring, policySnapshots);
  const spentIds = new SpentIds(stores.spentIds);

  // For addresses that administrators choose: their SSO and identity providers, which in development run on this machine.
  const chosenFetch = createOutgoingFetch(localDevelopment);
  const issuerDocuments = new IssuerDocuments(chosenFetch);
  const issuerKeys = new IssuerKeys(issuerDocuments, stores.publicCache);
  const connectionCheck = new ConnectionCheck(chosenFetch, keyring, localDevelopment);
  const provider = new OpenIdProvider(keyring, stores.publicCache, chosenFetch, localDevelopment);
  const signIn = new SignIn(stores.people, provider, keyring);
  const sessions = new Sessions(stores.sessions, keyring);

  const engines = new Engines(bindings.DOCUMENTS, localDevelopment);
  const documents = remoteDocuments(placements, engines);
  const seers = new Seers(stores.seers, outliveRequest);
  const appAccess = new AppAccess(seers);
  const unfoundWords = new UnfoundWords(stores.unfoundWords, keyring, outliveRequest);
  const serviceTokens = new ServiceTokens(stores.serviceTokens);
  const dpopProofs = new DpopProofs(new DpopNonces(keyring));
  const usage = new Usage(stores.usage);
  const connectionAttempts = new ConnectionAttempts(stores.connectionSteps);
  const keyOf = async (name: string) => {
    const policy = await policySnapshots.current(name, outliveRequest);
    if (!policy) throw new Error("the instance is gone");
    return signingKeys.active(policy);
  };
  const auditDelivery = new AuditDelivery(stores.auditDeliveries, {
    entries: stores.audit,
    keyOf,
    keyring,
    fetch: chosenFetch,
    service: bindings.SERVICE_NAME,
  });
  const documentMoves = new DocumentMoves(stores.moves, engines);
  const auditVerification = new ChainVerification(stores.audit, keyring);
  const auditRetention = new AuditRetention(stores.audit, keyring, audit);
  return {
    stores,
    keyring,
    naming,
    chosenFetch,
    policySnapshots,
    takeEffect,
    audit,
    auditVerification,
    auditRetention,
    auditDelivery,
    keyOf,
    grantEndings,
    signingKeys,
    spentIds,
    issuerKeys,
    checkIssuer: (issuer: ExternalIssuer) => checkIssuer(issuerDocuments, issuer),
    connectionCheck,
    signIn,
    sessions,
    engines,
    documents,
    documentMoves,
    seers,
    appAccess,
    unfoundWords,
    serviceTokens,
    dpopProofs,
    usage,
    connectionAttempts,
  };
}

export type Shared = ReturnType<typeof createShared>;
