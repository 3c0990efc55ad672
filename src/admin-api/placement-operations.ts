import * as v from "valibot";
import { changed, integer, outcome, seconds, text, texts } from "./answers.ts";
import { type AdminOperations, type AnyCall, taking } from "./operation.ts";

const placement = v.object({
  engine: text,
  engines: texts,
  move: v.nullable(
    v.object({
      from: text,
      to: text,
      stage: v.picklist(["copying", "sealed", "switched", "moved", "erasing", "erased", "returning", "returned"]),
      copied: integer,
      total: integer,
      behind: v.nullable(integer),
      counted: v.nullable(integer),
      startedAt: seconds,
      changedAt: seconds,
      problem: v.nullable(text),
    }),
  ),
});

/** Of a call that goes on with a move: a command that waits calls again and again. */
const MOVE_MILLISECONDS = 2000;

/** Where an instance's documents are. */
export const PLACEMENT_OPERATIONS: AdminOperations = {
  "GET /document-placement": {
    summary: "Read which engine keeps the documents, and the latest move",
    answer: placement,
    unversioned: ["move"],
    run: (call) => standing(call),
  },
  "POST /document-placement/move": taking(v.object({ engine: text }), {
    summary: "Move the documents to another engine, while the instance serves",
    description:
      "The move goes on by itself. The same call again goes on with it as well, and answers how far it is. Writes are refused with 503 for the last seconds.",
    act: "documents.move",
    answer: placement,
    refusals: [503],
    run: async (call) => {
      const { administration, instance, actor, body, reads } = call;
      await administration.documents.move(instance, body.engine, actor);
      await reads.documentMoves.goOn(instance.id, MOVE_MILLISECONDS);
      return standing(call);
    },
  }),
  "POST /document-placement/cancel": {
    summary: "Cancel a move that has not switched over",
    act: "documents.cancelMove",
    answer: outcome,
    run: ({ administration, instance, actor }) => changed(administration.documents.cancelMove(instance, actor)),
  },
  "POST /document-placement/restore": {
    summary: "Set which engine keeps the documents, after the database was restored to an earlier time",
    act: "documents.restorePlacement",
    answer: outcome,
    refusals: [503],
    run: ({ administration, instance, actor }) => changed(administration.documents.restorePlacement(instance, actor)),
  },
  "DELETE /document-placement/old-documents": {
    summary: "Delete what the engine that was left still has, now and not after seven days",
    act: "documents.eraseOld",
    answer: outcome,
    run: ({ administration, instance, actor }) => changed(administration.documents.eraseOld(instance, actor)),
  },
};

/** What the schema names of it, and no more: who asked for a move is in the audit. */
async function standing({ reads, instance }: AnyCall) {
  return v.parse(placement, await reads.documentMoves.standing(instance.id));
}
