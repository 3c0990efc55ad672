import { isUnderWay, type Move } from "#documents/moving/move.ts";
import { MOVE_STAGES } from "#documents/moving/stages.ts";
import { timeIn } from "./option-values.ts";
import { time } from "./table.ts";
import type { HeldUpload, RemovedDocuments } from "#documents/uploads/uploads.ts";
import { type AdminApi, AdminApiRefused, type Changed } from "./admin-api.ts";
import type { ApiCommand } from "./command.ts";
import { UsageError } from "./failures.ts";

interface Placement {
  readonly engine: string;
  readonly engines: readonly string[];
  readonly move: Pick<Move, "from" | "to" | "stage" | "copied" | "total" | "behind" | "counted" | "problem"> | null;
}

type HeldRemoval = Pick<
  HeldUpload,
  "datasource" | "kind" | "groupName" | "uploadId" | "stale" | "total" | "heldUntil" | "examples"
>;

const PATH = "/document-placement";

/** How long to wait before looking again at a move that continues by itself. */
const LOOK_AGAIN_MILLISECONDS = 1000;

export const documentCommands: readonly ApiCommand[] = [
  {
    asks: "api",
    usage: "documents placement <instance>",
    purpose: "show which engine keeps the documents, and how far a move is",
    examples: ["documents placement acme"],
    async run(_input, api) {
      const answer = await api.get<Placement>(PATH);
      return { answer, lines: [`Documents: ${answer.engine} (of ${answer.engines.join(", ")})`, ...linesOf(answer)] };
    },
  },
  {
    asks: "api",
    usage: "documents move <instance>",
    purpose:
      "move the documents to more or fewer objects while the instance stays in use. The move continues if you stop the command",
    examples: ["documents move acme --to shards:2 --wait --yes"],
    needs: { "--to <engine>": "object, or shards:<number of objects>, a power of two up to 64" },
    options: { "--wait": "show the progress until the move ends" },
    asksFirst: true,
    members: { engine: "--to" },
    async run(input, api) {
      const engine = input.option("to");
      await input.confirm(
        `All documents of ${api.instance} move to ${engine}. Writes are refused during the last seconds of the move.`,
      );
      let answer = await api.call<Placement>("POST", `${PATH}/move`, { engine });
      if (input.flag("wait")) answer = await waitFor(api, answer, engine);
      return { answer, lines: linesOf(answer) };
    },
  },
  {
    asks: "api",
    usage: "documents cancel <instance>",
    purpose: "cancel a move that has not switched over; the documents stay where they are",
    examples: ["documents cancel acme"],
    async run(_input, api) {
      const answer = await api.call<Changed>("POST", `${PATH}/cancel`);
      return { answer, lines: [answer.changed ? "The move is cancelled." : "There is no move to cancel."] };
    },
  },
  {
    asks: "api",
    usage: "documents held <instance>",
    purpose: "list the bulk uploads whose removal waits for a decision",
    examples: ["documents held acme"],
    async run(_input, api) {
      const answer = await api.get<{ readonly items: readonly HeldRemoval[] }>("/held-removals");
      const lines = answer.items.map(
        ({ datasource, kind, groupName, uploadId, stale, total, heldUntil, examples }) =>
          `${datasource}: upload ${uploadId} would remove ${stale} of ${total} ${kind}${groupName === "" ? "" : ` of ${groupName}`}` +
          `, such as ${examples.join(", ")}. Held until ${timeOf(heldUntil)}`,
      );
      return { answer, lines: lines.length === 0 ? ["Nothing is held."] : lines };
    },
  },
  {
    asks: "api",
    usage: "documents decide <instance> <datasource>",
    purpose: "remove what a held upload left out, or keep it",
    examples: ["documents decide acme wiki --discard", "documents decide acme wiki --remove --yes"],
    options: {
      "--remove": "remove it now",
      "--discard": "keep it; the next upload is checked again",
      "--kind <kind>": "documents (the default), users, groups or memberships",
      "--group <name>": "the group whose memberships are held",
    },
    members: { groupName: "--group" },
    asksFirst: true,
    async run(input, api) {
      const datasource = input.word("datasource");
      const removes = input.flag("remove");
      if (removes === input.flag("discard")) throw new UsageError("Say either --remove or --discard");
      const body = { datasource, kind: input.option("kind"), groupName: input.option("group") };
      if (removes) await input.confirm(`What the held upload of ${datasource} left out is removed.`);
      const answer = await api.call<Changed>("POST", `/held-removals/${removes ? "remove" : "discard"}`, body);
      return { answer, lines: [answer.changed ? (removes ? "Removed." : "Kept.") : "Nothing of this is held."] };
    },
  },
  {
    asks: "api",
    usage: "documents removed <instance>",
    purpose: "list how many documents that uploads removed can be brought back",
    examples: ["documents removed acme"],
    async run(_input, api) {
      const answer = await removedFrom(api);
      const lines = answer.items.map(
        ({ datasource, documents, lastRemovedAt, fate }) =>
          `${datasource}: ${documents} documents, the last removed at ${timeOf(lastRemovedAt)}${fate === null ? "" : `; now: ${fate}`}`,
      );
      return { answer, lines: lines.length === 0 ? ["None."] : lines };
    },
  },
  {
    asks: "api",
    usage: "documents bring-back <instance> <datasource>",
    purpose: "bring back the documents that bulk uploads removed in the last seven days, as they were",
    examples: ["documents bring-back acme wiki"],
    async run(input, api) {
      const datasource = input.word("datasource");
      const answer = await api.call<Changed>("POST", "/removed-documents/bring-back", { datasource });
      if (!answer.changed) return { answer, lines: ["There is nothing to bring back."] };
      await untilDecided(api, datasource);
      return { answer, lines: [`The documents of ${datasource} are back.`] };
    },
  },
  {
    asks: "api",
    usage: "documents erase-removed <instance> <datasource>",
    purpose: "erase the documents that bulk uploads removed permanently, before the seven days end",
    examples: ["documents erase-removed acme wiki --yes"],
    asksFirst: true,
    async run(input, api) {
      const datasource = input.word("datasource");
      await input.confirm(`Removed documents of ${datasource} can no longer be brought back.`);
      const answer = await api.call<Changed>("POST", "/removed-documents/erase", { datasource });
      if (!answer.changed) return { answer, lines: ["There is nothing to erase."] };
      await untilDecided(api, datasource);
      return { answer, lines: [`The removed documents of ${datasource} are erased.`] };
    },
  },
  {
    asks: "api",
    usage: "documents restore-placement <instance>",
    purpose: "set which engine keeps the documents, after the database was restored to a time before a move",
    examples: ["documents restore-placement acme"],
    async run(_input, api) {
      const answer = await api.call<Changed>("POST", `${PATH}/restore`);
      const { engine } = await api.get<Placement>(PATH);
      return { answer, lines: [`Documents: ${engine}${answer.changed ? "" : ", as before"}`] };
    },
  },
  {
    asks: "api",
    usage: "documents rewind <instance>",
    purpose: "restore all documents and their permissions as they were at a time within the last 30 days",
    examples: ["documents rewind acme --at 2026-11-20T08:00:00Z --yes"],
    needs: { "--at <time>": "a time with its zone, such as 2026-11-20T08:00:00Z" },
    asksFirst: true,
    members: { at: "--at" },
    async run(input, api) {
      const at = timeIn("--at", input.option("at") ?? "");
      await input.confirm(
        `All documents, permissions, groups and metadata values of ${api.instance} become what they were at ${time(at)}. ` +
          "This also restores old permissions, so stop the pipelines first, and have each upload everything afterwards.",
      );
      const before = Math.floor(Date.now() / 1000) - 1;
      const answer = await api.call<Changed>("POST", `${PATH}/rewind`, { at });
      if (!answer.changed) throw new UsageError("The documents were moved in the meantime, and nothing was restored");
      return { answer, lines: [`The documents are those of ${time(at)}. To undo this, rewind to ${time(before)}.`] };
    },
  },
  {
    asks: "api",
    usage: "documents erase-old <instance>",
    purpose: "after a move, delete the documents in the old engine now instead of after seven days",
    examples: ["documents erase-old acme --yes"],
    asksFirst: true,
    async run(input, api) {
      await input.confirm(
        `The old documents of ${api.instance} are deleted. The move can't be undone without copying back.`,
      );
      const answer = await api.call<Changed>("DELETE", `${PATH}/old-documents`);
      return { answer, lines: [answer.changed ? "The old documents are being deleted." : "There are none to delete."] };
    },
  },
];

