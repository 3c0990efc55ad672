import { OBJECT_TYPES_MAX } from "#documents/write/documents.ts";
import type { Writing } from "./writing.ts";

/**
 * Returns the id of a pair of datasource and object type, both folded. Creates it if it is new, unless the datasource has too
 * many types: then, it returns the id of the datasource without a type.
 */
export async function kindOf(writing: Writing, datasource: string, objectType: string): Promise<number> {
  const { rows } = writing;
  const key = JSON.stringify([datasource, objectType]);
  const looked = writing.knownKinds.get(key);
  if (looked !== undefined) return looked;
  const [known] = await rows.all<{ id: number }>(
    "SELECT id FROM kinds WHERE instance_id = $1 AND datasource = $2 AND object_type = $3",
    datasource,
    objectType,
  );
  if (known) {
    writing.knownKinds.set(key, known.id);
    return known.id;
  }
  const statement = "SELECT count(*)::int AS count FROM kinds WHERE instance_id = $1 AND datasource = $2";
  const [types] = await rows.all<{ count: number }>(statement, datasource);
  if ((types?.count ?? 0) >= OBJECT_TYPES_MAX && objectType !== "") return kindOf(writing, datasource, "");
  const id = writing.nextName();
  await rows.all(
    "INSERT INTO kinds (instance_id, id, datasource, object_type) VALUES ($1, $2, $3, $4)",
    id,
    datasource,
    objectType,
  );
  return id;
}
