import { asMembers, readerOf } from "#platform/columns.sql.ts";
import { AuditedStore, recordIfChanged } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { ClientKeys } from "#clients/client-keys.ts";
import {
  addMachineClient,
  changeMachineClient,
  disableMachineClient,
  enableMachineClient,
  removeMachineClient,
} from "#clients/machine-client.sql.ts";
import { endGrants } from "#grants/ending.sql.ts";
import { OF_SOMEBODY_OUT } from "#people/endings.sql.ts";
import {
  addMachine,
  DEACTIVATE_MACHINE,
  IS_RELEASED_MACHINE,
  reactivateMachine,
  RELEASE_MACHINE,
  setMachineGroups,
} from "#people/machine.sql.ts";
import { hasRoom } from "#people/new-person.sql.ts";
import { changesOf, runBatch, type Statement } from "#platform/d1.ts";
import {
  machineName,
  type MachineProof,
  proofOfMachine,
  SERVICE_ACCOUNTS_MAX,
  type ServiceAccount,
  type ServiceAccountDraft,
} from "./service-account.ts";
import type { WorkloadRule } from "./workload-rule.ts";

/** An account as its rows have it. Without keys, the workload is the rule about a platform's tokens, or an app. */
interface Stored extends Omit<ServiceAccount, "proof"> {
  readonly workload: WorkloadRule | { readonly client: string } | null;
  readonly keys: ClientKeys | null;
}

const readRow = readerOf<Stored>()(["workload", "keys", "scopes", "groups"], ["isDisabled"]);

const SELECT = `SELECT s.id, s.name, s.workload, c.keys, c.scopes, p.directory_groups AS groups,
    ${asMembers("created_at, changed_at", "s.")},
    COALESCE((SELECT max(COALESCE(g.rotated_at, g.redeemed_at)) FROM grants g WHERE g.person_id = s.id), c.last_authorized_at)
      AS lastUsedAt, c.disabled_at IS NOT NULL AS isDisabled
  FROM service_accounts s JOIN people p ON p.id = s.id JOIN clients c ON c.id = s.id AND c.instance_id = s.instance_id
  WHERE s.instance_id = ?1`;

/** The condition that the account is still as written or seen: ?1 its id, ?2 the instance, ?3 when it changed. */
const AS_SEEN =
  "EXISTS (SELECT 1 FROM service_accounts s WHERE s.id = ?1 AND s.instance_id = ?2 AND s.changed_at = ?3)";

/** The condition that the client is a service account's. */
const OF_ACCOUNT = "EXISTS (SELECT 1 FROM service_accounts s WHERE s.id = ?1 AND s.instance_id = ?2)";

/** Service accounts in D1. A machine is a row in each of three tables, which are written and ended together. */
export class D1ServiceAccounts extends AuditedStore {
  async find(instanceId: number, id: string): Promise<ServiceAccount | null> {
    return this.first(`${SELECT} AND s.id = ?2`, [instanceId, id], toAccount);
  }

  async list(instanceId: number): Promise<ServiceAccount[]> {
    return this.all(`${SELECT} ORDER BY s.name`, [instanceId], toAccount);
  }

  /** Finds the enabled accounts whose rules accept an issuer's tokens. */
  async ofIssuer(instanceId: number, issuer: string): Promise<ServiceAccount[]> {
    return this.all(
      `${SELECT} AND s.workload ->> '$.issuer' = ?2 AND c.disabled_at IS NULL`,
      [instanceId, issuer],
      toAccount,
    );
  }

  /** Finds the accounts that the app of a metadata document is bound to. */
  async ofClient(instanceId: number, clientId: string): Promise<ServiceAccount[]> {
    return this.all(`${SELECT} AND s.workload ->> '$.client' = ?2`, [instanceId, clientId], toAccount);
  }

