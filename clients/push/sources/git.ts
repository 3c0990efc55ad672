import { execFile, spawn } from "node:child_process";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { EXIT, Failure, reasonOf } from "../failure.ts";
import { addressOf } from "../formats/extracted.ts";
import type { Item, Skipped } from "../source.ts";
import { type FolderOptions, FolderSource, openFolder, textOfName } from "./folder.ts";

const run = promisify(execFile);

/** What a repository's own configuration could start, is off. */
const SAFELY = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false"];

/** Git asks nobody for a password, and fetches no large files. */
const ENVIRONMENT = { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_LFS_SKIP_SMUDGE: "1", GATEHOUSE_TOKEN: undefined };

const CLONE_MILLISECONDS_MAX = 15 * 60_000;

export function isGitAddress(source: string): boolean {
  return /^(?:ssh:\/\/|git:\/\/|[\w.-]+@[\w.-]+:)/.test(source) || /^(?:https?|file):\/\/.*\.git\/?$/.test(source);
}

export function isRepository(folder: string): Promise<boolean> {
  return access(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}

/** Clones a repository. @returns the temporary folder @throws {Failure} if it can't be cloned */
async function cloneRepository(address: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-push-"));
  try {
    const words = [...SAFELY, "clone", "--quiet", "--single-branch", "--no-tags", "--", address, folder];
    await outputOf(words, "The repository can't be cloned", CLONE_MILLISECONDS_MAX);
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** What the history says about a file. Times are epoch seconds. */
interface History {
  readonly updatedAt: number;
  createdAt: number;
  author: { name: string; email?: string };
}

/** A folder under version control: its files, with authors and dates from the history. */
export class GitSource extends FolderSource {
  /** @throws {Failure} if there is no such folder */
  static override async open(folder: string, options: FolderOptions): Promise<GitSource> {
    return new GitSource(await openFolder(folder), options);
  }

  override async *items(skip: (skipped: Skipped) => void): AsyncGenerator<Item> {
    const git = ["-C", this.root, ...SAFELY];
    const history = await historyOf(git);
    const files = await outputOf([...git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    const listed = new Set(files.split("\0").map(pathOf));
    for await (const item of super.items(skip)) {
      if (!listed.has(item.path)) continue;
      const { modifiedAt: _ofTheCopy, ...rest } = item;
      yield { ...rest, ...history.get(item.path) };
    }
  }
}

/** A repository that was cloned for the run. */
export class ClonedSource extends GitSource {
  static override async open(address: string, options: FolderOptions): Promise<ClonedSource> {
    return new ClonedSource(await openFolder(await cloneRepository(address)), options);
  }

  override async close(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

/** Returns who wrote each file first, and when it was first and last changed. A shallow clone doesn't know this. */
async function historyOf(git: readonly string[]): Promise<Map<string, History>> {
  const files = new Map<string, History>();
  if ((await outputOf([...git, "rev-parse", "--is-shallow-repository"])).trim() === "true") return files;
  let commit = { time: 0, author: { name: "" } };
  for await (const record of recordsOf([
    ...git,
    "log",
    "-z",
    "--no-merges",
    "--name-only",
    "--format=%x01%ct%x02%an%x02%ae%x01",
  ])) {
    // A commit begins with its time and author, before the first of its files.
    const [path = "", head = ""] = record.split("\u0001").toReversed();
    if (head !== "") {
      const [time, name = "", email = ""] = Buffer.from(head, "latin1").toString().split("\u0002");
      const isOwn = addressOf(email) !== undefined && !email.includes("noreply");
      commit = { time: Number(time), author: { name: name.slice(0, 200), ...(isOwn && { email }) } };
    }
    const file = pathOf(path.replace(/^\n+/, ""));
    if (file === "") continue;
    const known = files.get(file);
    // From the newest commit to the oldest.
    if (known) Object.assign(known, { createdAt: commit.time, author: commit.author });
    else files.set(file, { updatedAt: commit.time, createdAt: commit.time, author: commit.author });
  }
  return files;
}

/** Returns a path as the folder names it, from the bytes that git wrote. */
function pathOf(written: string): string {
  return written
    .split("/")
    .map((name) => textOfName(Buffer.from(name, "latin1")))
    .join("/");
}

/** Returns what git writes, with a character for each byte, because names need not be UTF-8. @throws {Failure} if git fails */
async function outputOf(
  words: readonly string[],
  problem = "git can't read the repository",
  timeout = 0,
): Promise<string> {
  try {
    return (await run("git", words, { env: ENVIRONMENT, encoding: "latin1", maxBuffer: Infinity, timeout })).stdout;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    throw new Failure(`${problem}: ${reasonOf(stderr.trim() || error)}`, EXIT.refused);
  }
}

/** Yields the parts of git's output that end with NUL, like {@link outputOf}. A repository without a commit has none. */
async function* recordsOf(words: readonly string[]): AsyncGenerator<string> {
  const child = spawn("git", words, { env: ENVIRONMENT, stdio: ["ignore", "pipe", "ignore"] });
  let rest = "";
  child.stdout.setEncoding("latin1");
  for await (const text of child.stdout as AsyncIterable<string>) {
    const records = (rest + text).split("\0");
    rest = records.pop() ?? "";
    yield* records;
  }
  if (rest !== "") yield rest;
}
