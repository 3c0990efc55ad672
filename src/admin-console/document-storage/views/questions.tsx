import type { Question } from "#pages/views/asking-page.tsx";
import { Moment } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";

/** Asks before documents move to more or fewer objects. */
export function moveQuestion(from: string, to: string, documents: number): Question {
  return {
    title: "Move the documents?",
    fields: { engine: to },
    words: [
      `${counted(documents, "document")} are copied from ${from} to ${to}.`,
      "Searches and uploads keep working. Only during the last seconds, uploads get 503 with Retry-After, and pipelines send them again.",
      "Before the switch, the documents on both sides are counted. If the counts differ, nothing is switched.",
      "The old documents are kept for seven days, and then deleted. You can cancel until the switch, and move back after it.",
    ],
  };
}

/** Asks before the documents are deleted where they were moved from. */
export function eraseOldQuestion(move: {
  readonly from: string;
  readonly to: string;
  readonly changedAt: number;
}): Question {
  return {
    title: "Delete the old documents?",
    words: [
      <>
        The documents as they were at <Moment at={move.changedAt} /> are still in {move.from}. They are deleted there
        now, and not after seven days. You can’t undo this.
      </>,
      `The documents in ${move.to} stay, and searches don’t change.`,
    ],
  };
}
