import { D1Store, deletionOf, runBatch } from "#platform/d1.ts";

/** A word that found nothing, and which of 32 bits the people have who searched for it. */
export interface UnfoundWord {
  readonly word: string;
  readonly people: number;
}

/** The most words of an instance. */
const WORDS_KEPT = 500;

/** Stores the words of searches that found nothing. */
export class D1UnfoundWords extends D1Store {
  /** Adds words. Beyond the limit, those of only one person go first, the oldest of them before others. */
  async add(instanceId: number, words: readonly UnfoundWord[], day: number): Promise<void> {
    await runBatch(this.database, [
      this.statement(
        `INSERT INTO unfound_words (instance_id, word, people, since_day)
         SELECT ?1, value ->> 'word', value ->> 'people', ?3 FROM json_each(?2) WHERE true
         ON CONFLICT DO UPDATE SET people = people | excluded.people`,
        [instanceId, JSON.stringify(words), day],
      ),
      this.statement(
        `DELETE FROM unfound_words WHERE instance_id = ?1 AND word IN (
         SELECT word FROM unfound_words WHERE instance_id = ?1
         ORDER BY (people & (people - 1)) <> 0 DESC, since_day DESC, word LIMIT -1 OFFSET ${WORDS_KEPT})`,
        [instanceId],
      ),
    ]);
  }

  async read(instanceId: number): Promise<readonly UnfoundWord[]> {
    return this.all<{ word: string; people: number }>("SELECT word, people FROM unfound_words WHERE instance_id = ?1", [
      instanceId,
    ]);
  }

  /** Deletes at most `rowsMax` words from before a day. @returns how many */
  sweep(beforeDay: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("unfound_words", "instance_id, word", "since_day < ?1");
    return this.run(statement, [beforeDay, rowsMax]);
  }
}
