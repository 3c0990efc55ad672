import { beforeAll, describe, expect, it } from "vitest";
import { explainFailure } from "../../scripts/admin/failures.ts";
import { runAdmin } from "../../scripts/admin.ts";
import { openAdmin, type TestAdmin } from "../support/node/admin-database.ts";
import { ORIGIN } from "../support/node/gatehouse.ts";

/** A database of these tests alone. */
let context: TestAdmin;

beforeAll(async () => {
  context = await openAdmin();
  for (const command of ["schema apply", "instance create acme", "oauth enable acme"])
    await admin(...command.split(" "));
});

/** Runs a command; what it printed, and the sentence it failed with. */
async function admin(...args: string[]): Promise<{ printed: string[]; failure: string | undefined }> {
  const printed: string[] = [];
  try {
    await runAdmin(args, { ...context, print: (line) => void printed.push(line) });
    return { printed, failure: undefined };
  } catch (error) {
    return { printed, failure: explainFailure(error) };
  }
}

describe("audit export, audit verify", () => {
  it("print JSON lines, and say that the chain holds", async () => {
    const { printed } = await admin("audit", "export", "acme");
    expect(printed.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
      "instance_created",
      "settings_changed",
    ]);
    expect((await admin("audit", "verify", "acme")).printed[0]).toMatch(/^acme: These 2 entries follow each other/);
  });

  it("fail where an entry was changed", async () => {
    await context.bindings.DB.prepare("UPDATE audit SET actor = 'mallory' WHERE sequence = 1").run();
    expect((await admin("audit", "verify", "acme")).failure).toBe(
      "The audit of acme is not intact: entry 1 was changed",
    );
  });
});

describe("grant list, grant revoke", () => {
  it("list nothing where there is nothing, and end everything where it is said so", async () => {
    expect(await admin("grant", "list", "acme")).toEqual({ printed: ["There are no grants."], failure: undefined });
    expect((await admin("grant", "revoke", "acme", "--all", "--yes")).printed).toEqual([
      "0 grants of acme are revoked.",
    ]);
  });

  it("know nobody and no grant that is not there", async () => {
    expect((await admin("grant", "list", "acme", "--person", "ben@acme.example")).failure).toMatch(/^There is nobody/);
    expect((await admin("grant", "revoke", "acme", "nothing", "--yes")).failure).toBe(
      "There is no active grant nothing in acme",
    );
    expect((await admin("grant", "revoke", "acme")).failure).toMatch(/^Give a <grant-id>, or --all/);
  });
});

describe("doctor", () => {
  it("meets the instance over the network, and says where its own Worker cannot be asked", async () => {
    const { printed, failure } = await admin("doctor", "acme", "--url", ORIGIN);
    const text = printed.join("\n");
    expect(text).toMatch(/ok {7}Authorization server metadata/);
    expect(text).toMatch(/ok {7}Clock: /);
    expect(failure).toMatch(/of the checks failed$/);
  });

  it("fails where nothing answers", async () => {
    const { printed } = await admin("doctor", "acme", "--url", "http://localhost:9");
    expect(printed.filter((line) => line.includes("FAILED")).length).toBeGreaterThanOrEqual(7);
  });

  it("wants an address without a path", async () => {
    for (const wrong of ["acme", "ftp://acme.example", `${ORIGIN}/admin`]) {
      expect((await admin("doctor", "acme", "--url", wrong)).failure).toMatch(/^--url is the Worker's address/);
    }
  });
});
