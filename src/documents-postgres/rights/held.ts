import type { Seer } from "#documents/engine.ts";
import { RIGHTS_LIMITS } from "#documents/find/principals.ts";
import { NEW_BYTES_MAX, NEW_CLASSES_MAX } from "#documents/find/rights.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { numberList, type Rows, textList } from "#documents-postgres/database.ts";
import type { Instance } from "#documents-postgres/instance.ts";
import { datasourcesKnowing, describedGroupsOf } from "./memberships.ts";

/** The most people who are remembered at a time. */
const PEOPLE_MAX = 100;
/** The most bytes that they take together: each takes a bit for every class, and a number for each class that they hold. */
const BYTES_MAX = 10_000_000;

/** The principals and classes of permissions that a person holds. */
export interface Held {
  readonly principals: ReadonlySet<number>;
  /** The ids of the classes of permissions. */
  readonly classes: readonly number[];
  /** The same classes, one bit each. */
  readonly bits: Uint8Array;
}

interface Known extends Held {
  readonly seer: Seer;
  /** The instance's version of rights, and its newest class, when this was read. */
  readonly version: number;
  readonly lastClass: number;
  readonly counting: string;
}

/**
 * What people hold, remembered until something changes that could affect it. Every call reads the version in its own transaction,
 * so a new permission or membership applies to the next call. Nothing is remembered across a restart of the server or a restore
 * of its tables: the same versions and classes may be given again then, with another meaning.
 */
export class Rights {
  readonly #known = new BoundedMap<string, Known>(PEOPLE_MAX);

