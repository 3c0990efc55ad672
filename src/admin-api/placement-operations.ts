import * as v from "valibot";
import { integer, seconds, text, texts } from "./members.ts";
import { type AdminOperations, type AnyCall, changed, taking } from "./operation.ts";

export const placement = v.object({
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

/** How long one call continues a move. A command that waits repeats the call. */
const MOVE_MILLISECONDS = 2000;

export const PLACEMENT_OPERATIONS: AdminOperations = {
  "GET /document-placement": {
    unversioned: ["move"],
    run: (call) => standing(call),
  },
  "POST /document-placement/move": taking(v.object({ engine: text }), {
    act: "documents.move",
    refusals: [503],
    run: async (call) => {
      const { administration, instance, body, reads } = call;
      await administration.documents.move(body.engine);
      await reads.documentMoves.goOn(instance.id, MOVE_MILLISECONDS);
      return standing(call);
    },
  }),
  "POST /document-placement/cancel": {
    act: "documents.cancelMove",
    run: (call) => goingOn(call, call.administration.documents.cancelMove()),
  },
  "POST /document-placement/restore": {
    act: "documents.restorePlacement",
    refusals: [503],
    run: ({ administration }) => changed(administration.documents.restorePlacement()),
  },
  "POST /document-placement/rewind": taking(v.object({ at: seconds }), {
    act: "documents.rewind",
    refusals: [503],
    run: ({ administration, body }) => changed(administration.documents.rewind(body.at)),
  }),
  "DELETE /document-placement/old-documents": {
    act: "documents.eraseOld",
    run: (call) => goingOn(call, call.administration.documents.eraseOld()),
  },
};

/** Begins at once with what a decision about a move leads to: the alarm of its objects may be days away. */
async function goingOn({ reads, instance }: AnyCall, decision: Promise<boolean>) {
  if (await decision) await reads.documentMoves.goOn(instance.id, MOVE_MILLISECONDS);
  return changed(decision);
}

/** Returns only the members of the schema. Who requested a move is in the audit. */
async function standing({ reads, instance }: AnyCall) {
  return v.parse(placement, await reads.documentMoves.standing(instance.id));
}
