import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, open, rm } from "node:fs/promises";
import type { Keyring } from "#crypto/keyring.ts";
import { UsageError } from "./failures.ts";

/** The format of the document lines that the Worker exports. It changes with their form. */
const DOCUMENTS_FORMAT = 1;

/**
 * A backup is lines of JSON. The first line describes it; the last has the number of lines between them, and their hash, so that
 * a truncated or damaged copy is detected before anything is written. The last line also has a MAC with the master key, because
 * the hash alone doesn't protect against somebody who only stores the file: by adding a row they could be an owner after the
 * restore.
 */
interface Head {
  readonly backup: "gatehouse";
  /** The version of the database's schema. */
  readonly version: number;
  readonly documents: number;
  readonly madeAt: string;
}
interface End {
  readonly end: { readonly lines: number; readonly sha256: string; readonly mac?: string };
}

/** A row of the database. */
export interface RowLine {
  readonly table: string;
  readonly row: Readonly<Record<string, string | number | null>>;
}
/** A line that an instance's Worker exported. */
export interface DocumentsLine {
  readonly documents: string;
  readonly line: Readonly<Record<string, unknown>>;
}

/**
 * Writes a new file that only its owner can read.
 *
 * @throws {UsageError} if the file exists; also everything that `write` throws, and then no file remains
 */
export async function writeBackupFile(
  file: string,
  version: number,
  keyring: Keyring,
  write: (add: (lines: readonly (RowLine | DocumentsLine)[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  const out = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} can't be created: ${error.code === "EEXIST" ? "it already exists" : error.message}`);
  });
  const hash = createHash("sha256");
  let lines = 0;
  try {
    const head: Head = { backup: "gatehouse", version, documents: DOCUMENTS_FORMAT, madeAt: new Date().toISOString() };
    const first = JSON.stringify(head);
    await out.write(`${first}\n`);
    await write(async (added) => {
      const text = added.map((line) => `${JSON.stringify(line)}\n`).join("");
      hash.update(text);
      lines += added.length;
      await out.write(text);
    });
    const sha256 = hash.digest("hex");
    const end: End = { end: { lines, sha256, mac: await keyring.mac("backup", authenticated(first, lines, sha256)) } };
    await out.write(`${JSON.stringify(end)}\n`);
    await out.sync();
  } catch (error) {
    await rm(file);
    throw error;
  } finally {
    await out.close();
  }
}

/** A backup that was read to its end and is complete. */
export interface BackupFile {
  readonly sha256: string;
  /** The version of the database's schema. */
  readonly version: number;
  /**
   * The lines between the first and the last, exactly as they were checked.
   *
   * @throws {UsageError} before the first line that differs
   */
  lines(): AsyncGenerator<string>;
}

/** The file is checked and read again in blocks of about so many characters. Each block's hash is remembered. */
const BLOCK_CHARACTERS = 1_000_000;

/** Returns the text that the MAC authenticates. */
function authenticated(head: string, lines: number, sha256: string): string {
  return `${head}\n${lines}\n${sha256}`;
}

/**
 * Reads a backup and checks it. The file may be large, so it is read again for each table, and compared with what was checked:
 * otherwise somebody who can write where it lies could change it in between.
 *
 * @param keyring `null`: don't verify the MAC; whoever restores the file is responsible
 * @param newest the newest version of the database's schema that can be restored
 * @throws {UsageError} for a file that is no backup, is of a newer version, is incomplete, or was not made with one of the master keys
 */
export async function readBackupFile(file: string, newest: number, keyring: Keyring | null): Promise<BackupFile> {
  const hash = createHash("sha256");
  let count = -1;
  let [first, last] = ["", ""];
  let version = 0;
  await access(file).catch(() => {
    throw new UsageError(`${file} can't be read`);
  });
  const checked: string[] = [];
  for await (const block of blocksOf(file)) {
    checked.push(hashOf(block));
    for (const line of block) {
      if (count < 0) version = versionOf(file, (first = line), newest);
      else if (count > 0) hash.update(`${last}\n`);
      last = line;
      count += 1;
    }
  }
  if (count < 0) throw new UsageError(`${file} is not a Gatehouse backup`);
  const end = parse(last)?.end;
  if (!end)
    throw new UsageError(`${file} is incomplete: it was truncated, or the command that wrote it was interrupted`);
  const lines = count - 1;
  if (end.lines !== lines || end.sha256 !== hash.digest("hex")) {
    throw new UsageError(`${file} is damaged: its contents have changed. Use another copy`);
  }
  const isGenuine = keyring?.verifyMac("backup", authenticated(first, lines, end.sha256), end.mac ?? "") ?? true;
  if (!(await isGenuine)) {
    throw new UsageError(
      `${file} was changed, or not made with a key of MASTER_KEYS: add the key that it was made with. If the key is lost and you trust the file, add --unverified`,
    );
  }
  return {
    sha256: end.sha256,
    version,
    async *lines() {
      let at = 0;
      let blocks = 0;
      for await (const block of blocksOf(file)) {
        if (hashOf(block) !== checked[blocks]) throw changedMeanwhile(file);
        blocks += 1;
        for (const line of block) {
          if (at > 0 && at <= lines) yield line;
          at += 1;
        }
      }
      if (blocks < checked.length) throw changedMeanwhile(file);
    },
  };
}

function changedMeanwhile(file: string): UsageError {
  return new UsageError(
    `${file} was changed after it was checked, so the restore stopped: nothing that was changed is restored. Run it again with a copy that nobody else can write to`,
  );
}

function hashOf(block: readonly string[]): string {
  return createHash("sha256").update(block.join("\n")).digest("base64");
}

/** Backups of every earlier release can be restored. */
function versionOf(file: string, line: string, newest: number): number {
  const { backup, version = 0, documents = 0 } = parse(line) ?? {};
  if (backup !== "gatehouse") throw new UsageError(`${file} is not a Gatehouse backup`);
  if (version >= 1 && version <= newest && documents <= DOCUMENTS_FORMAT) return version;
  throw new UsageError(
    `The backup is of version ${version}, documents ${documents}, and this code knows ${newest}, documents ${DOCUMENTS_FORMAT}: restore it with the code that wrote it, or newer`,
  );
}

function parse(line: string): Partial<Head & End> | undefined {
  try {
    return JSON.parse(line) as Partial<Head & End>;
  } catch {
    return undefined;
  }
}

/** Yields the lines of a file in blocks. */
async function* blocksOf(file: string): AsyncGenerator<readonly string[]> {
  let block: string[] = [];
  let characters = 0;
  for await (const line of linesOf(file)) {
    block.push(line);
    characters += line.length;
    if (characters < BLOCK_CHARACTERS) continue;
    yield block;
    block = [];
    characters = 0;
  }
  if (block.length > 0) yield block;
}

/** Yields the lines of a file. Node's readline would also end a line at U+2028, which documents may contain. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let begun: string[] = [];
  for await (const chunk of createReadStream(file, "utf8")) {
    const [first = "", ...more] = String(chunk).split("\n");
    begun.push(first);
    for (const next of more) {
      yield begun.join("");
      begun = [next];
    }
  }
  if (begun.some((part) => part !== "")) yield begun.join("");
}
