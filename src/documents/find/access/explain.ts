import type { DocumentName, Principal, Seer } from "#documents/engine.ts";
import { placeOf } from "#documents/index-rules.ts";
import { knownPrincipalsOf } from "#documents/principals.ts";
import type { Store } from "#documents/store.ts";
import type { AccessExplanation, AccessRule, GroupSource, GroupStanding, Standing } from "./access.ts";
import { datasourcesKnowing, describedGroupsOf, inactiveAmong, type MembershipStep } from "./caller-principals.ts";
import { documentsNamed, type IsSeen } from "#documents/find/page/named-documents.ts";
import type { CallerAccess } from "./access-classes.ts";

/** The most principals of a document, and groups of a person, that a page shows. */
const SHOWN_MAX = 100;

/**
 * Explains why a person can or can't see a document. Verdict and rules both come from what searches use: the classes that the person
 * holds, the principals that make up those classes, and what the app may search.
 */
export function explainAccess(
  store: Store,
  name: DocumentName,
  seer: Seer,
  { classes, principals: held }: CallerAccess,
  isSeen: IsSeen,
): AccessExplanation | null {
  const named = documentsNamed(store, name);
  const isPermitted = ({ accessClass }: { readonly accessClass: number }) => classes[accessClass] === 1;
  const shown = named.find(isSeen) ?? named.find(isPermitted) ?? named[0];
  if (!shown) return null;
  const [document] = store.exec<Pick<AccessExplanation, "datasource" | "externalId" | "title" | "url">>(
    "SELECT datasource, external_id AS externalId, title, url FROM documents WHERE id = ?1",
    shown.id,
  );
  if (!document) return null;
  const principals = knownPrincipalsOf(store, shown.accessClass);
  const rules = principals
    .map(({ id, ...principal }) => ({ principal, isHeld: placeOf(held, id) >= 0 }))
    .sort((one, other) => Number(other.isHeld) - Number(one.isHeld))
    .slice(0, SHOWN_MAX);
  const groupOf = groupsOf(store, document.datasource, seer);
  return {
    ...document,
    isAllowed: isSeen(shown),
    isWithheld: isPermitted(shown) && !isSeen(shown),
    rules: rules.map((rule): AccessRule => ({ ...rule, groups: groupNamesOf(rule.principal).map(groupOf) })),
    ruleCount: principals.length,
  };
}

/** Returns the groups of datasources that a person is in, and the datasources that have users with their email. */
export function standingOf(store: Store, seer: Seer): Standing {
  const knowing = datasourcesKnowing(store, seer.email);
  const inactive = inactiveAmong(knowing);
  const described = store
    .exec<{ name: string }>("SELECT name FROM datasources WHERE memberships > 0 ORDER BY name")
    .filter(({ name }) => !inactive.has(name));
  const groups = described.flatMap(({ name: datasource }) => {
    const steps = describedGroupsOf(store, datasource, seer);
    return [...steps.keys()].map((name) => ({ datasource, name, steps }));
  });
  return {
    datasources: knowing.map(({ name, isActive }) => ({ name, isActive: isActive === 1 })),
    groups: groups
      .slice(0, SHOWN_MAX)
      .map(({ datasource, name, steps }) => ({ datasource, name, source: sourceOf(name, steps) })),
    groupCount: groups.length,
  };
}

/** Returns how a person is a member of groups of a datasource. */
export function groupStandings(
  store: Store,
  datasource: string,
  names: readonly string[],
  seer: Seer,
): GroupStanding[] {
  return names.map(groupsOf(store, datasource, seer));
}

/** Returns the groups that a principal consists of. */
export function groupNamesOf({ kind, name }: Principal): readonly string[] {
  if (kind === "group") return [name];
  return kind === "intersection" ? (JSON.parse(name) as string[]) : [];
}

/** Returns a look-up of how a person is a member of a datasource's groups. */
function groupsOf(store: Store, datasource: string, seer: Seer): (name: string) => GroupStanding {
  const isInactive = inactiveAmong(datasourcesKnowing(store, seer.email)).has(datasource);
  const steps = isInactive ? new Map<string, MembershipStep>() : describedGroupsOf(store, datasource, seer);
  const directory = new Set(seer.directoryGroups);
  return (name) => {
    if (steps.has(name)) return { name, source: sourceOf(name, steps) };
    const [described] = store.exec(
      "SELECT 1 FROM datasource_groups WHERE datasource = ?1 AND name = ?2",
      datasource,
      name,
    );
    const isDirectorys = !described && directory.has(name);
    return { name, source: isDirectorys ? { by: "directory", member: name, path: [name] } : null };
  };
}

/** Returns how a person came to a group. Each step was found from an earlier one, so the path ends at the person. */
function sourceOf(name: string, steps: ReadonlyMap<string, MembershipStep>): GroupSource {
  const path = [name];
  let step = steps.get(name) as MembershipStep;
  while (step.by === "group") {
    path.unshift(step.member);
    step = steps.get(step.member) as MembershipStep;
  }
  return { by: step.by, member: step.member, path };
}
