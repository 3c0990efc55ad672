import { WordTable } from "#documents/find/word-table.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import type { Rows } from "#documents-postgres/database.ts";
import type { Instance } from "#documents-postgres/instance.ts";
import type { Held } from "#documents-postgres/rights/held.ts";
import type { ForwardReader } from "./forwards.ts";
import { candidatesIn } from "./found.ts";
import { Parameters } from "./parameters.ts";
import { Scope } from "./scope.ts";

/** The most people whose words are remembered: up to four megabytes each. */
const PEOPLE_MAX = 8;

/**
 * From this many words on, no older documents are read, only those that are newer than all that were read. With more than the
 * maximum, everything is read anew.
 */
const WORDS_ENOUGH = 200_000;
const WORDS_MAX = 260_000;

/**
 * After one write for each this many documents that were read, everything is read anew, because the person may no longer see some
 * of them.
 */
const WRITTEN_SHARE = 8;

/** How many documents one search looks at, whoever may see them. */
const WINDOW = 20_000;

/** What an isolate remembers of the words that people may see. */
export class Seen {
  /** By the set of a person's principals, which is a different object once rights have changed. */
  readonly #people = new BoundedMap<Held["principals"], SeenWords>(PEOPLE_MAX);

  by({ principals }: Held, { version }: Instance): SeenWords {
    const known = this.#people.get(principals);
    const seen = known?.isFresh(version) === true ? known : new SeenWords(version);
    this.#people.set(principals, seen);
    return seen;
  }
}

/**
 * The words of documents that somebody may see. Which documents these are depends on what the person may see and on how often
 * they searched, and not on the content of other people's documents.
 */
class SeenWords {
  readonly #table = new WordTable();
  readonly #version: number;
  #documents = 0;
  #newest = 0;
  #oldest = Number.POSITIVE_INFINITY;

  constructor(version: number) {
    this.#version = version;
  }

  isFresh(version: number): boolean {
    return (version - this.#version) * WRITTEN_SHARE <= this.#documents && this.#table.size <= WORDS_MAX;
  }

  /** Returns the `max` words that most of the documents have; among equals, the first. */
  commonestOf<Word>(words: readonly Word[], hashOf: (word: Word) => number, max: number): readonly Word[] {
    return this.#table.commonestOf(words, hashOf, max);
  }

  /**
   * Reads documents that were not read yet, newest first.
   *
   * @param max the most documents to read
   * @param isOlderRead whether to read documents older than all that were read, or newer ones
   * @returns how many were read
   */
  async learn(
    rows: Rows,
    forwards: ForwardReader,
    held: Held,
    upTo: number,
    { max, bytesMax, isOlderRead }: { readonly max: number; readonly bytesMax: number; readonly isOlderRead: boolean },
  ): Promise<number> {
    if (max <= 0 || (isOlderRead ? this.#oldest <= 1 || this.#table.size >= WORDS_ENOUGH : this.#newest === upTo))
      return 0;
    const [newest, oldest] = [this.#newest, this.#oldest];
    const before = isOlderRead ? oldest : upTo + 1;
    const above = Math.max(isOlderRead ? 0 : newest, before - 1 - WINDOW);
    const parameters = new Parameters();
    const visible = new Scope(held, [], null, before - 1).condition(parameters);
    const documents = await candidatesIn(
      rows,
      `SELECT e.id, e.length, e.day FROM entries e WHERE ${visible} AND e.id > ${parameters.add(above, "int")}
       ORDER BY e.id DESC LIMIT ${parameters.add(max, "int")}`,
      parameters.values,
    );
    const entries = await forwards.of(documents, bytesMax);
    // Another search of the person may have read them meanwhile.
    if (newest !== this.#newest || oldest !== this.#oldest) return documents.length;
    const isAll = documents.length < max;
    // If newer documents were skipped, reading older ones continues from there.
    if (newest === 0 || above !== newest || !isAll) this.#oldest = isAll ? above + 1 : (documents.at(-1)?.id ?? 1);
    if (!isOlderRead) this.#newest = upTo;
    entries.each((_, hashes) => this.#table.add(hashes));
    this.#documents += documents.length;
    return documents.length;
  }
}
