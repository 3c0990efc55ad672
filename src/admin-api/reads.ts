import type { D1Transmitters } from "#signals/transmitters.d1.ts";
import type { D1ServiceTokens } from "#service-tokens/service-tokens.d1.ts";
import type { D1ClientDirectory } from "#clients/client-directory.d1.ts";
import type { AppRuleReader } from "#app-access/app-rule-store.ts";
import type { AuditDelivery } from "#audit/audit-delivery.ts";
import type { AuditLog } from "#audit/audit-log.ts";
import type { ChainVerification } from "#audit/chain-verification.ts";
import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import type { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import type { Documents } from "#documents/documents.ts";
import type { DocumentMoves } from "#documents/moving/move.ts";
import type { Doctor } from "#doctor/doctor.ts";
import type { GroupDirectory } from "#custom-metadata/group-directory.ts";
import type { Grants } from "#grants/grants.ts";
import type { Instances } from "#instance/instances.ts";
import type { IssuerCheck } from "#issuers/issuer-check.ts";
import type { IssuerDirectory } from "#issuers/registration.ts";
import type { AccessCheck } from "#people/access-check.ts";
import type { PeopleDirectory } from "#people/people-directory.ts";
import type { ServiceAccountReader } from "#service-accounts/service-account.ts";
import type { TokenExplainer } from "#resource-server/authentication/token-explanation.ts";
import type { GlossaryReader } from "#glossary/glossary-store.ts";

/** The services from which the Admin API and the console read. */
export interface AdminReads {
  readonly accessCheck: Pick<AccessCheck, "explain">;
  readonly appRules: AppRuleReader;
  readonly audit: Pick<AuditLog, "list">;
  readonly auditVerification: ChainVerification;
  readonly auditDelivery: Pick<AuditDelivery, "state">;
  readonly clientDirectory: D1ClientDirectory;
  readonly connectionAttempts: Pick<ConnectionAttempts, "recent">;
  readonly documents: Pick<Documents, "stats" | "removedDocuments">;
  readonly documentMoves: Pick<DocumentMoves, "standing" | "goOn">;
  readonly doctor: Pick<Doctor, "examine">;
  readonly externalIssuers: IssuerDirectory;
  readonly grants: Pick<Grants, "find" | "list">;
  readonly instances: Pick<Instances, "require">;
  readonly issuedTokens: Pick<D1ServiceTokens, "find" | "list" | "namesOf" | "withScope">;
  readonly issuerCheck: Pick<IssuerCheck, "check">;
  readonly glossaries: GlossaryReader;
  readonly metadataGroups: GroupDirectory;
  readonly people: PeopleDirectory;
  readonly serviceAccounts: Pick<ServiceAccountReader, "find" | "list">;
  readonly signingKeys: Pick<SigningKeys, "list">;
  readonly transmitters: Pick<D1Transmitters, "find" | "list">;
  readonly tokenExplainer: Pick<TokenExplainer, "explain">;
}
