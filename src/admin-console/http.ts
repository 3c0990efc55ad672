import type { AdminReads } from "#admin-api/reads.ts";
import type { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import type { ActName } from "#administration/act-table.ts";
import type { Administration } from "#administration/administration.ts";
import type { Decider } from "#administration/acts.ts";
import type { Authority } from "#administration/authority.ts";
import type { AuditDelivery } from "#audit/audit-delivery.ts";
import type { AuditLog } from "#audit/audit-log.ts";
import type { Documents } from "#documents/documents.ts";
import type { D1Grants } from "#grants/grants.d1.ts";
import type { AccessCheck } from "#people/access-check.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { ConsoleFrame } from "#pages/views/console-frame.ts";
import type { ContextOf } from "#platform/http.ts";
import type { ServiceWords } from "#protocol/service-words.ts";
import type { SpentIds } from "#spent-ids/spent-ids.ts";
import type { Sessions } from "#session/session.ts";
import type { OwnFormEnv, SignedInEnv } from "#session/session-middleware.tsx";
import type { ConnectionCheck } from "#single-sign-on/connection-check.ts";
import type { UnfoundWords } from "#glossary/unfound-words.ts";
import type { Usage } from "#usage/usage.ts";

export interface ConsoleServices extends AdminReads {
  readonly accessCheck: AccessCheck;
  readonly administration: Administration;
  readonly administrationWithin: (by: Decider, isAsked: (act: ActName) => boolean) => Administration;
  readonly audit: AuditLog;
  readonly auditDelivery: Pick<AuditDelivery, "deliverNow" | "state">;
  readonly connectionCheck: ConnectionCheck;
  readonly directoryGroups: Pick<D1DirectoryGroups, "counts">;
  readonly documents: AdminReads["documents"] & Pick<Documents, "uploads" | "listDocuments" | "inspectDocument">;
  readonly grants: Omit<D1Grants, "end">;
  readonly policySnapshots: Pick<PolicySnapshots, "current">;
  readonly serviceWords: ServiceWords;
  readonly sessions: Sessions;
  readonly spentIds: SpentIds;
  readonly unfoundWords: Pick<UnfoundWords, "suggestions">;
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

export type ConsoleContext = ContextOf<ConsoleEnv>;
