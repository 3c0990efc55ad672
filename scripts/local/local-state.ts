import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { renewDevVars } from "./dev-vars.ts";
import { PlainError, START_AFRESH } from "./plain-error.ts";

/** Where wrangler keeps the local D1 and KV. */
const STATE_FOLDER = ".wrangler/state";

/**
 * A hash of the master key that the database in this folder was encrypted with. It is a hash so that the key itself is in one
 * place only.
 */
const FINGERPRINT_FILE = `${STATE_FOLDER}/master-key-fingerprint`;

/** The SSO's issuer that the people in this folder's database signed in at. */
const ISSUER_FILE = `${STATE_FOLDER}/sso-issuer`;

/** The key that the local SSO signs with. It lives as long as the database in this folder. */
export const SSO_KEY_FILE = `${STATE_FOLDER}/sso-signing-key.json`;

/** Deletes the local database and replaces the master key: neither is of any use without the other. */
export async function forgetLocalState(): Promise<void> {
  await rm(STATE_FOLDER, { recursive: true, force: true });
  await renewDevVars();
}

/**
 * Checks that the secrets in the local database can be decrypted. With a different master key everything would seem to work until
 * the first sign-in, which would fail with an error about ciphertexts.
 *
 * @throws {PlainError} if the database was encrypted with a different master key.
 */
export async function requireMatchingState(masterKeys: string): Promise<void> {
  const fingerprint = createHash("sha256").update(masterKeys).digest("hex").slice(0, 16);
  if ((await remembered(FINGERPRINT_FILE, fingerprint)) === fingerprint) return;
  throw new PlainError(
    `The local database was made with another master key than the one in .dev.vars. ${START_AFRESH}`,
  );
}

/**
 * Checks that the people in the local database can sign in again. From a different issuer they would be different people with the
 * same email addresses, and would be refused.
 *
 * @throws {PlainError} if the people signed in at a different port.
 */
export async function requireSameSignIn(ssoIssuer: string): Promise<void> {
  const known = await remembered(ISSUER_FILE, ssoIssuer);
  if (known === ssoIssuer) return;
  const { port } = new URL(known);
  throw new PlainError(
    `The people in the local database signed in at ${known}. Start with --sso-port ${port}, or add --fresh to forget them.`,
  );
}

/** Returns what was written when the database was created, or writes the value if nothing was. */
async function remembered(file: string, value: string): Promise<string> {
  const known = await readFile(file, "utf8").catch(() => undefined);
  if (known !== undefined) return known;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, value);
  return value;
}
