import { beforeAll, describe, expect, it } from "vitest";
import { explainFailure } from "../../scripts/admin/failures.ts";
import { runAdmin } from "../../scripts/admin.ts";
import { openAdmin, type TestAdmin } from "../support/node/admin-database.ts";
import { ORIGIN } from "../support/node/gatehouse.ts";

/** A separate database for these tests. */
let context: TestAdmin;

beforeAll(async () => {
  context = openAdmin();
  for (const command of ["schema apply", "instance create acme", "oauth enable acme"])
    await admin(...command.split(" "));
});

/** Runs a command, and returns what it printed and the sentence with which it failed. */
async function admin(...args: string[]): Promise<{ printed: string[]; failure: string | undefined }> {
  const printed: string[] = [];
  try {
    await runAdmin(args, { ...context, print: (line) => void printed.push(line) });
    return { printed, failure: undefined };
  } catch (error) {
    return { printed, failure: explainFailure(error) };
  }
}

describe("audit export and audit verify", () => {
  it("print entries as JSON lines, and report that the chain is intact", async () => {
    const { printed } = await admin("audit", "export", "acme");
    expect(printed.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
      "instance_created",
      "settings_changed",
    ]);
    expect((await admin("audit", "verify", "acme")).printed[0]).toMatch(/^acme: These 2 entries follow each other/);
  });

  it("fail if an entry was changed, and name the entry", async () => {
    await context.bindings.DB.prepare("UPDATE audit SET actor = 'mallory' WHERE sequence = 1").run();
    expect((await admin("audit", "verify", "acme")).failure).toBe(
      "The audit of acme is not intact: entry 1 was changed",
    );
  });
});

describe("grant list and grant revoke", () => {
  it("say that there are no grants, and that --all revoked none", async () => {
    expect(await admin("grant", "list", "acme")).toEqual({ printed: ["There are no grants."], failure: undefined });
    expect((await admin("grant", "revoke", "acme", "--all", "--yes")).printed).toEqual([
      "0 grants of acme are revoked.",
    ]);
  });

  it("refuse an unknown person, an unknown grant, and a revocation without a grant or --all", async () => {
    expect((await admin("grant", "list", "acme", "--person", "ben@acme.example")).failure).toMatch(/^There is nobody/);
    expect((await admin("grant", "revoke", "acme", "nothing", "--yes")).failure).toBe(
      "There is no active grant nothing in acme",
    );
    expect((await admin("grant", "revoke", "acme")).failure).toMatch(/^Give a <grant-id>, or --all/);
  });
});

describe("doctor", () => {
  it("checks the instance over the network, and fails if some checks fail", async () => {
    const { printed, failure } = await admin("doctor", "acme", "--url", ORIGIN);
    const text = printed.join("\n");
    expect(text).toMatch(/ok {7}Authorization server metadata/);
    expect(text).toMatch(/ok {7}Clock: /);
    expect(text).toMatch(/ok {7}Requests of assistants: /);
    expect(failure).toMatch(/of the checks failed$/);
  });

  it("reports failed checks if nothing responds", async () => {
    const { printed } = await admin("doctor", "acme", "--url", "http://localhost:9");
    expect(printed.filter((line) => line.includes("FAILED")).length).toBeGreaterThanOrEqual(7);
  });

  it("refuses an address that is not http or https, or has a path", async () => {
    for (const wrong of ["acme", "ftp://acme.example", `${ORIGIN}/admin`]) {
      expect((await admin("doctor", "acme", "--url", wrong)).failure).toMatch(/^--url is the Worker's address/);
    }
  });
});
