import type { AuditLog } from "#audit/audit-log.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import type { D1NamedPeople } from "#people/named-people.d1.ts";
import type { SpentIds } from "#spent-ids/spent-ids.ts";
import type { D1SignOuts } from "./sign-outs.d1.ts";
import type { D1Transmitters } from "./transmitters.d1.ts";

/** What the receivers of signals work with. */
export interface SignalServices {
  readonly issuerKeys: IssuerKeys;
  readonly transmitters: Pick<D1Transmitters, "find" | "noteVerified">;
  readonly signOuts: D1SignOuts;
  readonly namedPeople: D1NamedPeople;
  readonly spentIds: SpentIds;
  readonly policySnapshots: Pick<PolicySnapshots, "expire">;
  readonly audit: Pick<AuditLog, "seal">;
}