  /** Returns what a person holds: the same object as before if nothing changed. */
  async heldBy(rows: Rows, { rights: version, lastClass, counting }: Instance, seer: Seer): Promise<Held> {
    const key = JSON.stringify([rows.instanceId, seer.email]);
    const known = this.#known.get(key);
    const isKnown =
      known?.version === version &&
      known.counting === counting &&
      isSame(known.seer.directoryGroups, seer.directoryGroups);
    if (isKnown && known.lastClass === lastClass) return known;
    const principals = isKnown ? known.principals : new Set(await principalsHeldBy(rows, seer));
    const added = isKnown ? await newClasses(rows, known, principals) : null;
    const classes = isKnown && added !== null ? [...known.classes, ...added] : await classesOf(rows, principals);
    const held = { seer, version, lastClass, counting, principals, classes, bits: bitsOf(classes) };
    this.#known.set(key, held, Math.ceil(BYTES_MAX / (held.bits.length + classes.length * 8 + 1)));
    return held;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

function bitsOf(classes: readonly number[]): Uint8Array {
  const last = classes.reduce((most, one) => Math.max(most, one), -1);
  const bits = new Uint8Array(last < 0 ? 0 : (last >> 3) + 1);
  for (const one of classes) bits[one >> 3] = (bits[one >> 3] ?? 0) | (1 << (one & 7));
  return bits;
}

async function classesOf(rows: Rows, principals: ReadonlySet<number>): Promise<number[]> {
  const [row] = await rows.all<{ classes: number[] | null }>(
    `SELECT json_agg(h.class) AS classes FROM (
       SELECT DISTINCT c.class FROM unnest($2::int[]) AS p (id)
       JOIN class_principals c ON c.instance_id = $1 AND c.principal = p.id) h`,
    numberList(principals),
  );
  return row?.classes ?? [];
}

/**
 * Returns the newer classes that a person holds; `null` if they are so many or so long that reading the classes of the person's
 * principals again is faster. They name only known principals, because a new principal increases the version.
 */
async function newClasses(
  rows: Rows,
  { lastClass }: Known,
  principals: ReadonlySet<number>,
): Promise<readonly number[] | null> {
  const since = "FROM classes WHERE instance_id = $1 AND id > $2";
  const [row] = await rows.all<{ isFew: boolean; classes: { id: number; principals: number[] }[] | null }>(
    `WITH few AS MATERIALIZED (
       SELECT count(*) <= ${NEW_CLASSES_MAX} AND coalesce(sum(bytes), 0) <= ${NEW_BYTES_MAX} AS is_few
       FROM (SELECT pg_column_size(principals) AS bytes ${since} LIMIT ${NEW_CLASSES_MAX + 1}) n)
     SELECT (SELECT is_few FROM few) AS "isFew",
       (SELECT json_agg(json_build_object('id', id, 'principals', principals)) ${since} AND (SELECT is_few FROM few)) AS classes`,
    lastClass,
  );
  if (row?.isFew !== true) return null;
  return (row.classes ?? []).filter((one) => one.principals.some((id) => principals.has(id))).map(({ id }) => id);
}

/**
 * Returns the ids of the principals that a person holds: everyone, themselves, the datasources where they are an active user,
 * their groups, and the intersections of these. A group that no pipeline described is the directory's, in every datasource.
 */
async function principalsHeldBy(rows: Rows, seer: Seer): Promise<number[]> {
  const knowing = await datasourcesKnowing(rows, seer.email);
  const active = knowing.filter(({ isActive }) => isActive === 1).map(({ name }) => name);
  const described = [...(await describedGroupsOf(rows, seer, knowing))].flatMap(([datasource, groups]) =>
    [...groups.keys()].map((name) => [datasource, name] as const),
  );
  const plain = await rows.all<{ id: number }>(
    `SELECT id FROM principals WHERE instance_id = $1 AND kind = 'everyone' AND md5(name) = md5('') AND name = '' AND datasource = ''
     UNION ALL
     SELECT id FROM principals WHERE instance_id = $1 AND kind = 'person' AND md5(name) = md5($2) AND name = $2 AND datasource = ''
     UNION ALL
     SELECT id FROM principals WHERE instance_id = $1 AND kind = 'datasource' AND md5(name) = md5('') AND name = ''
       AND datasource = ANY ($3::text[])`,
    seer.email,
    textList(active),
  );
  const groups = await rows.all<{ id: number; datasource: string }>(
    `SELECT p.id, p.datasource FROM unnest($2::text[], $3::text[]) AS g (datasource, name)
       JOIN principals p ON p.instance_id = $1 AND p.kind = 'group' AND md5(p.name) = md5(g.name) AND p.name = g.name
         AND p.datasource = g.datasource
     UNION
     SELECT p.id, p.datasource FROM unnest($4::text[]) AS g (name)
       JOIN principals p ON p.instance_id = $1 AND p.kind = 'group' AND md5(p.name) = md5(g.name) AND p.name = g.name
     WHERE NOT EXISTS (
       SELECT 1 FROM datasource_groups d WHERE d.instance_id = $1 AND d.datasource = p.datasource AND d.name = p.name)`,
    textList(described.map(([datasource]) => datasource)),
    textList(described.map(([, name]) => name)),
    textList(seer.directoryGroups),
  );
  return [...plain, ...groups, ...(await intersectionsOf(rows, groups))].map(({ id }) => id);
}

/**
 * Returns the intersections of which the person holds every group. Only `RIGHTS_LIMITS.intersections` pairs of a group and an
 * intersection are read for each datasource.
 */
async function intersectionsOf(
  rows: Rows,
  groups: readonly { readonly id: number; readonly datasource: string }[],
): Promise<readonly { readonly id: number }[]> {
  if (groups.length === 0) return [];
  const byDatasource = [...Map.groupBy(groups, ({ datasource }) => datasource).values()];
  return rows.all<{ id: number }>(
    `WITH part AS (
       SELECT y.id, count(*) AS held FROM json_to_recordset($2::text::json) AS x (groups json) CROSS JOIN LATERAL (
         SELECT i.intersection_id AS id FROM json_array_elements_text(x.groups) AS g (id)
         JOIN intersection_groups i ON i.instance_id = $1 AND i.group_id = g.id::int LIMIT ${RIGHTS_LIMITS.intersections}) y
       GROUP BY y.id)
     SELECT id FROM part WHERE held = (
       SELECT count(*) FROM intersection_groups g WHERE g.instance_id = $1 AND g.intersection_id = part.id)`,
    JSON.stringify(byDatasource.map((of) => ({ groups: of.map(({ id }) => id) }))),
  );
}
