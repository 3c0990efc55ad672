import type { Principal } from "./engine.ts";
import type { Store } from "./store.ts";

/** The users and groups that a document's permissions name. */
export function principalsOf(store: Store, id: number): Principal[] {
  const rows = store.exec<{ kind: Principal["kind"]; datasource: string; name: string }>(
    `SELECT p.kind, p.datasource, p.name FROM documents d
       CROSS JOIN classes c ON c.id = d.class
       CROSS JOIN json_each(c.principals) e CROSS JOIN principals p ON p.id = e.value
     WHERE d.id = ?1 ORDER BY e.key`,
    id,
  );
  return rows.map(({ kind, datasource, name }) => ({ kind, datasource, name }));
}
