import { addClass } from "#documents/access-class-principals.sql.ts";
import type { Principal } from "#documents/engine.ts";
import { moveState } from "#documents/state.ts";
import { lastRowOf, type Store } from "#documents/store.ts";
import { wordHashOf } from "#documents/word-hash.ts";
import { RESOLVING_WORK, WORK } from "#documents/work.ts";

/** The class of documents that nobody may see. No person ever holds it. */
const NOBODY = 0;

/** The most principals that a document's own step resolves. Longer lists are resolved before it, in steps of their own. */
export const PRINCIPALS_AT_ONCE = 500;

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
  const work = new StepOfWork();
  const found: number[] = [];
  for (const principal of principals) {
    found.push(principalId(store, principal, work));
    if (work.isOver()) yield;
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
  for (let from = 0; from < sorted.length; from += PRINCIPALS_AT_ONCE) {
    yield;
    addClass(store, `[${sorted.subarray(from, from + PRINCIPALS_AT_ONCE).join(",")}]`, made);
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

/** What was done since the last step began. */
class StepOfWork {
  #done = 0;

  add(work: number): void {
    this.#done += work;
  }

  /** Checks whether the step is over. Then the next one begins. */
  isOver(): boolean {
    if (this.#done < RESOLVING_WORK) return false;
    this.#done = 0;
    return true;
  }
}

function principalId(store: Store, principal: Principal, work: StepOfWork): number {
  const { kind, datasource, name } = principal;
  work.add(WORK.principal);
  const [known] = store.exec<{ id: number }>(
    "SELECT id FROM principals WHERE kind = ?1 AND name = ?2 AND datasource = ?3",
    kind,
    name,
    datasource,
  );
  if (known) return known.id;
  work.add(WORK.newPrincipal);
  store.exec("INSERT INTO principals (kind, name, datasource) VALUES (?1, ?2, ?3)", kind, name, datasource);
  const id = lastRowOf(store);
  // A class of known principals is checked against remembered ones. Only a new principal requires reading people's rights again.
  moveState(store, "rights", 1);
  if (kind === "intersection") {
    for (const group of JSON.parse(name) as string[]) {
      const groupId = principalId(store, { kind: "group", datasource, name: group }, work);
      work.add(WORK.intersectionGroup);
      store.exec("INSERT OR IGNORE INTO intersection_groups (group_id, intersection_id) VALUES (?1, ?2)", groupId, id);
    }
  }
  return id;
}
