import type { Keyring } from "#crypto/keyring.ts";
import { utf8 } from "#crypto/utf8.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import { inBatches } from "#platform/sweep.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { unicodePattern } from "#protocol/unicode-pattern.ts";
import type { D1UnfoundWords, UnfoundWord } from "./unfound-words.d1.ts";

/** No word is shown that fewer people searched for: it may be one person's own, such as a name. */
const PEOPLE_MIN = 3;

/** How many days a word is kept after the first person searched for it. */
const KEPT_DAYS = 30;

const DAY_SECONDS = 86_400;

/** A word without digits. */
const WORD = unicodePattern(String.raw`^[\p{L}\p{M}]{3,30}$`, "u");

/** The most words of one search. */
const WORDS_MAX = 10;

/** How many words and people an isolate remembers, so that it doesn't write them again. */
const REMEMBERED_MAX = 2000;

/** The words of searches that found nothing: suggestions for the glossary. Who searched for them is not stored. */
export class UnfoundWords {
  readonly #store: Pick<D1UnfoundWords, keyof D1UnfoundWords>;
  readonly #keyring: Pick<Keyring, "macBytes">;
  readonly #outliveRequest: WaitUntil;
  readonly #written = new BoundedMap<string, true>(REMEMBERED_MAX);

  constructor(
    store: Pick<D1UnfoundWords, keyof D1UnfoundWords>,
    keyring: Pick<Keyring, "macBytes">,
    outliveRequest: WaitUntil,
  ) {
    this.#store = store;
    this.#keyring = keyring;
    this.#outliveRequest = outliveRequest;
  }

  /** Notes the words of a search that found nothing, after the response. */
  note(instanceId: number, personId: string, words: readonly string[]): void {
    const kept = [...new Set(words.filter((word) => WORD().test(word)))].slice(0, WORDS_MAX);
    if (kept.length > 0) this.#outliveRequest(this.#write(instanceId, personId, kept).catch(notWritten));
  }

  async #write(instanceId: number, personId: string, words: readonly string[]): Promise<void> {
    const day = Math.floor(epochSeconds() / DAY_SECONDS);
    const noted = await Promise.all(
      words.map(async (word): Promise<UnfoundWord> => {
        const text = utf8(JSON.stringify([instanceId, word, personId]));
        const tag = await this.#keyring.macBytes("unfound-word", text);
        return { word, people: 2 ** ((tag.at(-1) ?? 0) % 32) };
      }),
    );
    const keyOf = ({ word, people }: UnfoundWord) => `${instanceId} ${day} ${people} ${word}`;
    const fresh = noted.filter((one) => !this.#written.get(keyOf(one)));
    if (fresh.length === 0) return;
    for (const one of fresh) this.#written.set(keyOf(one), true);
    await this.#store.add(instanceId, fresh, day);
  }

  /** Returns the words that several people searched for in vain, in order. */
  async suggestions(instanceId: number): Promise<readonly string[]> {
    const words = await this.#store.read(instanceId);
    return words
      .filter(({ people }) => people.toString(2).replaceAll("0", "").length >= PEOPLE_MIN)
      .map(({ word }) => word)
      .sort();
  }

  /** Deletes words that are too old. @returns how many */
  sweep(): Promise<number> {
    const firstKept = Math.floor(epochSeconds() / DAY_SECONDS) - KEPT_DAYS;
    return inBatches((rowsMax) => this.#store.sweep(firstKept, rowsMax));
  }
}

function notWritten(error: unknown): void {
  log({ level: "warn", event: "unfound_words_not_written", detail: describeError(error) });
}
