import type { D1Instances } from "#instance/instances.d1.ts";
import type { D1ServiceAccounts } from "#service-accounts/service-accounts.d1.ts";
import type { D1Glossaries } from "#glossary/glossaries.d1.ts";
import type { D1AppRules } from "#app-access/app-rules.d1.ts";
import type { D1Transmitters } from "#signals/transmitters.d1.ts";
import type { D1ServiceTokens } from "#service-tokens/service-tokens.d1.ts";
import type { D1ClientDirectory } from "#clients/client-directory.d1.ts";
import type { AuditDelivery } from "#audit/audit-delivery.ts";
import type { AuditLog } from "#audit/audit-log.ts";
import type { ChainVerification } from "#audit/chain-verification.ts";
import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import type { ConnectionAttempts } from "#connection-attempts/connection-attempts.ts";
import type { Documents } from "#documents/documents.ts";
import type { DocumentMoves } from "#documents/moving/move.ts";
import type { Doctor, DoctorTools } from "#doctor/doctor.ts";
import type { GroupDirectory } from "#custom-metadata/group-directory.ts";
import type { D1Grants } from "#grants/grants.d1.ts";
import type { D1ExternalIssuers } from "#issuers/external-issuers.d1.ts";
import type { AccessCheck } from "#people/access-check.ts";
import type { D1PeopleStandings } from "#people/person.d1.ts";
import type { TokenExplainer } from "#resource-server/authentication/token-explanation.ts";

/** The services from which the Admin API and the console read. */
export interface AdminReads {
  readonly accessCheck: Pick<AccessCheck, "explain">;
  readonly appRules: Pick<D1AppRules, "find" | "list">;
  readonly audit: Pick<AuditLog, "list">;
  readonly auditVerification: ChainVerification;
  readonly auditDelivery: Pick<AuditDelivery, "state">;
  readonly clientDirectory: D1ClientDirectory;
  readonly connectionAttempts: Pick<ConnectionAttempts, "recent">;
  readonly documents: Pick<Documents, "stats" | "removedDocuments">;
  readonly documentMoves: Pick<DocumentMoves, "standing" | "goOn">;
  readonly doctor: Doctor;
  readonly externalIssuers: Pick<D1ExternalIssuers, "list" | "require">;
  readonly grants: Pick<D1Grants, "find" | "list">;
  readonly instances: Pick<D1Instances, "require">;
  readonly issuedTokens: Pick<D1ServiceTokens, "find" | "list" | "namesOf" | "withScope">;
  readonly checkIssuer: DoctorTools["checkIssuer"];
  readonly glossaries: Pick<D1Glossaries, "read">;
  readonly metadataGroups: GroupDirectory;
  readonly people: Pick<D1PeopleStandings, "require" | "findByEmail" | "list" | "emailsOf" | "issuersOf" | "countOf">;
  readonly serviceAccounts: Pick<D1ServiceAccounts, "find" | "list">;
  readonly signingKeys: Pick<SigningKeys, "list">;
  readonly transmitters: Pick<D1Transmitters, "find" | "list">;
  readonly tokenExplainer: Pick<TokenExplainer, "explain">;
}
