import type { ExternalPeople } from "#people/external-people.ts";
import { LookedUpPeople } from "#people/looked-up-people.ts";
import { ClientApiGate } from "#resource-server/authentication/client-api-gate.ts";
import { ExternalTokens } from "#resource-server/authentication/external-token.ts";
import { OwnTokens } from "#resource-server/authentication/own-token.ts";
import { TokenExplainer } from "#resource-server/authentication/token-explanation.ts";
import { ServiceTokens } from "#service-tokens/service-tokens.ts";
import type { Shared } from "./shared.ts";

/** Creates the gates of the APIs, and the explainer of tokens, which runs the checks of the Client API's gate. */
export function createGates(shared: Shared) {
  const { stores, policySnapshots, issuerKeys, serviceTokens, dpopProofs, appAccess, naming } = shared;
  const { externalPeople, serviceTokens: tokenStore } = stores;
  const clientApiGate = (people: ExternalPeople, tokens: ServiceTokens) =>
    new ClientApiGate(
      new OwnTokens(policySnapshots),
      new ExternalTokens(issuerKeys, people, naming),
      tokens,
      dpopProofs,
      naming,
    );
  // An explanation creates no person, and remembers no token.
  const explainingGate = () => clientApiGate(new LookedUpPeople(externalPeople), new ServiceTokens(tokenStore));
  return {
    clientApiGate: clientApiGate(externalPeople, serviceTokens),
    tokenExplainer: new TokenExplainer(explainingGate, appAccess),
  };
}
