import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { renewDevVars } from "./dev-vars.ts";
import { PlainError, START_AFRESH } from "./plain-error.ts";

/** Where wrangler keeps the local D1 and KV. */
const STATE_FOLDER = ".wrangler/state";

/** Says which master key the database beside it was sealed with: a hash, so that the key stands in one place only. */
const FINGERPRINT_FILE = `${STATE_FOLDER}/master-key-fingerprint`;

/** Says at which sign-in the people of the database beside it are known. */
const ISSUER_FILE = `${STATE_FOLDER}/sso-issuer`;

/** The key that the local sign-in signs with, as long as the database beside it lives. */
export const SSO_KEY_FILE = `${STATE_FOLDER}/sso-signing-key.json`;

/** Removes the local database, and the key that it was sealed with: neither is of any use without the other. */
export async function forgetLocalState(): Promise<void> {
  await rm(STATE_FOLDER, { recursive: true, force: true });
  await renewDevVars();
}

/**
 * Makes sure that what the local database holds can be opened. With another master key everything would seem to work
 * until the first sign-in, and fail there with an error about ciphertexts.
 *
 * @throws {PlainError} when the database was sealed with another master key.
 */
export async function requireMatchingState(masterKeys: string): Promise<void> {
  const fingerprint = createHash("sha256").update(masterKeys).digest("hex").slice(0, 16);
  if ((await remembered(FINGERPRINT_FILE, fingerprint)) === fingerprint) return;
  throw new PlainError(
    `The local database was made with another master key than the one in .dev.vars. ${START_AFRESH}`,
  );
}

/**
 * Makes sure that the people in the local database can sign in again: at another issuer they would be other
 * people with the same email addresses, and be refused.
 *
 * @throws {PlainError} when the database belongs to a sign-in at another port.
 */
export async function requireSameSignIn(ssoIssuer: string): Promise<void> {
  const known = await remembered(ISSUER_FILE, ssoIssuer);
  if (known === ssoIssuer) return;
  const { port } = new URL(known);
  throw new PlainError(
    `The people in the local database signed in at ${known}. Start with --sso-port ${port}, or add --fresh to forget them.`,
  );
}

/** What was written when the database was made; the value itself when that is now. */
async function remembered(file: string, value: string): Promise<string> {
  const known = await readFile(file, "utf8").catch(() => undefined);
  if (known !== undefined) return known;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, value);
  return value;
}
