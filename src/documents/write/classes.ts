import { addClass } from "#documents/class-principals.sql.ts";
import type { Principal } from "#documents/engine.ts";
import { moveState } from "#documents/state.ts";
import { lastRowOf, type Store } from "#documents/store.ts";
import { wordHashOf } from "#documents/word-hash.ts";

/** The class of documents that nobody may see. No person ever holds it. */
const NOBODY = 0;

/**
 * Returns the class of a list of principals, which is the same for any order. A new class is created with its principals and
 * intersections, and everyone who holds one of these holds the class from the next search on.
 */
export function classOf(store: Store, principals: readonly Principal[]): number {
  if (principals.length === 0) return NOBODY;
  const ids = JSON.stringify(
    principals.map((principal) => principalId(store, principal)).sort((one, other) => one - other),
  );
  const fingerprint = wordHashOf(store)(ids);
  const [known] = store.exec<{ id: number }>(
    "SELECT id FROM classes WHERE fingerprint = ?1 AND principals = ?2",
    fingerprint,
    ids,
  );
  if (known) return known.id;
  store.exec("INSERT INTO classes (fingerprint, principals) VALUES (?1, ?2)", fingerprint, ids);
  const made = lastRowOf(store);
  addClass(store, ids, made);
  return made;
}

function principalId(store: Store, principal: Principal): number {
  const { kind, datasource, name } = principal;
  const [known] = store.exec<{ id: number }>(
    "SELECT id FROM principals WHERE kind = ?1 AND name = ?2 AND datasource = ?3",
    kind,
    name,
    datasource,
  );
  if (known) return known.id;
  store.exec("INSERT INTO principals (kind, name, datasource) VALUES (?1, ?2, ?3)", kind, name, datasource);
  const id = lastRowOf(store);
  // A class of known principals is checked against remembered ones. Only a new principal requires reading people's rights again.
  moveState(store, "rights", 1);
  if (kind === "intersection") {
    for (const group of JSON.parse(name) as string[]) {
      const groupId = principalId(store, { kind: "group", datasource, name: group });
      store.exec("INSERT OR IGNORE INTO intersection_groups (group_id, intersection_id) VALUES (?1, ?2)", groupId, id);
    }
  }
  return id;
}
