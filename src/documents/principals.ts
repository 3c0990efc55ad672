import type { Principal } from "./engine.ts";
import type { Store } from "./store.ts";

/** A principal with its id, which access classes consist of. */
export type KnownPrincipal = Principal & { readonly id: number };

/** Returns the principals of an access class. */
export function knownPrincipalsOf(store: Store, accessClass: number): readonly KnownPrincipal[] {
  return store.exec<KnownPrincipal>(
    `SELECT p.id, p.kind, p.datasource, p.name FROM access_classes c CROSS JOIN json_each(c.principals) e
       CROSS JOIN principals p ON p.id = e.value
     WHERE c.id = ?1 ORDER BY e.key`,
    accessClass,
  );
}

/** Returns the same without their ids. */
export function principalsOf(store: Store, accessClass: number): Principal[] {
  return knownPrincipalsOf(store, accessClass).map(({ kind, datasource, name }) => ({ kind, datasource, name }));
}