  /** Adds an account, unless its name is taken or there are too many. */
  async create(id: string, draft: ServiceAccountDraft, entry: AuditEntry): Promise<boolean> {
    const { name, groups, scopes, proof } = draft;
    const creation = this.statement(
      `INSERT INTO service_accounts (id, instance_id, name, workload, created_at, changed_at) SELECT ?1, ?2, ?3, ?4, ?5, ?5
       WHERE (SELECT count(*) FROM service_accounts WHERE instance_id = ?2) < ?6 AND ${hasRoom("?2")}
       ON CONFLICT DO NOTHING`,
      [id, entry.instanceId, name, workloadOf(proof), entry.at, SERVICE_ACCOUNTS_MAX],
    );
    return this.decide(creation, entry, [
      this.statement(addMachine(AS_SEEN), [
        id,
        entry.instanceId,
        entry.at,
        machineName(name),
        name,
        JSON.stringify(groups),
      ]),
      this.statement(addMachineClient(AS_SEEN), [
        id,
        entry.instanceId,
        entry.at,
        name,
        JSON.stringify(scopes),
        keysOf(proof),
        await proofOfMachine(proof),
      ]),
    ]);
  }

  /** Changes everything but the name, if the account is still as seen. */
  async change(seen: ServiceAccount, draft: ServiceAccountDraft, entry: AuditEntry): Promise<boolean> {
    const { groups, scopes, proof } = draft;
    const changedAt = Math.max(entry.at, seen.changedAt + 1);
    const bound = [seen.id, entry.instanceId, seen.changedAt] as const;
    const results = await runBatch(this.database, [
      this.statement(setMachineGroups(AS_SEEN), [...bound, JSON.stringify(groups)]),
      this.statement(changeMachineClient(AS_SEEN), [
        ...bound,
        JSON.stringify(scopes),
        keysOf(proof),
        await proofOfMachine(proof),
        changedAt,
      ]),
      this.statement(
        `UPDATE service_accounts SET workload = ?4, changed_at = ?5 WHERE id = ?1 AND instance_id = ?2 AND ${AS_SEEN}`,
        [...bound, workloadOf(proof), changedAt],
      ),
      recordIfChanged(this.database, entry),
    ]);
    return changesOf(results, 2) > 0;
  }

  /** Disables an account and ends its grants. */
  async disable(id: string, entry: AuditEntry): Promise<boolean> {
    const disabling = this.statement(disableMachineClient(OF_ACCOUNT), [id, entry.instanceId, entry.at]);
    return this.decide(disabling, entry, this.#end(id, entry));
  }

  async enable(id: string, entry: AuditEntry): Promise<boolean> {
    const enabling = this.statement(enableMachineClient(OF_ACCOUNT), [id, entry.instanceId, entry.at]);
    return this.decide(enabling, entry, [
      this.statement(reactivateMachine("EXISTS (SELECT 1 FROM service_accounts s WHERE s.id = ?1)"), [
        id,
        entry.instanceId,
      ]),
    ]);
  }

  async remove(id: string, entry: AuditEntry): Promise<boolean> {
    const removal = this.statement("DELETE FROM service_accounts WHERE id = ?1 AND instance_id = ?2", [
      id,
      entry.instanceId,
    ]);
    return this.decide(removal, entry, [
      ...this.#end(id, entry),
      this.statement(RELEASE_MACHINE, [id, entry.instanceId, entry.at]),
      this.statement(removeMachineClient(IS_RELEASED_MACHINE), [id, entry.instanceId]),
    ]);
  }

  /** Returns the statements that deactivate the machine and end its grants. The gate applies both with the next policy snapshot. */
  #end(id: string, entry: AuditEntry): Statement[] {
    const scope = { kind: "person", personId: id } as const;
    return [
      this.statement(DEACTIVATE_MACHINE, [id, entry.instanceId, entry.at]),
      ...endGrants(this.database, { ...entry, scope, reason: "person_deactivated" }, OF_SOMEBODY_OUT),
    ];
  }
}

/** Returns the rule about a platform's tokens, or the app: the client of the account has no keys then. */
function workloadOf(proof: MachineProof): string | null {
  if ("keys" in proof) return null;
  return JSON.stringify("workload" in proof ? proof.workload : proof);
}

function keysOf(proof: MachineProof): string | null {
  return "keys" in proof ? JSON.stringify(proof.keys) : null;
}

function toAccount(row: Parameters<typeof readRow>[0]): ServiceAccount {
  const { workload, keys, ...account } = readRow(row);
  if (workload === null) return { ...account, proof: { keys: keys ?? { jwks: [] } } };
  return { ...account, proof: "client" in workload ? workload : { workload } };
}
