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
async function principalIds(writing: Writing, principals: readonly Principal[]): Promise<number[]> {
  const found = await writing.rows.all<{ id: number | null }>(
    `SELECT p.id FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS t (kind, datasource, name, at)
     LEFT JOIN principals p ON p.instance_id = $1 AND p.kind = t.kind AND p.datasource = t.datasource
       AND md5(p.name) = md5(t.name) AND p.name = t.name
     ORDER BY t.at`,
    textList(principals.map(({ kind }) => kind)),
    textList(principals.map(({ datasource }) => datasource)),
    textList(principals.map(({ name }) => name)),
  );
  const ids: number[] = [];
  for (const [at, principal] of principals.entries())
    ids.push(found[at]?.id ?? (await makePrincipal(writing, principal)));
  return ids;
}

async function makePrincipal(writing: Writing, { kind, datasource, name }: Principal): Promise<number> {
  const id = writing.nextName();
  const [made] = await writing.rows.all<{ id: number }>(
    `INSERT INTO principals (instance_id, id, kind, datasource, name) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING RETURNING id`,
    id,
    kind,
    datasource,
    name,
  );
  // The list names this principal twice.
  if (!made) return (await principalIds(writing, [{ kind, datasource, name }]))[0] as number;
  // Whether somebody holds a class of known principals follows from the principals that are remembered for them. Only who holds a
  // new principal has to be looked up again.
  writing.forgetRights();
  if (kind === "intersection") {
    const groups = (JSON.parse(name) as string[]).map((group) => ({ kind: "group", datasource, name: group }) as const);
    const groupIds = [...new Set(await principalIds(writing, groups))];
    await writing.rows.all(
      `INSERT INTO intersection_groups (instance_id, group_id, intersection_id) SELECT $1, unnest($3::int[]), $2
       ON CONFLICT DO NOTHING`,
      id,
      numberList(groupIds),
    );
  }
  return id;
}
