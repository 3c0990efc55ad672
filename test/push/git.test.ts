import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Item } from "../../clients/push/source.ts";
import { ClonedSource, GitSource, isGitAddress } from "../../clients/push/sources/git.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-push-git-"));
});
afterAll(() => rm(folder, { recursive: true }));

function git(words: readonly string[], author = "Ada Marlow <ada@acme.example>", day = "2026-01-02") {
  const [, name = "", email = ""] = /^(.*) <(.*)>$/.exec(author) ?? [];
  const env = {
    ...process.env,
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: `${day}T00:00:00Z`,
    GIT_AUTHOR_DATE: `${day}T00:00:00Z`,
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  execFileSync("git", ["-C", folder, ...words], { env, stdio: "pipe" });
}

async function itemsOf(source: GitSource): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source.items(() => undefined)) items.push(item);
  return items;
}

const FIRST = Date.UTC(2026, 0, 2) / 1000;
const LAST = Date.UTC(2026, 1, 3) / 1000;
const OPTIONS = { bytesMax: 1000, exclude: [] };

it("takes authors and dates from the history, and leaves out what the repository ignores", async () => {
  git(["init", "--quiet", "--initial-branch=main"]);
  await writeFile(join(folder, "a.md"), "one");
  await writeFile(join(folder, "größe mit raum.md"), "one");
  await writeFile(join(folder, ".gitignore"), "secret.md\n");
  git(["add", "."]);
  git(["commit", "--quiet", "-m", "first"]);
  await writeFile(join(folder, "a.md"), "two");
  git(["commit", "--quiet", "-am", "second"], "Ben Okafor <ben@acme.example>", "2026-02-03");
  await writeFile(join(folder, "secret.md"), "ignored");
  await writeFile(join(folder, "new.md"), "not committed");
  const items = await itemsOf(await GitSource.open(folder, OPTIONS));
  const ada = { name: "Ada Marlow", email: "ada@acme.example" };
  expect(items.map(({ path, author, createdAt, updatedAt }) => ({ path, author, createdAt, updatedAt }))).toEqual([
    { path: "a.md", author: ada, createdAt: FIRST, updatedAt: LAST },
    { path: "größe mit raum.md", author: ada, createdAt: FIRST, updatedAt: FIRST },
    { path: "new.md", author: undefined, createdAt: undefined, updatedAt: undefined },
  ]);
});

it("clones a repository into a folder that it removes again, and says so if it can't", async () => {
  const source = await ClonedSource.open(`file://${folder}/.git`, OPTIONS);
  expect((await itemsOf(source)).map(({ path }) => path)).toEqual(["a.md", "größe mit raum.md"]);
  await source.close();
  await expect(GitSource.open(source.root, OPTIONS)).rejects.toThrow("is not a folder");
  await expect(ClonedSource.open(`file://${folder}/none.git`, OPTIONS)).rejects.toThrow("can't be cloned");
});

it("pushes files whose names git writes in another way than the folder, with their history", async () => {
  const odd = Buffer.concat([Buffer.from(join(folder, "caf")), Buffer.from([0xe9]), Buffer.from(".md")]);
  await writeFile(join(folder, "team 👩‍💻.md"), "one");
  await writeFile(odd, "one");
  git(["add", "."]);
  git(["commit", "--quiet", "-m", "odd names"], "Ada Marlów <ada@acme.example>", "2026-03-04");
  const found = (await itemsOf(await GitSource.open(folder, OPTIONS))).filter(({ path }) => path.includes("~"));
  const author = { name: "Ada Marlów", email: "ada@acme.example" };
  expect(found).toMatchObject([{ author }, { author }]);
});

it("refuses a repository that git can't read, instead of taking it for an empty one", async () => {
  const index = join(folder, ".git/index");
  const kept = await readFile(index);
  await writeFile(index, "damaged");
  const source = await GitSource.open(folder, OPTIONS);
  await expect(itemsOf(source)).rejects.toThrow("git can't read the repository");
  await writeFile(index, kept);
});

it.each(["ssh://git@git.example/wiki", "git@git.example:team/wiki.git", "https://git.example/wiki.git"])(
  "recognizes %s as a repository",
  (address) => expect(isGitAddress(address)).toBe(true),
);

it.each(["https://git.example/wiki", "./wiki.git", "ext::sh -c id", "-u x@y:z"])("doesn't take %s for one", (address) =>
  expect(isGitAddress(address)).toBe(false),
);
