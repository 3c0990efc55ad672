import type { DocumentName, Seer } from "#documents/engine.ts";
import type { AccessExplanation, GroupStanding, Standing } from "#documents/find/access.ts";
import { groupNamesOf, SHOWN_MAX, sourceOf } from "#documents/find/explain.ts";
import type { MembershipStep } from "#documents/find/principals.ts";
import { principalsOf } from "#documents-postgres/apply.ts";
import { type Rows, textList } from "#documents-postgres/database.ts";
import type { Held } from "#documents-postgres/rights/held.ts";
import { datasourcesKnowing, describedGroupsOf } from "#documents-postgres/rights/memberships.ts";
import { documentsNamed } from "./read.ts";

/** Explains why a person can or can't see a document. Verdict and rules both come from what searches use. */
export async function explainAccess(
  rows: Rows,
  name: DocumentName,
  seer: Seer,
  held: Held,
): Promise<AccessExplanation | null> {
  const named = await documentsNamed(rows, name, held);
  const shown = named.find(({ isSeen }) => isSeen) ?? named[0];
  if (!shown) return null;
  const [document] = await rows.all<Pick<AccessExplanation, "datasource" | "externalId" | "title" | "url">>(
    `SELECT datasource, external_id AS "externalId", title, url FROM documents WHERE instance_id = $1 AND id = $2`,
    shown.id,
  );
  if (!document) return null;
  const principals = await principalsOf(rows, shown.id);
  const rules = principals
    .map(({ id, ...principal }) => ({ principal, isHeld: held.principals.has(id) }))
    .sort((one, other) => Number(other.isHeld) - Number(one.isHeld))
    .slice(0, SHOWN_MAX)
    .map((rule) => ({ ...rule, names: groupNamesOf(rule.principal) }));
  const groupOf = await groupsOf(
    rows,
    document.datasource,
    seer,
    rules.flatMap(({ names }) => names),
  );
  return {
    ...document,
    isAllowed: shown.isSeen,
    rules: rules.map(({ names, ...rule }) => ({ ...rule, groups: names.map(groupOf) })),
    ruleCount: principals.length,
  };
}

/** Returns the groups of datasources that a person is in, and the datasources that have users with their email. */
export async function standingOf(rows: Rows, seer: Seer): Promise<Standing> {
  const knowing = await datasourcesKnowing(rows, seer.email);
  const described = await describedGroupsOf(rows, seer, knowing);
  const groups = [...described]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([datasource, steps]) => [...steps.keys()].map((name) => ({ datasource, name, steps })));
  return {
    datasources: knowing.map(({ name, isActive }) => ({ name, isActive: isActive === 1 })),
    groups: groups
      .slice(0, SHOWN_MAX)
      .map(({ datasource, name, steps }) => ({ datasource, name, source: sourceOf(name, steps) })),
    groupCount: groups.length,
  };
}

/** Looks up how a person is a member of a datasource's groups. */
async function groupsOf(
  rows: Rows,
  datasource: string,
  seer: Seer,
  names: readonly string[],
): Promise<(name: string) => GroupStanding> {
  const knowing = await datasourcesKnowing(rows, seer.email);
  const steps = (await describedGroupsOf(rows, seer, knowing)).get(datasource) ?? new Map<string, MembershipStep>();
  const known = await rows.all<{ name: string }>(
    "SELECT name FROM datasource_groups WHERE instance_id = $1 AND datasource = $2 AND name = ANY ($3::text[])",
    datasource,
    textList(names),
  );
  const isDescribed = new Set(known.map(({ name }) => name));
  const directory = new Set(seer.directoryGroups);
  return (name) => {
    if (steps.has(name)) return { name, source: sourceOf(name, steps) };
    const isDirectorys = !isDescribed.has(name) && directory.has(name);
    return { name, source: isDirectorys ? { by: "directory", member: name, path: [name] } : null };
  };
}
