import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Judged } from "./measures.ts";

/** A document as a collection has it. */
export interface CollectionDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

interface Question {
  readonly id: string;
  readonly text: string;
}

interface Judgement {
  readonly question: string;
  readonly document: string;
  readonly grade: number;
}

/** Documents, questions about them, and judgements of how well each document answers a question. */
export class Collection {
  readonly name: string;
  readonly documents: readonly CollectionDocument[];
  readonly questions: readonly Question[];
  readonly #judgements: ReadonlyMap<string, readonly Judgement[]>;

  /** @param folder with documents.jsonl, questions.jsonl and judgements.jsonl */
  constructor(folder: string) {
    const linesOf = <Line>(name: string) =>
      readFileSync(join(folder, `${name}.jsonl`), "utf8")
        .split("\n")
        .filter((text) => text.trim() !== "")
        .map((text) => JSON.parse(text) as Line);
    this.name = basename(folder);
    this.documents = linesOf<CollectionDocument>("documents");
    this.questions = linesOf<Question>("questions");
    this.#judgements = Map.groupBy(linesOf<Judgement>("judgements"), ({ question }) => question);
  }

  /**
   * Searches for every question.
   *
   * @param search returns ids, best first
   * @param mayJudge whether a document counts as an answer
   */
  async judged(
    search: (text: string) => Promise<readonly string[]>,
    mayJudge: (document: string) => boolean = () => true,
  ): Promise<Judged[]> {
    const judged: Judged[] = [];
    for (const { id, text } of this.questions) {
      const right = (this.#judgements.get(id) ?? []).filter(({ document }) => mayJudge(document));
      judged.push({
        found: await search(text),
        grades: new Map(right.map(({ document, grade }) => [document, grade])),
      });
    }
    return judged;
  }
}
