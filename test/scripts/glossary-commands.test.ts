import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runAdmin } from "../../scripts/admin.ts";
import { openAdmin, type TestAdmin } from "../support/node/admin-database.ts";

describe("npm run admin -- glossary", () => {
  let context: TestAdmin;

  beforeAll(async () => {
    context = openAdmin();
    await run("schema apply");
    await run("instance create acme");
  });

  async function run(line: string): Promise<string[]> {
    const lines: string[] = [];
    await runAdmin(line.split(" "), { ...context, print: (text) => lines.push(text) });
    return lines;
  }

  it("imports what it exports, and says what that changes", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "gatehouse-test-")), "glossary.csv");
    writeFileSync(file, "PTO,paid time off\nk8s,the cluster,one way\n");
    expect(await run(`glossary import acme ${file} --yes`)).toEqual([
      "glossary: add k8s > the cluster",
      "glossary: add PTO = paid time off",
    ]);
    const exported = await run("glossary export acme");
    writeFileSync(file, `${exported.join("\n")}\n`);
    expect(await run(`glossary import acme ${file} --yes`)).toEqual(["Nothing to change."]);
    writeFileSync(file, "");
    expect(await run(`glossary import acme ${file} --yes`)).toHaveLength(2);
  });
});
