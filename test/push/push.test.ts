import { mkdtemp, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { Extractor } from "../../clients/push/formats/extractor.ts";
import { parseRules, sameForAll, type Visibility } from "../../clients/push/permissions.ts";
import { FolderSource } from "../../clients/push/sources/folder.ts";
import { push, type PushOptions } from "../../clients/push/sync/push.ts";
import { Service } from "../../clients/push/sync/service.ts";
import { xlsx } from "./files.ts";
import { ServiceInMemory } from "./service.ts";

const extractor = new Extractor();
const folders: string[] = [];
afterAll(async () => {
  await extractor.close();
  for (const folder of folders) await rm(folder, { recursive: true });
});

const EVERYONE = sameForAll(true, [], []);
const ADDRESS = "https://acme-be.example.com";

let folder: string;
let service: ServiceInMemory;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-push-test-"));
  folders.push(folder);
  service = new ServiceInMemory();
});

async function write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

async function pushFolder(visibility: Visibility = EVERYONE, more: Partial<PushOptions> = {}) {
  service.calls.length = 0;
  return push({
    source: await FolderSource.open(folder, { bytesMax: 1_000_000, exclude: ["*.tmp.md"] }),
    visibility,
    addresses: { serviceUrl: ADDRESS, datasource: "notes" },
    service: new Service({ url: ADDRESS, token: "t", datasource: "notes", fetch: service.fetch, patience: 1 }),
    extractor,
    isDryRun: false,
    mayRemoveMany: false,
    ...more,
  });
}

const NOTES = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`n${at}.md`, `# Note ${at}\ntext`]));

