import { BoundedMap } from "#platform/bounded-map.ts";
import type { PersonRights, Seer } from "#documents/engine.ts";
import type { ShardObject } from "./shard.ts";

/** The most people whose rights an isolate remembers. */
const PEOPLE_MAX = 200;

interface Known {
  readonly directoryGroups: string;
  readonly rights: PersonRights;
}

/**
 * What datasources say about people. Only the first shard has users, groups and memberships, so the others are told. Nothing is trusted
 * for longer than one call: while shards use what is remembered, the first one checks it.
 */
export class KnownRights {
  readonly #known = new BoundedMap<string, Known>(PEOPLE_MAX);

  /** Calls shards with a person's rights. If these changed since they were remembered, it calls them again. */
  async using<Result>(
    first: Pick<ShardObject, "rightsOf">,
    instanceId: number,
    seer: Seer,
    act: (seer: Seer) => Promise<Result>,
  ): Promise<Result> {
    const key = `${instanceId} ${seer.email}`;
    const directoryGroups = JSON.stringify(seer.directoryGroups);
    const remembered = this.#known.get(key);
    const known = remembered?.directoryGroups === directoryGroups ? remembered.rights : null;
    const [changed, result] = await Promise.all([
      first.rightsOf(seer, known?.version ?? null),
      known && act({ ...seer, rights: known }),
    ]);
    if (changed === null) return result as Result;
    this.#known.set(key, { directoryGroups, rights: changed });
    return act({ ...seer, rights: changed });
  }
}
