import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureDevVars } from "../../scripts/local/dev-vars.ts";
import { forgetLocalState, requireMatchingState } from "../../scripts/local/local-state.ts";
import { findFreePort, openLoopback } from "../../scripts/local/loopback.ts";
import { parseOptions } from "../../scripts/local/options.ts";
import { PlainError } from "../../scripts/local/plain-error.ts";
import { requireFreePorts } from "../../scripts/local/ports.ts";
import { runScript } from "../support/node/run-script.ts";

/** Returns the message with which npm start refuses its options. */
async function refusalOf(args: readonly string[]): Promise<string> {
  try {
    await requireFreePorts(parseOptions(args));
  } catch (error) {
    expect(error).toBeInstanceOf(PlainError);
    return (error as PlainError).message;
  }
  throw new Error("nothing was refused");
}

describe("npm start", () => {
  it("exits 1 with one sentence if its port is in use, and prints nothing else", async () => {
    const taken = await openLoopback(0);
    const args = ["--port", String(taken.port), "--sso-port", String(await findFreePort())];
    const { exitCode, output, complaints } = await runScript("scripts/start.ts", args);
    taken.close();
    expect({ exitCode, output }).toEqual({ exitCode: 1, output: "" });
    expect(complaints.trim()).toMatch(/^Port \d+, meant for the Worker, is in use .* npm start -- --port \d+$/);
  });

  it("says how to choose another port for the local sign-in if that port is in use", async () => {
    const taken = await openLoopback(0);
    const refusal = await refusalOf(["--port", String(await findFreePort()), "--sso-port", String(taken.port)]);
    taken.close();
    expect(refusal).toMatch(/^Port \d+, meant for the local sign-in, is in use .* npm start -- --sso-port \d+$/);
  });

  it.each([
    [["--prot", "8787"], /^Unknown option '--prot'\. .* npm start -- --help$/],
    [["--port", "eighty"], /^--port takes a number from 1 to 65535, not "eighty"\.$/],
    [["--port", "65536"], /^--port takes a number from 1 to 65535/],
    [["--https-cert", "package.json", "--https-key", "package.json"], /need --https\.$/],
    [["--https", "--https-key", "package.json"], /both --https-cert and --https-key\.$/],
    [["--https", "--https-cert", "no.pem", "--https-key", "package.json"], /^There is no file no\.pem\.$/],
    [["--https", "--url", "http://acme.home.example"], /^--url takes an https address whose host begins with "acme"/],
    [["--https", "--url", "https://home.example"], /^--url takes an https address whose host begins with "acme"/],
    [["--folder", "no-such-folder"], /^There is no folder no-such-folder\.$/],
    [["--url", "https://acme.home.example"], /^--url needs --https\.$/],
    [["--port", "9000", "--sso-port", "9000"], /cannot share port 9000.*--sso-port\.$/],
  ])("refuses the options %j with one sentence", async (args, sentence) => {
    expect(await refusalOf(args)).toMatch(sentence);
  });
});

describe("the local state of npm start", () => {
  const home = process.cwd();
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatehouse-state-"));
    process.chdir(folder);
  });

  afterEach(async () => {
    process.chdir(home);
    await rm(folder, { recursive: true });
  });

  it("is created once and then reused", async () => {
    const masterKeys = await ensureDevVars();
    await requireMatchingState(masterKeys);
    expect(await ensureDevVars()).toBe(masterKeys);
    await requireMatchingState(masterKeys);
  });

  it.each([
    ["no secrets", ""],
    ["no master key", 'LOCAL_DEVELOPMENT="true"\n'],
    ["half a master key", 'LOCAL_DEVELOPMENT="true"\nMASTER_KEYS="local-1:abc"\n'],
    ["secrets for something else", 'MASTER_KEYS="local-1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"\n'],
  ])("is refused with %s, and the message says to use --fresh", async (_name, text) => {
    await writeFile(".dev.vars", text);
    const refusal = await ensureDevVars().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PlainError);
    expect(String(refusal)).toContain("npm start -- --fresh");
    expect(await readFile(".dev.vars", "utf8")).toBe(text);
  });

  it("is refused if the database was made with another master key", async () => {
    await requireMatchingState(await ensureDevVars());
    await rm(".dev.vars");
    const refusal = await requireMatchingState(await ensureDevVars()).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PlainError);
    expect(String(refusal)).toContain("npm start -- --fresh");
  });

  it("gets a new master key with --fresh, and keeps the developer's other variables in .dev.vars", async () => {
    const before = await ensureDevVars();
    await requireMatchingState(before);
    await writeFile(".dev.vars", `${await readFile(".dev.vars", "utf8")}SERVICE_NAME="Mine"\n`);
    await forgetLocalState();
    const after = await ensureDevVars();
    expect(after).not.toBe(before);
    await requireMatchingState(after);
    expect(await readFile(".dev.vars", "utf8")).toContain('SERVICE_NAME="Mine"');
  });
});
