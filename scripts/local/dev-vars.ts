import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { PlainError, START_AFRESH } from "./plain-error.ts";

const FILE = ".dev.vars";

/** Matches the lines that `npm start` writes. All others are the developer's and are kept. */
const OWN_LINES = /^\s*(?:LOCAL_DEVELOPMENT|MASTER_KEYS)\s*=/;

/**
 * Writes the Worker's local secrets when they are first needed. The master key never changes afterwards, because the local
 * database has secrets that are encrypted with it.
 *
 * @returns the master keys.
 * @throws {PlainError} if the file exists without `LOCAL_DEVELOPMENT="true"` or a usable master key.
 */
export async function ensureDevVars(): Promise<string> {
  const text = await readFile(FILE, "utf8").catch(() => undefined);
  if (text === undefined) return writeDevVars([]);
  const { LOCAL_DEVELOPMENT, MASTER_KEYS } = parseEnv(text);
  if (LOCAL_DEVELOPMENT !== "true")
    throw new PlainError(`${FILE} does not say LOCAL_DEVELOPMENT="true". ${START_AFRESH}`);
  if (MASTER_KEYS === undefined || !/^[\w-]+:[\w-]{43}(,|$)/.test(MASTER_KEYS)) {
    throw new PlainError(`${FILE} holds no usable MASTER_KEYS. ${START_AFRESH}`);
  }
  return MASTER_KEYS;
}

/** Writes a new master key for a new database. Anything else that a developer put into the file is kept. */
export async function renewDevVars(): Promise<void> {
  const text = await readFile(FILE, "utf8").catch(() => "");
  const kept = text.split("\n").filter((line) => line.trim() !== "" && !OWN_LINES.test(line));
  await writeDevVars(kept);
}

async function writeDevVars(kept: readonly string[]): Promise<string> {
  const masterKeys = `local-1:${randomBytes(32).toString("base64url")}`;
  const lines = [`LOCAL_DEVELOPMENT="true"`, `MASTER_KEYS="${masterKeys}"`, ...kept];
  // Readable only by its owner, although it only protects a demonstration: people copy what works.
  await writeFile(FILE, `${lines.join("\n")}\n`, { mode: 0o600 });
  return masterKeys;
}
