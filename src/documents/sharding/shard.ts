import type { ObjectCalls } from "#documents/documents.ts";
import type { DocumentSearch, PersonRights, Seer } from "#documents/engine.ts";
import type { GroupStanding } from "#documents/find/access/access.ts";
import type { EngineTransfer } from "#documents/moving/transfer.ts";
import type { NamedGroup } from "#documents/rights/rights.ts";
import type { ShardPage, SharedDecisions } from "./shard-page.ts";

/** What only shards of the same instance need from each other. */
export interface ShardCalls {
  /** Returns what this shard finds. @param shared what was decided for all shards; `null`: this shard decides */
  findInShard(search: DocumentSearch, seer: Seer, shared: SharedDecisions | null): Promise<ShardPage>;
  /** Returns what datasources say about a person; `null`: the version that is known is still valid. */
  rightsOf(seer: Seer, known: string | null): Promise<PersonRights | null>;
  /** Returns how a person is a member of a datasource's groups, in the order of the names. */
  groupStandings(datasource: string, names: readonly string[], seer: Seer): Promise<readonly GroupStanding[]>;
  /** Returns those of the groups that permissions of this shard's documents name. */
  groupsNamedHere(groups: readonly NamedGroup[]): Promise<readonly NamedGroup[]>;
}

/** All calls of an object with documents. */
export type ShardObject = ObjectCalls & EngineTransfer & ShardCalls;
