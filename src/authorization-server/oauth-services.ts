import type { D1ServiceAccounts } from "#service-accounts/service-accounts.d1.ts";
import type { AppAccess, AppNames } from "#app-access/app-access.ts";
import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import type { D1PendingRequests } from "#authorization-requests/pending-requests.d1.ts";
import type { D1AppRequests } from "#clients/app-requests.d1.ts";
import type { ClientAssertions } from "#clients/client-assertions.ts";
import type { D1Clients } from "#clients/clients.d1.ts";
import type { DocumentClients } from "#clients/document-clients.ts";
import type { D1Registrations } from "#clients/registrations.d1.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { DpopProofs } from "#dpop/dpop-proofs.ts";
import type { GrantEndings } from "#grants/grant-endings.ts";
import type { D1Grants } from "#grants/grants.d1.ts";
import type { D1TokenGrants } from "#grants/token-grants.d1.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import type { ExternalPeople } from "#people/external-people.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { SignIn } from "#single-sign-on/sign-in.ts";
import type { SpentIds } from "#spent-ids/spent-ids.ts";
import type { D1GrantHolders } from "#grants/grant-holder.d1.ts";

/** Reads an access token that a client presents as somebody's, as the Client API's gate does. @throws {ApiError} as the gate does */
export type SubjectTokens = (
  instance: RequestInstance,
  token: string,
  waitUntil: WaitUntil,
) => Promise<{
  readonly personId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly resource?: string;
  readonly grantId?: string;
  readonly keyThumbprint?: string | undefined;
  readonly apps: readonly AppNames[];
}>;

/**
 * What the flows of the authorization server work with. A flow without a memory of its own is a function that takes what it needs of
 * this.
 */
export interface OAuthServices {
  readonly clientAssertions: ClientAssertions;
  readonly registrations: D1Registrations;
  readonly appRequests: D1AppRequests;
  readonly pendingRequests: D1PendingRequests;
  readonly signIn: SignIn;
  readonly policySnapshots: PolicySnapshots;
  readonly clients: D1Clients;
  readonly documentClients: DocumentClients;
  readonly serviceAccounts: D1ServiceAccounts;
  readonly externalPeople: ExternalPeople;
  readonly subjectTokens: SubjectTokens;
  readonly issuerKeys: IssuerKeys;
  readonly spentIds: SpentIds;
  readonly dpopProofs: DpopProofs;
  readonly tokenGrants: D1TokenGrants;
  readonly grants: D1Grants;
  readonly grantEndings: GrantEndings;
  readonly appAccess: AppAccess;
  readonly signingKeys: SigningKeys;
  readonly keyring: Keyring;
  readonly grantHolders: D1GrantHolders;
}
