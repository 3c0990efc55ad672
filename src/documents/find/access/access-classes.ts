import { classesWith } from "#documents/access-class-principals.sql.ts";
import type { Seer } from "#documents/engine.ts";
import { placeOf } from "#documents/index-rules.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { stateOf, type Store } from "#documents/store.ts";
import { principalsOf } from "./caller-principals.ts";
import { type SearchableContent, searchableContent } from "./searchable-content.ts";
import { VisibleSet } from "#documents/find/collect/visible-set.ts";

/** The most people whose classes are remembered. */
const PEOPLE_MAX = 100;
/** The most bytes that their classes take together, one byte per class and person: with a million classes, 10 people are remembered. */
const BYTES_MAX = 10_000_000;

/** The most new classes whose lists are read. If there are more, reading the classes of a person's principals again is faster. */
const NEW_CLASSES_MAX = 500;
/** The most bytes of lists of new classes that are read. If there are more, the classes of a person's principals are read again. */
const NEW_BYTES_MAX = 200_000;

/** Principals whose classes are read in one statement. */
const STEP = 1000;

/** What somebody holds. */
export interface CallerAccess {
  /** Ids, in order. */
  readonly principals: Uint32Array;
  /** By access class: 1 if it is held. */
  readonly classes: Uint8Array;
  /** What the app may search that asks for them; `null`: everything. */
  readonly content: SearchableContent | null;
  /** The documents that both let them see, as of the last search. */
  readonly visible: VisibleSet;
}

interface KnownCaller extends CallerAccess {
  readonly seer: Seer;
  readonly version: string;
}

/**
 * Which access classes people hold: 1 at the number of each that they do. Remembered until anything changes that could affect
 * it. Every search checks this, so a changed permission or membership takes effect in the next one.
 */
export class AccessClasses {
  readonly #store: Store;
  readonly #known = new BoundedMap<string, KnownCaller>(PEOPLE_MAX);

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the classes, the same array as before if nothing changed, and the principals that they come from. */
  of(seer: Seer): CallerAccess {
    const memberships = seer.rights?.version ?? stateOf(this.#store, "memberships");
    const version = `${stateOf(this.#store, "rights")} ${memberships}`;
    const key = callerKey(seer);
    const known = this.#known.get(key);
    const isKnown = known?.version === version && isSame(known.seer.directoryGroups, seer.directoryGroups);
    const content = searchableContent(this.#store, seer.content ?? []);
    const ofPerson = isKnown ? this.#withNewClasses(known) : this.#read(seer, version);
    const isSameContent = ofPerson.content?.version === content?.version;
    const held = isSameContent ? ofPerson : { ...ofPerson, content, visible: new VisibleSet() };
    if (held !== known) this.#known.set(key, held, Math.ceil(BYTES_MAX / held.classes.length));
    return held;
  }

  #read(seer: Seer, version: string): KnownCaller {
    const principals = Uint32Array.from(principalsOf(this.#store, seer)).sort();
    return {
      seer,
      version,
      principals,
      classes: this.#classesOf(principals),
      content: null,
      visible: new VisibleSet(),
    };
  }

  #classesOf(principals: Uint32Array): Uint8Array {
    const [last] = this.#store.exec<{ id: number | null }>("SELECT max(id) AS id FROM access_classes");
    const classes = new Uint8Array((last?.id ?? 0) + 1);
    for (let from = 0; from < principals.length; from += STEP) {
      for (const held of classesWith(this.#store, [...principals.subarray(from, from + STEP)])) {
        for (const one of held) classes[one] = 1;
      }
    }
    return classes;
  }

  /** Adds classes that are new. They name only principals that are known, because a new one changes the version. */
  #withNewClasses(known: KnownCaller): KnownCaller {
    const [all] = this.#store.exec<{ count: number; bytes: number | null }>(
      `SELECT count(*) AS count, sum(bytes) AS bytes FROM (
         SELECT octet_length(principals) AS bytes FROM access_classes WHERE id >= ?1 LIMIT ${NEW_CLASSES_MAX + 1})`,
      known.classes.length,
    );
    if (!all || all.count === 0) return known;
    if (all.count > NEW_CLASSES_MAX || (all.bytes ?? 0) > NEW_BYTES_MAX) {
      return { ...known, classes: this.#classesOf(known.principals) };
    }
    const added = this.#store.exec<{ id: number; principals: string }>(
      "SELECT id, principals FROM access_classes WHERE id >= ?1 ORDER BY id",
      known.classes.length,
    );
    const last = added.at(-1);
    if (!last) return known;
    const classes = new Uint8Array(last.id + 1);
    classes.set(known.classes);
    for (const { id, principals } of added) {
      const isHeld = (JSON.parse(principals) as number[]).some((one) => placeOf(known.principals, one) >= 0);
      classes[id] = isHeld ? 1 : 0;
    }
    return { ...known, classes };
  }
}

/** Returns what tells callers apart: one person sees different documents through different apps. */
function callerKey({ email, content = [] }: Seer): string {
  return content.length === 0 ? email : `${email} ${JSON.stringify(content)}`;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}
