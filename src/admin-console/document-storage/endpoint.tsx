import { render } from "#admin-console/page-endpoint.ts";
import { done, type WordOf } from "#admin-console/notices-endpoint.ts";
import { decision } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { orRefused } from "#admin-console/refused-act.ts";
import { canCancel, isUnderWay, type Move, type MoveStanding } from "#documents/moving/move.ts";
import { engineInWords } from "#documents/moving/engine-words.ts";
import { shardsOf } from "#documents/moving/placement.ts";
import { MOVE_STAGES } from "#documents/moving/stages.ts";
import { ApiError } from "#protocol/errors.ts";
import { DocumentStoragePage } from "./views/document-storage-page.tsx";
import { Minute } from "#pages/views/time.tsx";
import { counted } from "#pages/views/count.ts";

/** How long a form works on a move before it responds. The object's alarm and the cron trigger continue the move. */
const MOVE_MILLISECONDS = 1000;

/** GET /admin/document-storage: where the documents are, and how far the latest move has got. */
export const documentStoragePage = pages.createHandlers(async (c) => {
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
});

/** /admin/document-storage/move?engine=… */
export const moveDocuments = decision({
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
  async decide(c, engine) {
    await orRefused(c.var.services.administration.documents.move(engine));
    return goOn(c, "started");
  },
});

/** POST /admin/document-storage/cancel */
export const cancelMove = forms.createHandlers(async (c) => {
  const isCancelled = await c.var.services.administration.documents.cancelMove();
  return goOn(c, isCancelled ? "cancelled" : "late");
});

/** /admin/document-storage/erase-old */
export const eraseOld = decision({
  async question(c) {
    const { move } = await standing(c);
    if (move?.stage !== "moved") return done(c, "/document-storage", "late");
    const { from, to } = inWords(move);
    return {
      title: "Delete the old documents?",
      words: [
        <>
          The documents as they were at <Minute at={move.changedAt} /> are still in {from}. They are deleted there now,
          and not after seven days. You can’t undo this.
        </>,
        `The documents in ${to} stay, and searches don’t change.`,
      ],
    };
  },
  async decide(c) {
    const isErasing = await c.var.services.administration.documents.eraseOld();
    return goOn(c, isErasing ? "erasing" : "late");
  },
});

async function goOn(c: ConsoleContext, word: WordOf<"/document-storage">): Promise<Response> {
  await c.var.services.documentMoves.goOn(c.var.instance.policy.instanceId, MOVE_MILLISECONDS);
  return done(c, "/document-storage", word);
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
