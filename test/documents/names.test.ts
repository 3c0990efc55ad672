import { FIND_LIMITS } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const EVERYONE = { kind: "everyone", datasource: "", name: "" } as const;
const SOMEBODY_ELSE = { kind: "person", datasource: "", name: "zoe@acme.example" } as const;
const seer = { email: "ada@acme.example", directoryGroups: [] };

/** Returns the ids that a query finds, among pages that have the parts of a name as often as they can. */
function found(query: string, pages: Readonly<Record<string, string>>, narrow: number, hidden = ""): string[] {
  const world = new World({ ...FIND_LIMITS, narrow });
  const put = (id: string, body: string, principal: typeof EVERYONE | typeof SOMEBODY_ELSE) =>
    putDocument(world.store, aDocument(id, { body, principals: [principal] }), 1, 0);
  if (hidden !== "") put("hidden", hidden, SOMEBODY_ELSE);
  for (const [id, body] of Object.entries(pages)) put(id, body, EVERYONE);
  return world.all(seer, { query });
}

const PARTS = "the queue is run at most max times: run queue, max run, queue max ".repeat(5);

describe.each([FIND_LIMITS.narrow, 0])("a name that was typed with underscores (%i weighed)", (narrow) => {
  const pages = { defines: `${"other text ".repeat(400)}queue_run_max`, parts: PARTS, camel: "queueRunMax" };

  it.each(["queue_run_max", "queue_run_max ", "Queue_Run_Max "])("finds the pages that have it: %j", (query) => {
    expect(found(query, pages, narrow).sort()).toEqual(["camel", "defines"]);
  });

  it("comes first where its parts are in a row", () => {
    const joined = { joined: "setpos pos set; ".repeat(30), defines: `${"other text ".repeat(400)}set_pos` };
    expect(found("set_pos ", joined, narrow)).toEqual(["defines", "joined"]);
  });

  it("is one word beside others, and in a longer name", () => {
    expect(found("exim queue_run_max ", pages, narrow)).not.toContain("parts");
    expect(found("smtp.queue_run_max ", { ...pages, both: "smtp.queue_run_max" }, narrow)[0]).toBe("both");
  });

  it("is its parts if no page has it, and if only pages have it that the person may not see", () => {
    expect(found("queue_run_max ", { parts: PARTS }, narrow)).toEqual(["parts"]);
    expect(found("queue_run_max ", { parts: PARTS }, narrow, "queue_run_max")).toEqual(["parts"]);
  });

  it("is its parts if they were quoted or joined by hyphens", () => {
    expect(found('"queue run max" ', { ...pages, quoted: "queue run max" }, narrow)).toContain("quoted");
    expect(found("queue-run-max ", pages, narrow)).toContain("parts");
  });
});

describe.each([FIND_LIMITS.narrow, 0])("an option that was typed with its dashes (%i weighed)", (narrow) => {
  const pages = {
    option: `${"other text ".repeat(400)}git push --Force`,
    word: "force and more force ".repeat(20),
    longer: "--force-with-lease, and no-force",
  };

  it.each(["--force", "--force ", "--FORCE ", "--force, ", "--force? "])(
    "finds only the pages that have it: %j",
    (query) => {
      expect(found(query, pages, narrow)).toEqual(["option"]);
    },
  );

  it("may have several words, and stand beside others", () => {
    expect(found("--force-with-lease ", pages, narrow)).toEqual(["longer"]);
    expect(found("git --force ", pages, narrow)[0]).toBe("option");
  });

  it("is its words if no page has it, or only pages have it that the person may not see", () => {
    const { word } = pages;
    expect(found("--force ", { word }, narrow, "--force")).toEqual(["word"]);
    expect(found("--forc", { word }, narrow)).toEqual(["word"]);
    expect(found("force ", pages, narrow)).toHaveLength(3);
  });
});
