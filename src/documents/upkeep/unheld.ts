import { removeClass } from "#documents/access-class-principals.sql.ts";
import { quoted, termToken } from "#documents/index-rules.ts";
import { setState, stateOf, type Store } from "#documents/store.ts";
import { NO_FINGERPRINT } from "#documents/write/access-classes.ts";
import { forgetWord, type Word } from "#documents/write/vocabulary.ts";

/** How many names one step looks at. Each costs a look-up or two. */
const NAMES_A_STEP = 500;

/** The share of the documents after whose change the vocabulary is looked through. */
const CHANGED_SHARE = 0.25;

/** The most principals of classes that one step removes. Others wait for a step, and a class may have too many for one. */
const PRINCIPALS_A_STEP = 2000;

/** What documents may no longer name, in order of removal: principals after the classes and intersections with them. */
const TASKS: readonly { readonly name: string; readonly step: (store: Store, from: number, now: number) => Step }[] = [
  { name: "classes", step: removeClasses },
  { name: "intersections", step: (store, from) => removePrincipals(store, from, "kind = 'intersection'") },
  { name: "principals", step: (store, from) => removePrincipals(store, from, "kind <> 'intersection'") },
  { name: "filter terms", step: removeTerms },
  { name: "words", step: removeWords },
];

/** The last number that was looked at; `null`: there are no more. */
type Step = number | null;

/**
 * Removes some of the names that no document uses any more, inside the caller's transaction. A lap goes through all of them, and each
 * step continues where the last one ended. Ids are never reused.
 *
 * @returns whether the lap is complete; the next step begins a new one
 */
export function removeUnheld(store: Store, now: number): boolean {
  for (const [at, { name, step }] of TASKS.entries()) {
    const from = stateOf(store, `unheld ${name}`);
    if (from === DONE) continue;
    const reached = step(store, from, now);
    setState(store, `unheld ${name}`, reached ?? DONE);
    if (reached !== null || at < TASKS.length - 1) return false;
  }
  for (const { name } of TASKS) setState(store, `unheld ${name}`, 0);
  return true;
}

/** The place of a task that is complete in this lap. */
const DONE = -1;

function removeClasses(store: Store, from: number, now: number): Step {
  const classes = store.exec<{ id: number; held: number }>(
    `SELECT id, needed_until > ?2 OR EXISTS (SELECT 1 FROM documents WHERE access_class = access_classes.id) AS held
     FROM access_classes WHERE id > ?1 ORDER BY id LIMIT ${NAMES_A_STEP}`,
    from,
    now,
  );
  let left = PRINCIPALS_A_STEP;
  for (const { id, held } of classes) {
    if (held === 1) continue;
    if (left === 0) return id - 1;
    const removed = removePrincipalsOf(store, id, left);
    if (removed === null) return id - 1;
    left -= removed;
  }
  return classes.at(-1)?.id ?? null;
}

/**
 * Removes a class, or the first principals of a long one. A class that has lost some is found by no list any more, so no document
 * gets it.
 *
 * @returns how many principals the class had; `null` if it had more than `max`
 */
function removePrincipalsOf(store: Store, id: number, max: number): number | null {
  const [found] = store.exec<{ principals: string }>("SELECT principals FROM access_classes WHERE id = ?1", id);
  const principals = JSON.parse(found?.principals ?? "[]") as number[];
  removeClass(store, JSON.stringify(principals.slice(0, max)), id);
  if (principals.length <= max) {
    store.exec("DELETE FROM access_classes WHERE id = ?1", id);
    return principals.length;
  }
  store.exec(
    "UPDATE access_classes SET fingerprint = ?2, principals = ?3 WHERE id = ?1",
    id,
    NO_FINGERPRINT,
    JSON.stringify(principals.slice(max)),
  );
  return null;
}

/** Removes principals that nothing names. The groups of an intersection are named by it. */
function removePrincipals(store: Store, from: number, condition: string): Step {
  const unheld = store.exec<{ id: number; held: number }>(
    `SELECT p.id, EXISTS (SELECT 1 FROM access_class_principals WHERE principal = p.id)
       OR EXISTS (SELECT 1 FROM intersection_groups i WHERE i.group_id = p.id) AS held
     FROM principals p WHERE p.id > ?1 AND ${condition} ORDER BY p.id LIMIT ${NAMES_A_STEP}`,
    from,
  );
  for (const { id, held } of unheld) {
    if (held === 1) continue;
    store.exec("DELETE FROM intersection_groups WHERE intersection_id = ?1", id);
    store.exec("DELETE FROM principals WHERE id = ?1", id);
  }
  return unheld.at(-1)?.id ?? null;
}

function removeTerms(store: Store, from: number): Step {
  const statement = `SELECT id FROM filter_terms WHERE id > ?1 ORDER BY id LIMIT ${NAMES_A_STEP}`;
  const terms = store.exec<{ id: number }>(statement, from);
  for (const { id } of terms) {
    const held = store.exec("SELECT 1 FROM impacts WHERE impacts MATCH ?1 LIMIT 1", quoted(termToken(id)));
    if (held.length === 0) store.exec("DELETE FROM filter_terms WHERE id = ?1", id);
  }
  return terms.at(-1)?.id ?? null;
}

/** Removes unused words, once a quarter of the documents was changed or removed. Until then they are kept: most are used again. */
function removeWords(store: Store, from: number): Step {
  if (from === 0) {
    const unindexed = stateOf(store, "unindexed");
    if (unindexed === 0 || unindexed < stateOf(store, "documents") * CHANGED_SHARE) return null;
    setState(store, "unindexed", 0);
  }
  const statement = `SELECT id, word FROM vocabulary WHERE id > ?1 ORDER BY id LIMIT ${NAMES_A_STEP}`;
  const words = store.exec<Word>(statement, from);
  for (const word of words) {
    const held = store.exec("SELECT 1 FROM postings WHERE postings MATCH ?1 LIMIT 1", quoted(word.word));
    if (held.length === 0) forgetWord(store, word);
  }
  return words.at(-1)?.id ?? null;
}
