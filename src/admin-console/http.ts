import type { AppRuleReader } from "#app-access/app-rule-store.ts";
import type { ActName } from "#administration/act-table.ts";
import type { Administration } from "#administration/administration.ts";
import type { Authority } from "#administration/authority.ts";
import type { AuditDelivery } from "#audit/audit-delivery.ts";
import type { AuditLog } from "#audit/audit-log.ts";
import type { ChainVerification } from "#audit/chain-verification.ts";
import type { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import type { ClientDirectory } from "#clients/client-directory.ts";
import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import type { DirectoryCounter } from "#directories/directory-counts.ts";
import type { Documents } from "#documents/documents.ts";
import type { DocumentMoves } from "#documents/moving/move.ts";
import type { Doctor } from "#doctor/doctor.ts";
import type { AskingSelf } from "#doctor/outside.ts";
import type { Grants } from "#grants/grants.ts";
import type { GroupDirectory } from "#custom-metadata/group-directory.ts";
import type { Instances } from "#instance/instances.ts";
import type { AccessCheck } from "#people/access-check.ts";
import type { PeopleDirectory } from "#people/people-directory.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { IssuerCheck } from "#issuers/issuer-check.ts";
import type { IssuerDirectory } from "#issuers/registration.ts";
import type { ConsoleFrame } from "#pages/views/console-frame.ts";
import type { ContextOf } from "#platform/http.ts";
import type { ServiceWords } from "#protocol/service-words.ts";
import type { SpentIds } from "#spent-ids/spent-ids.ts";
import type { TokenExplainer } from "#resource-server/authentication/token-explanation.ts";
import type { ServiceAccountReader } from "#service-accounts/service-account.ts";
import type { TokenReader } from "#service-tokens/token-listing.ts";
import type { Sessions } from "#session/session.ts";
import type { SessionSignIn } from "#session/session-sign-in.ts";
import type { OwnFormEnv, SignedInEnv } from "#session/session-middleware.ts";
import type { ConnectionCheck } from "#single-sign-on/connection-check.ts";
import type { TransmitterReader } from "#signals/transmitter.ts";
import type { Usage } from "#usage/usage.ts";
import { createFactory } from "#platform/handlers.ts";

/** The services that the console's pages use. */
export interface ConsoleServices {
  readonly accessCheck: AccessCheck;
  readonly administration: Administration;
  readonly administrationWithin: (authority: Authority, isAsked: (act: ActName) => boolean) => Administration;
  readonly appRules: AppRuleReader;
  readonly audit: AuditLog;
  readonly auditVerification: ChainVerification;
  readonly auditDelivery: Pick<AuditDelivery, "deliverNow" | "state">;
  readonly clientDirectory: ClientDirectory;
  readonly connectionAttempts: ConnectionAttempts;
  readonly connectionCheck: ConnectionCheck;
  readonly directoryCounter: DirectoryCounter;
  readonly doctor: Doctor;
  readonly documentMoves: Pick<DocumentMoves, "standing" | "goOn">;
  readonly documents: Pick<Documents, "stats" | "uploads" | "listDocuments" | "inspectDocument">;
  readonly externalIssuers: IssuerDirectory;
  readonly grants: Grants;
  readonly instances: Instances;
  readonly issuedTokens: TokenReader;
  readonly issuerCheck: IssuerCheck;
  readonly metadataGroups: GroupDirectory;
  readonly people: PeopleDirectory;
  readonly policySnapshots: Pick<PolicySnapshots, "current">;
  readonly serviceAccounts: Pick<ServiceAccountReader, "find" | "list">;
  readonly serviceWords: ServiceWords;
  readonly sessions: Sessions;
  readonly sessionSignIn: SessionSignIn;
  readonly signingKeys: SigningKeys;
  readonly spentIds: SpentIds;
  readonly tokenExplainer: TokenExplainer;
  readonly transmitters: TransmitterReader;
  readonly usage: Usage;
}

interface ConsoleVariables {
  /** What the signed-in person's role allows. */
  authority: Authority;
  /** What every page of the console needs besides its content. */
  console: ConsoleFrame;
}

export type ConsoleEnv = SignedInEnv<ConsoleServices, ConsoleVariables>;
export type ConsoleFormEnv = OwnFormEnv<ConsoleServices, ConsoleVariables>;

/** The doctor also calls the service's own routes. */
export type DoctorEnv = SignedInEnv<ConsoleServices, ConsoleVariables & AskingSelf>;

/** The context of a console handler, for pages and forms. */
export type ConsoleContext = ContextOf<ConsoleEnv>;

/** Creates handlers of pages, and of forms whose fields aren't read. */
export const pages = createFactory<ConsoleEnv>();

/** Creates handlers of forms, which read the posted fields. */
export const forms = createFactory<ConsoleFormEnv>();
