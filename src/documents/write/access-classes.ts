import { addClass } from "#documents/access-class-principals.sql.ts";
import { batchesOf } from "#documents/batches.ts";
import type { Principal } from "#documents/engine.ts";
import { lastRowOf, moveState, type Store } from "#documents/store.ts";
import { wordHashOf } from "#documents/word-hash.ts";
import { RESOLVING_WORK, WORK } from "#documents/work.ts";

/** The class of documents that nobody may see. No person ever holds it. */
const NOBODY = 0;

/** The most principals that a document's own step resolves. Longer lists are resolved before it, in steps of their own. */
export const PRINCIPALS_AT_ONCE = 500;

/** The most principals whose classes one step writes. */
const PRINCIPALS_A_STEP = 1500;

/** The class of a list that is being resolved: no list finds it, so no document gets it. Hashes are never negative. */
export const NO_FINGERPRINT = -1;

/** Returns the class of a list of principals, as {@link resolveClass} does, in one step. */
export function classOf(store: Store, principals: readonly Principal[]): number {
  const steps = resolveClass(store, principals);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Finds or creates the class of a list of principals, which is the same for any order. Yields where another transaction may begin.
 * Until the class is used, nothing may remove principals or classes that no document names. Everyone who holds one of the principals
 * holds a new class from the next search on.
 */
export function* resolveClass(store: Store, principals: readonly Principal[]): Generator<undefined, number> {
  if (principals.length === 0) return NOBODY;
  const found: number[] = [];
  for (const batch of batchesOf(principals, workOfPrincipal, RESOLVING_WORK)) {
    if (found.length > 0) yield;
    found.push(...principalIds(store, batch));
  }
  const sorted = Uint32Array.from(found).sort();
  const ids = `[${sorted.join(",")}]`;
  const fingerprint = wordHashOf(store)(ids);
  const [known] = store.exec<{ id: number }>(
    "SELECT id FROM access_classes WHERE fingerprint = ?1 AND principals = ?2",
    fingerprint,
    ids,
  );
  if (known) return known.id;
  const isLong = sorted.length > PRINCIPALS_AT_ONCE;
  const made = makeClass(store, isLong ? NO_FINGERPRINT : fingerprint, ids);
  if (!isLong) {
    addClass(store, ids, made);
    return made;
  }
  for (let from = 0; from < sorted.length; from += PRINCIPALS_A_STEP) {
    yield;
    addClass(store, `[${sorted.subarray(from, from + PRINCIPALS_A_STEP).join(",")}]`, made);
  }
  store.exec("UPDATE access_classes SET fingerprint = ?2 WHERE id = ?1", made, fingerprint);
  // A search in between may have read some of its principals and not the others.
  moveState(store, "rights", 1);
  return made;
}

function makeClass(store: Store, fingerprint: number, ids: string): number {
  store.exec("INSERT INTO access_classes (fingerprint, principals) VALUES (?1, ?2)", fingerprint, ids);
  return lastRowOf(store);
}

/** Returns what finding or creating a principal takes, in microseconds of CPU. */
export function workOfPrincipal({ kind, name }: Principal): number {
  const groups = kind === "intersection" ? (JSON.parse(name) as string[]).length : 0;
  return WORK.principal + groups * WORK.intersectionGroup;
}

/** Returns the ids of principals. New ones get one. */
function principalIds(store: Store, principals: readonly Principal[]): number[] {
  const list = JSON.stringify(principals);
  const known = () =>
    store
      .exec<{ id: number }>(
        `SELECT p.id FROM json_each(?1) l CROSS JOIN principals p
         ON p.kind = l.value ->> 'kind' AND p.name = l.value ->> 'name' AND p.datasource = l.value ->> 'datasource'`,
        list,
      )
      .map(({ id }) => id);
  const before = known();
  if (before.length === principals.length) return before;
  store.exec(
    `INSERT OR IGNORE INTO principals (kind, name, datasource)
     SELECT value ->> 'kind', value ->> 'name', value ->> 'datasource' FROM json_each(?1)`,
    list,
  );
  // A class of known principals is checked against remembered ones. Only a new principal requires reading people's rights again.
  moveState(store, "rights", 1);
  const intersections = principals.filter(({ kind }) => kind === "intersection");
  if (intersections.length > 0) nameGroups(store, intersections);
  return known();
}

/** Notes the groups of intersections, which are principals as well. */
function nameGroups(store: Store, intersections: readonly Principal[]): void {
  const groups = intersections.flatMap(({ datasource, name }) =>
    (JSON.parse(name) as string[]).map((group) => ({ kind: "group", datasource, name: group }) as const),
  );
  principalIds(store, groups);
  store.exec(
    `INSERT OR IGNORE INTO intersection_groups (group_id, intersection_id)
     SELECT g.id, i.id FROM json_each(?1) l
     CROSS JOIN principals i ON i.kind = 'intersection' AND i.name = l.value ->> 'name' AND i.datasource = l.value ->> 'datasource'
     CROSS JOIN json_each(i.name) n
     CROSS JOIN principals g ON g.kind = 'group' AND g.name = n.value AND g.datasource = i.datasource`,
    JSON.stringify(intersections),
  );
}
