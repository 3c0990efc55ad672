import type { Principal } from "./engine.ts";
import type { Store } from "./store.ts";

/** A principal with its id, which access classes consist of. */
export type KnownPrincipal = Principal & { readonly id: number };

/** Returns the principals that a document's permissions name. */
export function principalsOf(store: Store, id: number): Principal[] {
  return knownPrincipalsOf(store, id).map(({ kind, datasource, name }) => ({ kind, datasource, name }));
}

/** Returns the principals of an access class. */
export function principalsOfClass(store: Store, accessClass: number): readonly Principal[] {
  return store.exec<Principal>(
    `SELECT p.kind, p.datasource, p.name FROM access_classes c CROSS JOIN json_each(c.principals) e
       CROSS JOIN principals p ON p.id = e.value
     WHERE c.id = ?1 ORDER BY e.key`,
    accessClass,
  );
}

/** Returns the same with their ids. */
export function knownPrincipalsOf(store: Store, id: number): readonly KnownPrincipal[] {
  return store.exec<KnownPrincipal>(
    `SELECT p.id, p.kind, p.datasource, p.name FROM documents d
       CROSS JOIN access_classes c ON c.id = d.access_class
       CROSS JOIN json_each(c.principals) e CROSS JOIN principals p ON p.id = e.value
     WHERE d.id = ?1 ORDER BY e.key`,
    id,
  );
}
