import { D1Store } from "#platform/d1.ts";
import type { Seer } from "#documents/engine.ts";
import { isOfIssuer } from "./directory-claims.ts";

interface Row {
  readonly email: string;
  /** JSON. */
  readonly directory_groups: string;
  /** JSON, for people that a directory provisions. */
  readonly provisioned: string | null;
}

export class D1Seers extends D1Store {
  /** Reads a person's row; `null` if they are deactivated or unknown. */
  async read(instanceId: number, personId: string): Promise<Seer | null> {
    const row = await this.first<Row>(
      `SELECT email, directory_groups, ${provisionedGroups("?2")} AS provisioned
       FROM people WHERE id = ?1 AND instance_id = ?2 AND deactivated_at IS NULL`,
      [personId, instanceId],
    );
    return row && { email: row.email, directoryGroups: groupsOf(row) };
  }

  /** Does the same before the instance is known, and returns its id too. */
  async readAnywhere(personId: string): Promise<{ instanceId: number; seer: Seer } | null> {
    const row = await this.first<Row & { readonly instance_id: number }>(
      `SELECT instance_id, email, directory_groups, ${provisionedGroups("people.instance_id")} AS provisioned
       FROM people WHERE id = ?1 AND deactivated_at IS NULL`,
      [personId],
    );
    return row && { instanceId: row.instance_id, seer: { email: row.email, directoryGroups: groupsOf(row) } };
  }

  /** Does the same for the person with an email address. An address that nobody has yet has no groups. */
  async readByEmail(instanceId: number, email: string): Promise<Seer | null> {
    const row = await this.first<Omit<Row, "email"> & { readonly deactivated_at: number | null }>(
      `SELECT directory_groups, deactivated_at, ${provisionedGroups("?1")} AS provisioned
       FROM people WHERE instance_id = ?1 AND email = ?2`,
      [instanceId, email],
    );
    if (row && row.deactivated_at !== null) return null;
    return { email, directoryGroups: row ? groupsOf(row) : [] };
  }
}

function groupsOf({ directory_groups, provisioned }: Pick<Row, "directory_groups" | "provisioned">): readonly string[] {
  const claimed = JSON.parse(directory_groups) as string[];
  return provisioned === null ? claimed : mergeGroups(claimed, JSON.parse(provisioned) as Provisioned);
}

/** The groups that a directory gives a person, and the setting `provisionedGroups`. */
interface Provisioned {
  readonly counting: "directory" | "sign-in" | "both";
  readonly groups: readonly string[];
}

/**
 * Merges the groups of a provisioned person. Groups that the SSO claimed are as old as the last sign-in, so by default the
 * directory's groups replace them. Groups of other identity providers have the provider in their names, and stay.
 */
function mergeGroups(claimed: readonly string[], { counting, groups }: Provisioned): readonly string[] {
  if (counting === "sign-in") return claimed;
  const kept = counting === "both" ? claimed : claimed.filter(isOfIssuer);
  return [...new Set([...kept, ...groups])];
}

/**
 * Returns SQL of a provisioned person's groups and the setting `provisionedGroups`, as JSON; NULL for anybody else. The table of
 * people must be named `people`.
 *
 * @param instance the parameter of the instance's id, such as `?2`
 */
function provisionedGroups(instance: string): string {
  return `(SELECT json_object(
      'counting', coalesce((SELECT settings ->> '$.provisionedGroups' FROM instances WHERE id = ${instance}), 'directory'),
      'groups', (SELECT json_group_array(g.name) FROM directory_members m JOIN directory_groups g ON g.id = m.group_id
        WHERE m.user_id = u.id))
    FROM directory_users u WHERE u.person_id = people.id)`;
}
