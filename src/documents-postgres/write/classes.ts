import type { Principal } from "#documents/engine.ts";
import { numberList, textList } from "#documents-postgres/database.ts";
import type { Class, Writing } from "./writing.ts";

/** The class of documents without permissions, which nobody ever holds. */
const NOBODY: Class = { id: 0, principals: [] };

/**
 * Returns the class of a list of principals, the same for any order. Creates the class and its principals if they are new.
 */
export async function classOf(writing: Writing, principals: readonly Principal[]): Promise<Class> {
  if (principals.length === 0) return NOBODY;
  const key = JSON.stringify(principals.map(({ kind, datasource, name }) => [kind, datasource, name]));
  const known = writing.knownClasses.get(key);
  if (known !== undefined) return known;
  const ids = [...new Set(await principalIds(writing, principals))].sort((one, other) => one - other);
  const found = { id: (await findClass(writing, ids)) ?? (await makeClass(writing, ids)), principals: ids };
  writing.knownClasses.set(key, found);
  return found;
}

async function findClass({ rows }: Writing, ids: readonly number[]): Promise<number | undefined> {
  const [found] = await rows.all<{ id: number }>(
    "SELECT id FROM classes WHERE instance_id = $1 AND fingerprint = md5($2::text)",
    numberList(ids),
  );
  return found?.id;
}

async function makeClass(writing: Writing, ids: readonly number[]): Promise<number> {
  const id = writing.nextClass();
  await writing.rows.all(
    `WITH made AS (INSERT INTO classes (instance_id, id, fingerprint, principals) VALUES ($1, $2, md5($3::text), $3::text::int[]))
     INSERT INTO class_principals (instance_id, principal, class) SELECT $1, unnest($3::text::int[]), $2`,
    id,
    numberList(ids),
  );
  return id;
}

/** Returns the ids of principals, in their order. Creates those that are new. */
async function principalIds(writing: Writing, principals: readonly Principal[]): Promise<readonly number[]> {
  const found = await knownIds(writing, principals);
  const made = new Map<string, Principal>();
  for (const [at, one] of principals.entries())
    if (found[at] === undefined) made.set(JSON.stringify([one.kind, one.datasource, one.name]), one);
  if (made.size === 0) return found as readonly number[];
  await makePrincipals(writing, [...made.values()]);
  return (await knownIds(writing, principals)) as readonly number[];
}

/** Returns the ids of principals, in their order; `undefined` for a new one. */
async function knownIds({ rows }: Writing, principals: readonly Principal[]): Promise<readonly (number | undefined)[]> {
  const found = await rows.all<{ id: number | null }>(
    `SELECT p.id FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS t (kind, datasource, name, at)
     LEFT JOIN principals p ON p.instance_id = $1 AND p.kind = t.kind AND p.datasource = t.datasource
       AND md5(p.name) = md5(t.name) AND p.name = t.name
     ORDER BY t.at`,
    ...columnsOf(principals),
  );
  return found.map(({ id }) => id ?? undefined);
}

/**
 * Creates all principals in one statement, and writes all groups of intersections in another: a document may name 20,000, and each
 * statement is a round trip.
 */
async function makePrincipals(writing: Writing, principals: readonly Principal[]): Promise<void> {
  const made = principals.map((principal) => ({ ...principal, id: writing.nextName() }));
  await writing.rows.all(
    `INSERT INTO principals (instance_id, id, kind, datasource, name)
     SELECT $1, t.* FROM unnest($2::int[], $3::text[], $4::text[], $5::text[]) AS t (id, kind, datasource, name)`,
    numberList(made.map(({ id }) => id)),
    ...columnsOf(made),
  );
  // Whether somebody holds a class of known principals follows from the principals that are remembered for them. Only who holds a
  // new principal has to be looked up again.
  writing.forgetRights();
  const parts = made
    .filter(({ kind }) => kind === "intersection")
    .flatMap(({ id, datasource, name }) =>
      (JSON.parse(name) as string[]).map((group) => ({
        id,
        group: { kind: "group", datasource, name: group } as const,
      })),
    );
  if (parts.length === 0) return;
  const groupIds = await principalIds(
    writing,
    parts.map(({ group }) => group),
  );
  await writing.rows.all(
    `INSERT INTO intersection_groups (instance_id, group_id, intersection_id) SELECT $1, * FROM unnest($2::int[], $3::int[])
     ON CONFLICT DO NOTHING`,
    numberList(groupIds),
    numberList(parts.map(({ id }) => id)),
  );
}

function columnsOf(principals: readonly Principal[]): readonly [kinds: string, datasources: string, names: string] {
  return [
    textList(principals.map(({ kind }) => kind)),
    textList(principals.map(({ datasource }) => datasource)),
    textList(principals.map(({ name }) => name)),
  ];
}
