import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { Tokens } from "#authorization-server/token/tokens.ts";
import { ClientAssertions } from "#clients/client-assertions.ts";
import { DocumentClients } from "#clients/document-clients.ts";
import { IssuerDocuments } from "#issuers/issuer-documents.ts";
import { IssuerKeys } from "#issuers/issuer-keys.ts";
import { createOutgoingFetch, STRANGERS } from "#platform/outgoing-fetch.ts";
import type { ClientApiGate } from "#resource-server/authentication/client-api-gate.ts";
import type { Shared } from "./shared.ts";

/** Creates the services of the endpoints in `authorization-server/`. */
export function createAuthorizationServer(shared: Shared, clientApiGate: ClientApiGate) {
  const { stores, spentIds } = shared;
  const { publicCache } = stores;
  // Anybody can choose the URL of a document, so these fetches never reach the machine itself, even in local development.
  const strangersFetch = () => createOutgoingFetch(false, "refuse", STRANGERS);
  const documentClients = new DocumentClients(
    { ofHosts: strangersFetch(), others: strangersFetch() },
    publicCache,
    stores.clients,
  );
  const publishedClientKeys = {
    administrator: new IssuerKeys(new IssuerDocuments(createOutgoingFetch(false)), publicCache),
    people: new IssuerKeys(new IssuerDocuments(strangersFetch()), publicCache),
    nobody: new IssuerKeys(new IssuerDocuments(strangersFetch()), null),
  };
  const oauth: OAuthServices = {
    ...stores,
    ...shared,
    clientAssertions: new ClientAssertions(stores.clients, publishedClientKeys, spentIds),
    documentClients,
    subjectTokens: (instance, token, waitUntil) => {
      // What the header announces is known here: nothing but access tokens is exchanged. No address limits them.
      const presented = { announcedAsExternal: true, authTypeHeader: "", address: "", waitUntil };
      return clientApiGate.examine(instance, token, presented).admit();
    },
  };
  return { ...oauth, tokens: new Tokens(oauth) };
}