describe("pushing a folder", () => {
  it("sends everything once, and then only what changed; removes what is gone", async () => {
    await write(NOTES);
    expect(await pushFolder()).toMatchObject({ items: 10, sent: 10, unchanged: 0, removed: 0 });
    expect(service.documents.get("n3.md")).toMatchObject({
      title: "Note 3",
      objectType: "Page",
      viewURL: `${ADDRESS}/documents/notes/n3.md`,
      body: { mimeType: "text/markdown", textContent: "# Note 3\ntext" },
      permissions: { allowAnonymousAccess: true },
    });
    expect(await pushFolder()).toMatchObject({ sent: 0, unchanged: 10, removed: 0 });
    expect(service.calls.every((call) => call === "listdocuments")).toBe(true);
    await write({ "n3.md": "# Changed" });
    await rename(join(folder, "n4.md"), join(folder, "n4b.md"));
    expect(await pushFolder()).toMatchObject({ sent: 2, unchanged: 8, removed: 1 });
    expect(service.ids).toEqual([...Object.keys(NOTES).filter((id) => id !== "n4.md"), "n4b.md"].toSorted());
  });

  it("sends a file again if its permissions or its address change, or somebody else changed the document", async () => {
    await write(NOTES);
    await pushFolder();
    expect(await pushFolder(sameForAll(false, ["staff"], []))).toMatchObject({ sent: 10 });
    const addresses = { serviceUrl: ADDRESS, datasource: "notes", template: "https://wiki.example/{stem}?v=1" };
    expect(await pushFolder(sameForAll(false, ["staff"], []), { addresses })).toMatchObject({ sent: 10 });
    expect(service.documents.get("n1.md")?.viewURL).toBe("https://wiki.example/n1?v=1");
    const { contentHash: _removed, ...permitted } = service.documents.get("n1.md") ?? {};
    service.documents.set("n1.md", permitted as never);
    expect(await pushFolder(sameForAll(false, ["staff"], []), { addresses })).toMatchObject({ sent: 1, unchanged: 9 });
  });

  it("holds the removal of more than 20 %, until it is told to remove them", async () => {
    await write(NOTES);
    await pushFolder();
    for (const name of ["n0.md", "n1.md", "n2.md"]) await rm(join(folder, name));
    expect(await pushFolder()).toMatchObject({ removed: 0, held: 3, gone: ["n0.md", "n1.md", "n2.md"] });
    expect(service.ids).toHaveLength(10);
    expect(await pushFolder(EVERYONE, { mayRemoveMany: true })).toMatchObject({ removed: 3, held: 0 });
    expect(service.ids).toHaveLength(7);
  });

  it("leaves what something else sent to the datasource", async () => {
    service.documents.set("theirs", { id: "theirs", contentHash: "v7" } as never);
    await write(NOTES);
    expect(await pushFolder()).toMatchObject({ sent: 10, foreign: 1, held: 0 });
    expect(service.ids).toContain("theirs");
  });

  it("makes several documents of a long file or a workbook, and continues where it was interrupted", async () => {
    const chapters = Array.from({ length: 4 }, (_, at) => `# Chapter ${at}\n${"word ".repeat(8000)}`);
    await write({ "book.md": chapters.join("\n"), "plan.xlsx": xlsx() });
    await pushFolder();
    expect(service.ids).toEqual(["book.md", "book.md#2", "book.md#3", "book.md#4", "plan.xlsx", "plan.xlsx#2"]);
    expect(service.documents.get("book.md#2")).toMatchObject({
      title: "Chapter 0: Chapter 1",
      viewURL: `${ADDRESS}/documents/notes/book.md%232`,
    });
    expect(service.documents.get("plan.xlsx#2")?.title).toBe("Travel: Staff");
    service.documents.delete("book.md#3");
    expect(await pushFolder()).toMatchObject({ sent: 4, unchanged: 2 });
    await write({ "book.md": "# Short" });
    expect(await pushFolder(EVERYONE, { mayRemoveMany: true })).toMatchObject({ sent: 1, removed: 3 });
    expect(service.ids).toEqual(["book.md", "plan.xlsx", "plan.xlsx#2"]);
  });

  it("reports what can't be read or is refused, keeps its documents, and pushes the rest", async () => {
    await write({ ...NOTES, "plan.pdf": "%PDF-1.7 broken", "huge.txt": "" });
    await truncate(join(folder, "huge.txt"), 1_100_000_000);
    service.documents.set("plan.pdf", { id: "plan.pdf", contentHash: "push1:1:earlier" } as never);
    service.refused.add("n5.md");
    const { sent, skipped } = await pushFolder();
    expect(sent).toBe(9);
    expect(skipped.filter(({ isFailure }) => isFailure)).toEqual([
      { path: "huge.txt", reason: expect.stringContaining("1100 MB, more than 1.0 MB"), isFailure: true },
      { path: "plan.pdf", reason: "Invalid PDF structure.", isFailure: true },
      { path: "n5.md", reason: expect.stringContaining("is not acceptable"), isFailure: true },
    ]);
    expect(service.ids).toContain("plan.pdf");
  });

  it("follows no link, leaves out what is ignored, and tells what it doesn't read", async () => {
    await write({
      "a.md": "a",
      ".git/b.md": "b",
      "node_modules/c.md": "c",
      "d/e.md": "e",
      "f.tmp.md": "f",
      "g.png": "g",
      "h.doc": "h",
      ".gatehouseignore": "/d/\n",
    });
    await symlink("/etc", join(folder, "etc"));
    await symlink("/etc/hosts", join(folder, "hosts.txt"));
    const { skipped } = await pushFolder();
    expect(service.ids).toEqual(["a.md"]);
    expect(skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      "etc: a symbolic link, which is not followed",
      "g.png: .png is not read",
      "h.doc: .doc is not read: save it as .docx",
      "hosts.txt: a symbolic link, which is not followed",
    ]);
  });

  it("keeps apart names in odd encodings, long ones, and those that look like parts", async () => {
    await write({ "a.md": "a", "a.md#2.md": "b", [`${"long/".repeat(45)}c.md`]: "c" });
    await writeFile(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from(".txt")]), "d");
    await writeFile(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe8]), Buffer.from(".txt")]), "e");
    await writeFile(join(folder, "bell\u0007.txt"), "f");
    expect(await pushFolder()).toMatchObject({ sent: 6, skipped: [] });
    expect(service.ids).toHaveLength(6);
    expect(service.ids).toContain("a.md%232.md");
    // oxlint-disable-next-line no-control-regex -- control characters are what must be missing
    expect(service.ids.filter((id) => id.length > 200 || /[\u0000-\u001f]/.test(id))).toEqual([]);
    expect(await pushFolder()).toMatchObject({ sent: 0, unchanged: 6 });
  });

  it("sends documents one by one if they are too large together, and says that a file is from 1970 if it is older", async () => {
    await write(NOTES);
    const old = new Date("1969-12-31T00:00:00Z");
    await utimes(join(folder, "n0.md"), old, old);
    service.failures.push(
      () => Response.json({ documents: [], hasMore: false }),
      () => Response.json({ message: "The body is too large" }, { status: 413 }),
    );
    expect(await pushFolder()).toMatchObject({ sent: 10, skipped: [] });
    expect(service.documents.get("n0.md")).toMatchObject({ updatedAt: 0 });
  });

  it("tries again if the service is busy, and fails with its words if it refuses the token", async () => {
    await write(NOTES);
    const busy = () => Response.json({ message: "busy" }, { status: 503, headers: { "Retry-After": "1" } });
    service.failures.push(busy, busy);
    expect(await pushFolder()).toMatchObject({ sent: 10 });
    service.failures.push(() => Response.json({ message: "unknown token" }, { status: 401 }));
    await expect(pushFolder()).rejects.toThrow("The service answered 401: unknown token");
  });

  it("shows in a dry run what would be visible to whom, and changes nothing", async () => {
    await write({ ...NOTES, "finance/budget.md": "secret" });
    const visibility = parseRules("* everyone\n/finance/ group:finance user:carla@acme.example");
    const result = await pushFolder(visibility, { isDryRun: true });
    expect([...result.audiences].map(([who, paths]) => [who, paths.length])).toEqual([
      ["group finance, carla@acme.example", 1],
      ["everyone who signs in", 10],
    ]);
    expect(result).toMatchObject({ sent: 11 });
    expect(service.documents.size).toBe(0);
  });
});

describe("rules for who may see what", () => {
  it("give a file what the last matching line says, as CODEOWNERS does", () => {
    const who = parseRules(
      '# all\n* everyone\n/hr/ group:"People team" user:ada@acme.example\n/hr/*.public.md everyone\n*.draft.md nobody',
    );
    expect(who("a.md")).toEqual({ allowAnonymousAccess: true });
    expect(who("hr/pay/levels.md")).toEqual({
      allowedGroups: ["People team"],
      allowedUsers: [{ email: "ada@acme.example" }],
    });
    expect(who("hr/leave.public.md")).toEqual({ allowAnonymousAccess: true });
    expect(who("hr/x.draft.md")).toEqual({});
  });

  it("never guess: a file without a rule stops the run", async () => {
    await write({ "a.md": "a", "b.txt": "b" });
    await expect(pushFolder(parseRules("*.md everyone"))).rejects.toThrow(
      "No line of GATEHOUSE_ACCESS says who may see b.txt",
    );
  });

  it.each([
    ["*.md", "say who may see *.md"],
    ["* all", '"all" is not one of'],
    ["* user:ada", "email address"],
    ["* nobody everyone", "excludes"],
    ["!x everyone", "can't begin"],
  ])("refuse %s, naming the line", (line, problem) => {
    expect(() => parseRules(`* everyone\n${line}`)).toThrow(problem);
  });
});
