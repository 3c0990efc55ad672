import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Options, parseOptions } from "../../clients/push/options.ts";
import { run } from "../../clients/push/run.ts";
import { ServiceInMemory } from "./service.ts";

let folder: string;
let service: ServiceInMemory;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-push-run-"));
  await writeFile(join(folder, "leave.md"), "# Leave\n28 days");
  service = new ServiceInMemory();
});
afterEach(() => rm(folder, { recursive: true }));

function optionsWith(more: Partial<Options>): Options {
  const environment = { GATEHOUSE_URL: "https://acme-be.example.com", GATEHOUSE_TOKEN: "t" };
  const options = parseOptions([folder, "--datasource", "notes"], environment);
  if (!options?.service) throw new Error("no options");
  return { ...options, service: { ...options.service, fetch: service.fetch }, ...more };
}

const quiet = () => undefined;

describe("a run that was told nothing about who may see the documents", () => {
  it("asks on a terminal, and sends nothing if nobody answers", async () => {
    const refused = { message: expect.stringContaining("Say who may see the documents"), exitCode: 2 };
    await expect(run(optionsWith({}), quiet)).rejects.toMatchObject(refused);
    await expect(run(optionsWith({}), quiet, () => Promise.resolve(" "))).rejects.toMatchObject(refused);
    await expect(run(optionsWith({}), quiet, () => Promise.resolve("all"))).rejects.toThrow('"all" is not one of');
    expect(service.ids).toEqual([]);
    const answer = () => Promise.resolve('group:"People team" user:ada@acme.example');
    expect(await run(optionsWith({}), quiet, answer)).toBe(0);
    expect(service.documents.get("leave.md")?.permissions).toEqual({
      allowedGroups: ["People team"],
      allowedUsers: [{ email: "ada@acme.example" }],
    });
  });

  it("doesn't ask if the command or a file beside the content says it", async () => {
    const never = () => Promise.reject(new Error("asked"));
    expect(await run(optionsWith({ everyone: true }), quiet, never)).toBe(0);
    await writeFile(join(folder, "GATEHOUSE_ACCESS"), "* nobody");
    expect(await run(optionsWith({}), quiet, never)).toBe(0);
    expect(service.documents.get("leave.md")?.permissions).toEqual({});
  });
});

it("with --watch, pushes a folder again after a file in it has changed", async () => {
  const enough = new Error("enough");
  let waits = 0;
  const print = (text: string) => {
    if (!text.startsWith("Waiting for changes")) return;
    waits += 1;
    if (waits === 2) throw enough;
    void appendFile(join(folder, "leave.md"), ", and a half");
  };
  await expect(run(optionsWith({ everyone: true, isWatching: true }), print)).rejects.toBe(enough);
  expect(service.documents.get("leave.md")?.body.textContent).toBe("# Leave\n28 days, and a half");
  expect(service.calls).toEqual(["listdocuments", "indexdocuments 1", "listdocuments", "indexdocuments 1"]);
});
