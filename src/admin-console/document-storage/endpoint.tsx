import { known, t } from "#pages/views/console-frame.ts";
import { counted } from "#pages/views/count.ts";
import { later } from "#pages/views/asking-page.tsx";
import { consoleForm, type ConsolePaths, leadTo, render, type Sent } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { canCancel, isUnderWay, type Move, type MoveStanding } from "#documents/moving/move.ts";
import { engineInWords } from "#documents/moving/engine-words.ts";
import { shardsOf } from "#documents/moving/engines.ts";
import { MOVE_STAGES } from "#documents/moving/stages.ts";
import { ApiError } from "#protocol/errors.ts";
import { DocumentStoragePage } from "./views/document-storage-page.tsx";
import { Minute } from "#pages/views/time.tsx";

/** How long a form works on a move before it responds. The object's alarm and the cron trigger continue the move. */
const MOVE_MILLISECONDS = 1000;

const STORAGE = "/document-storage";
const LATE = "Nothing was changed: the move had already continued.";

/** Where the documents are, and how far the latest move has got. */
export const DOCUMENT_STORAGE_PATHS: ConsolePaths = {
  [STORAGE]: {
    page: async (c) => {
      const where = await standing(c);
      const { engine, move } = where;
      return render(
        c,
        <DocumentStoragePage
          engine={engineInWords(engine)}
          targets={targetsOf(where).map((name) => ({ engine: name, says: engineInWords(name) }))}
          move={
            move && {
              ...inWords(move),
              says: MOVE_STAGES[move.stage],
              isUnderWay: isUnderWay(move),
              canCancel: canCancel(move),
            }
          }
        />,
      );
    },
  },
  "/document-storage/move": consoleForm({
    act: "documents.move",
    button: "Move the documents",
    about: (_c, field) => field("engine") ?? "",
    async question(c, wanted) {
      const where = await standing(c);
      const to = targetsOf(where).find((name) => name === wanted);
      if (to === undefined) {
        throw new ApiError("not_found", {
          reason: "administration_refused",
          description: "The documents can’t be moved there in one step",
        });
      }
      const { datasources } = await c.var.services.documents.stats(c.var.instance.policy.instanceId);
      const documents = datasources.reduce((sum, datasource) => sum + datasource.documents, 0);
      return {
        title: "Move the documents?",
        fields: { engine: to },
        words: [
          `${counted(documents, "document")} are copied from ${engineInWords(where.engine)} to ${engineInWords(to)}.`,
          "Searches and uploads keep working. Only during the last seconds, uploads get 503 with Retry-After, and pipelines send them again.",
          "Before the switch, the documents on both sides are counted. If the counts differ, nothing is switched.",
          "The old documents are kept for seven days, and then deleted. You can cancel until the switch, and move back after it.",
        ],
      };
    },
    decide: (sent, engine) =>
      goingOn(
        sent,
        sent.administration.documents.move(engine).then(() => true),
      ),
    leadsTo: STORAGE,
    says: { started: "The move has started. It continues if you close this page." },
  }),
  "/document-storage/cancel": consoleForm({
    act: "documents.cancelMove",
    button: "Cancel the move",
    decide: (sent) => goingOn(sent, sent.administration.documents.cancelMove()),
    leadsTo: STORAGE,
    says: { cancelled: "The move is cancelled. The documents stay where they were.", late: LATE },
  }),
  "/document-storage/erase-old": consoleForm({
    act: "documents.eraseOld",
    button: "Delete the old documents",
    async question(c) {
      const { move } = await standing(c);
      if (move?.stage !== "moved") return leadTo(c, `/admin${STORAGE}`, "late");
      const { from, to } = inWords(move);
      return {
        title: "Delete the old documents?",
        words: [
          later(
            () =>
              t`The documents as they were at ${<Minute at={move.changedAt} />} are still in ${known(from)}. They are deleted there now, and not after seven days. You can’t undo this.`,
          ),
          `The documents in ${to} stay, and searches don’t change.`,
        ],
      };
    },
    decide: (sent) => goingOn(sent, sent.administration.documents.eraseOld()),
    leadsTo: STORAGE,
    says: { erasing: "The old documents are being deleted.", late: LATE },
  }),
};

async function goingOn({ c }: Sent, decision: Promise<boolean>): Promise<boolean> {
  const isDecided = await decision;
  await c.var.services.documentMoves.goOn(c.var.instance.policy.instanceId, MOVE_MILLISECONDS);
  return isDecided;
}

/** Returns a move with both sides in words. */
function inWords(move: Move) {
  return { ...move, from: engineInWords(move.from), to: engineInWords(move.to) };
}

/** Returns twice as many objects, and half as many. */
function targetsOf({ engine, engines }: MoveStanding) {
  return engines.filter((name) => [shardsOf(engine) * 2, shardsOf(engine) / 2].includes(shardsOf(name)));
}

function standing(c: ConsoleContext) {
  return c.var.services.documentMoves.standing(c.var.instance.policy.instanceId);
}
