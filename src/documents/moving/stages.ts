import type { MoveStage } from "./move.ts";

/** Each stage of a move, as commands and pages describe it. */
export const MOVE_STAGES: Readonly<Record<MoveStage, string>> = {
  copying: "copying",
  sealed: "copying the last changes; writes are refused for a moment",
  switched: "switching over",
  moved: "done; the old documents are kept for seven days",
  erasing: "deleting the old documents",
  erased: "done; the old documents are deleted",
  returning: "going back",
  returned: "ended; the documents stayed where they were",
};
