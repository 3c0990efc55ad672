import type { ExternalPeople } from "#people/external-people.ts";
import type { HostNaming } from "#platform/host-naming.ts";
import { AppAccess } from "#app-access/app-access.ts";
import { DpopProofs } from "#dpop/dpop-proofs.ts";
import { PolicySnapshots } from "#instance/policy-snapshot.ts";
import { IssuerKeys } from "#issuers/issuer-keys.ts";
import { LookedUpPeople } from "#people/looked-up-people.ts";
import type { Clock } from "#platform/clock.ts";
import { ClientApiGate } from "#resource-server/authentication/client-api-gate.ts";
import { ExternalTokens } from "#resource-server/authentication/external-token.ts";
import { OwnTokens } from "#resource-server/authentication/own-token.ts";
import { ServiceTokenGate } from "#resource-server/authentication/service-token-gate.ts";
import { TokenExplainer } from "#resource-server/authentication/token-explanation.ts";
import { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { Stores } from "./stores.ts";

/** The services that the gates share with others. */
interface SharedWithGates {
  readonly policySnapshots: PolicySnapshots;
  readonly issuerKeys: IssuerKeys;
  readonly serviceTokens: ServiceTokens;
  readonly dpopProofs: DpopProofs;
  readonly appAccess: AppAccess;
  readonly naming: HostNaming;
  readonly clock: Clock;
}

/** Creates the gates of the APIs, and the explainer of tokens, which runs the checks of the Client API's gate. */
export function createGates({ externalPeople, serviceTokens: tokenStore }: Stores, shared: SharedWithGates) {
  const { policySnapshots, issuerKeys, serviceTokens, dpopProofs, appAccess, naming, clock } = shared;
  const clientApiGate = (people: ExternalPeople, tokens: ServiceTokens) =>
    new ClientApiGate(
      new OwnTokens(policySnapshots, clock),
      new ExternalTokens(issuerKeys, people, clock, naming),
      tokens,
      dpopProofs,
      naming,
    );
  // An explanation leaves no trace of the token: it creates no person and notes no use.
  const explainingGate = () =>
    clientApiGate(new LookedUpPeople(externalPeople), new ServiceTokens(tokenStore, { note: () => undefined }, clock));
  return {
    clientApiGate: clientApiGate(externalPeople, serviceTokens),
    tokenExplainer: new TokenExplainer(explainingGate, appAccess),
    indexingGate: new ServiceTokenGate("indexing", serviceTokens),
    adminGate: new ServiceTokenGate("admin", serviceTokens),
    scimGate: new ServiceTokenGate("scim", serviceTokens),
  };
}
