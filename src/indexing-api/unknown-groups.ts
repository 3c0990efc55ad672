import type { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import type { Principal } from "#documents/engine.ts";
import { groupNamesOf } from "#documents/find/access/explain.ts";
import type { DatasourceRights } from "#documents/rights/rights.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import { type Warning, WARNINGS_MAX } from "#platform/members.ts";

/** A group of a datasource that permissions name, and where they first name it. */
export interface MentionedGroup {
  readonly datasource: string;
  readonly name: string;
  readonly path: string;
}

/** Returns each group that permissions name. @param pathOf returns the path of permissions */
export function groupsIn(
  permissions: readonly { readonly datasource: string; readonly principals: readonly Principal[] }[],
  pathOf: (index: number) => string,
): MentionedGroup[] {
  const found = new Map<string, MentionedGroup>();
  for (const [index, { datasource, principals }] of permissions.entries()) {
    for (const name of principals.flatMap(groupNamesOf)) {
      const key = JSON.stringify([datasource, name]);
      if (!found.has(key)) found.set(key, { datasource, name, path: pathOf(index) });
    }
  }
  return [...found.values()];
}

/** A pipeline sends the same groups again and again; a group that was created since has to be known soon. */
const REMEMBERED_SECONDS = 30;
const REMEMBERED_MAX = 20_000;

/** The most groups that are looked up for one request. */
const LOOKED_UP_MAX = 1000;

/**
 * Finds groups that nobody describes: probably misspelt, so that nobody sees the document. Groups may also come from the SSO at each
 * sign-in, which nobody can list: where neither the datasource nor a directory has groups, nothing is said.
 */
export class UnknownGroups {
  readonly #documents: Pick<DatasourceRights, "undescribedGroups">;
  readonly #directories: Pick<D1DirectoryGroups, "named">;
  readonly #remembered = new BoundedMap<string, { readonly isUnknown: boolean; readonly at: number }>(REMEMBERED_MAX);

  constructor(documents: Pick<DatasourceRights, "undescribedGroups">, directories: Pick<D1DirectoryGroups, "named">) {
    this.#documents = documents;
    this.#directories = directories;
  }

  /** Returns a warning for each unknown group. Never throws: if this fails, the documents are stored without it. */
  async warnings(instanceId: number, mentioned: readonly MentionedGroup[]): Promise<Warning[]> {
    const now = epochSeconds();
    const keyOf = ({ datasource, name }: MentionedGroup) => JSON.stringify([instanceId, datasource, name]);
    const isFresh = (group: MentionedGroup) =>
      now - (this.#remembered.get(keyOf(group))?.at ?? -Infinity) < REMEMBERED_SECONDS;
    const asked = mentioned.filter((group) => !isFresh(group)).slice(0, LOOKED_UP_MAX);
    try {
      const unknown = asked.length === 0 ? new Set<MentionedGroup>() : await this.#unknownOf(instanceId, asked);
      for (const group of asked) this.#remembered.set(keyOf(group), { isUnknown: unknown.has(group), at: now });
    } catch (error) {
      log({ level: "warn", event: "groups_not_checked", instanceId, detail: describeError(error) });
    }
    return mentioned
      .filter((group) => isFresh(group) && this.#remembered.get(keyOf(group))?.isUnknown === true)
      .slice(0, WARNINGS_MAX)
      .map(({ datasource, name, path }) => ({
        path,
        message: `${datasource} has no group ${JSON.stringify(name)}, and no directory has one: check its name, or describe it with indexgroup. Until then, only people whose single sign-on names it are in it`,
      }));
  }

  async #unknownOf(instanceId: number, asked: readonly MentionedGroup[]): Promise<Set<MentionedGroup>> {
    const unknown = new Set<MentionedGroup>();
    for (const [datasource, groups] of Map.groupBy(asked, (group) => group.datasource)) {
      const names = groups.map(({ name }) => name);
      const { undescribed, describesAny } = await this.#documents.undescribedGroups(instanceId, datasource, names);
      if (undescribed.length === 0) continue;
      const directory = await this.#directories.named(instanceId, undescribed);
      if (!describesAny && !directory.hasAny) continue;
      const left = new Set(undescribed.filter((name) => !directory.names.includes(name)));
      for (const group of groups) if (left.has(group.name)) unknown.add(group);
    }
    return unknown;
  }
}