interface Removed {
  readonly items: readonly RemovedDocuments[];
}

function removedFrom(api: AdminApi): Promise<Removed> {
  return api.get<Removed>("/removed-documents");
}

/** Waits until what was decided about a datasource's removed documents is done. Prints how many are left to standard error. */
async function untilDecided(api: AdminApi, datasource: string): Promise<void> {
  for (;;) {
    const left = (await removedFrom(api)).items.find((one) => one.datasource === datasource);
    if (!left || left.fate === null) return;
    console.error(`${left.documents} documents left`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MILLISECONDS));
  }
}

function timeOf(seconds: number | null): string {
  return seconds === null ? "" : new Date(seconds * 1000).toISOString();
}

/**
 * Continues the move until it has ended, and prints its progress to standard error. @throws {UsageError} if it was undone
 */
async function waitFor(api: AdminApi, first: Placement, engine: string | undefined): Promise<Placement> {
  let answer = first;
  let shown = "";
  while (answer.move && isUnderWay(answer.move)) {
    const line = linesOf(answer).join(" ");
    if (line !== shown) console.error(line);
    shown = line;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MILLISECONDS));
    const helps = answer.move.stage !== "returning";
    answer = helps ? await goOn(api, engine) : await api.get<Placement>(PATH);
  }
  if (answer.move?.stage === "returned") {
    throw new UsageError(
      `The move ended, and the documents are in ${answer.engine}: ${answer.move.problem ?? "it was cancelled"}`,
    );
  }
  return answer;
}

/** Continues the move. If the API refuses because the move has just ended, only reads its state. */
async function goOn(api: AdminApi, engine: string | undefined): Promise<Placement> {
  try {
    return await api.call<Placement>("POST", `${PATH}/move`, { engine });
  } catch (error) {
    if (!(error instanceof AdminApiRefused)) throw error;
    return api.get<Placement>(PATH);
  }
}

function linesOf({ move }: Placement): string[] {
  if (!move) return [];
  const { from, to, stage, copied, total, behind, counted, problem } = move;
  const changes = behind === null ? "" : `, ${behind} changes behind`;
  const far = stage === "copying" ? `, ${copied} of about ${total}${changes}` : "";
  return [
    `From ${from} to ${to}: ${MOVE_STAGES[stage]}${far}`,
    ...(counted === null ? [] : [`Both engines counted ${counted} documents.`]),
    ...(problem === null ? [] : [`Last problem: ${problem}`]),
  ];
}
