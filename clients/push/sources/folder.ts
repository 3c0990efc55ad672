import { constants, type Dirent, watch } from "node:fs";
import { lstat, open, readdir, readFile, realpath, stat } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { EXIT, Failure, printable, reasonOf } from "../failure.ts";
import { RULES_FILE } from "../permissions.ts";
import type { Item, Skipped, Source } from "../source.ts";
import { endingOf, isRead, whyNotRead } from "./formats.ts";

export interface FolderOptions {
  /** The largest file that is read, in bytes. */
  readonly bytesMax: number;
  /** Patterns as in .gitignore. */
  readonly exclude: readonly string[];
}

/** A file with patterns of what is left out, as in .gitignore. */
const IGNORE_FILE = ".gatehouseignore";

/** Deeper folders are a loop, or somebody's mistake. */
const DEPTH_MAX = 64;

const SLASH = Buffer.from("/");

interface OpenedFolder {
  readonly root: string;
  /** The patterns of its {@link IGNORE_FILE}. */
  readonly listed: string;
}

/** @throws {Failure} if there is no such folder */
export async function openFolder(folder: string): Promise<OpenedFolder> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined || !(await stat(root)).isDirectory()) {
    throw new Failure(`${folder} is not a folder.`, EXIT.refused);
  }
  return { root, listed: await readFile(join(root, IGNORE_FILE), "utf8").catch(() => "") };
}

/** The files of a folder. Links are not followed, so nothing outside of it is read. */
export class FolderSource implements Source {
  /** The folder itself, without links. */
  readonly root: string;
  readonly #options: FolderOptions;
  readonly #ignored: Ignore;
  #isComplete = true;

  protected constructor({ root, listed }: OpenedFolder, options: FolderOptions) {
    this.root = root;
    this.#options = options;
    this.#ignored = ignore()
      .add(listed)
      .add([...options.exclude]);
  }

  /** @throws {Failure} if there is no such folder */
  static async open(folder: string, options: FolderOptions): Promise<FolderSource> {
    return new FolderSource(await openFolder(folder), options);
  }

  async *items(skip: (skipped: Skipped) => void): AsyncGenerator<Item> {
    this.#isComplete = true;
    yield* this.#itemsIn(Buffer.from(this.root), "", 0, skip);
  }

  async *#itemsIn(folder: Buffer, at: string, depth: number, skip: (skipped: Skipped) => void): AsyncGenerator<Item> {
    const failed = (path: string, reason: string) => {
      this.#isComplete = false;
      skip({ path, reason, isFailure: true });
    };
    let entries: Dirent<Buffer>[];
    try {
      if (depth > DEPTH_MAX) throw new Error(`more than ${DEPTH_MAX} folders deep`);
      // As bytes, because names need not be UTF-8.
      entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" });
    } catch (error) {
      failed(at, reasonOf(error));
      return;
    }
    for (const entry of entries.toSorted((one, other) => Buffer.compare(one.name, other.name))) {
      const name = textOfName(entry.name);
      const path = `${at}${name}`;
      if (name.startsWith(".") || name === "node_modules" || path === RULES_FILE) continue;
      if (this.#ignored.ignores(entry.isDirectory() ? `${path}/` : path)) continue;
      const file = Buffer.concat([folder, SLASH, entry.name]);
      if (entry.isSymbolicLink()) skip({ path, reason: "a symbolic link, which is not followed", isFailure: false });
      else if (entry.isDirectory()) yield* this.#itemsIn(file, `${path}/`, depth + 1, skip);
      else if (!entry.isFile()) skip({ path, reason: "not a regular file", isFailure: false });
      else if (isRead(endingOf(name))) yield* this.#item(file, path, failed);
      else skip({ path, reason: whyNotRead(endingOf(name)), isFailure: false });
    }
  }

  async *#item(file: Buffer, path: string, failed: (path: string, reason: string) => void): AsyncGenerator<Item> {
    try {
      const modifiedAt = Math.max(0, Math.floor((await lstat(file)).mtimeMs / 1000));
      yield { path, format: endingOf(path), modifiedAt, read: () => readBounded(file, this.#options.bytesMax) };
    } catch (error) {
      failed(path, reasonOf(error));
    }
  }

  beside(name: string): Promise<string | undefined> {
    return readFile(join(this.root, name), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw new Failure(`${name} can't be read: ${reasonOf(error)}`, EXIT.refused);
    });
  }

  isComplete(): boolean {
    return this.#isComplete;
  }

  watch(changed: () => void): void {
    watch(this.root, { recursive: true }, (_event, name) => {
      if (!/(^|\/)(\.git|node_modules)(\/|$)/.test(name ?? "")) changed();
    });
  }

  async close(): Promise<void> {}
}

/** Returns a name as text. If it isn't UTF-8, or has control characters, a hash keeps it apart from similar ones. */
export function textOfName(name: Buffer): string {
  const text = name.toString("utf8");
  const shown = printable(text);
  if (shown === text && Buffer.from(text).equals(name)) return text.normalize("NFC");
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return shown.replace(/(?=(\.\w+)?$)/, `~${hash}`);
}

/** Reads a file, even if it was replaced by a link or grows in the meantime, up to a size. */
async function readBounded(path: Buffer | string, bytesMax: number): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > bytesMax) throw tooLarge(size, bytesMax);
    const bytes = new Uint8Array(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await file.read(bytes, length, size - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

export function tooLarge(bytes: number, bytesMax: number): Error {
  const megabytes = (count: number) => `${(count / 1e6).toFixed(count < 1e7 ? 1 : 0)} MB`;
  return new Error(`${megabytes(bytes)}, more than ${megabytes(bytesMax)} (--max-mb)`);
}
