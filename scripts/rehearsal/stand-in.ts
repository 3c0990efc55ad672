/**
 * Stands in for the programs in the deployment's commands. It runs what needs no account: bundling; admin commands, on the
 * database that plays the remote one; and requests, to the Worker that plays the deployed one. It plays the rest.
 *
 *     node scripts/rehearsal/stand-in.ts <program> [arguments]
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { sentencesOf } from "#platform/finding.ts";
import { checkDeployment } from "../admin/deployment-check.ts";
import { readWranglerConfig } from "../admin/wrangler-config.ts";
import { requestLocally } from "../local/local-request.ts";
import type { AdminRequest, AdminResponse } from "./admin-desk.ts";
import { setInConfig } from "./deployment-folder.ts";
import { askPlayedWorker } from "./played-worker.ts";

const FOLDER = requiredVariable("REHEARSAL_FOLDER");
const [program = "", ...words] = process.argv.slice(2);
const line = [program, ...words].join(" ");

/** The versions of the Worker that the played account knows: the deployed one, and the one that is uploaded. */
const VERSIONS = ["44444444-4444-4444-8444-444444444444", "55555555-5555-4555-8555-555555555555"];

/** Commands that need a Cloudflare account, and what the rehearsal does instead. */
const PLAYED: readonly { begins: string; reason: string; play(): Promise<void> | void }[] = [
  { begins: "npx wrangler login", reason: "asks for an account", play: () => undefined },
  {
    begins: "npx wrangler d1 create gatehouse",
    reason: "makes a database in the account; the local one plays it",
    play: () => setInConfig(FOLDER, [/^database_id = .*$/m, 'database_id = "11111111-1111-4111-8111-111111111111"']),
  },
  {
    begins: "npx wrangler d1 create gatehouse-drill",
    reason: "makes a database in the account; another local one plays it, for a Worker of another name and host",
    play: () =>
      setInConfig(
        FOLDER,
        [/^name = .*$/m, 'name = "gatehouse-drill"'],
        [/^INSTANCE_HOST = .*$/m, 'INSTANCE_HOST = "{instance}-drill.example.com"'],
        [/^pattern = .*$/m, 'pattern = "*-drill.example.com/*"'],
        [/^database_id = .*$/m, 'database_id = "33333333-3333-4333-8333-333333333333"'],
      ),
  },
  {
    begins: "npx wrangler kv namespace create CACHE",
    reason: "makes a namespace in the account; the local one plays it",
    play: () => setInConfig(FOLDER, [/^id = .*$/m, 'id = "22222222222222222222222222222222"']),
  },
  {
    begins: "npx wrangler secret put MASTER_KEYS",
    reason: "stores a secret in the account; the Worker that plays the deployed one reads it from a file",
    play: async () => {
      writeFileSync(join(FOLDER, ".dev.vars"), `MASTER_KEYS="${readFileSync(0, "utf8")}"\n`);
      // A running Worker reads that file again after its configuration was written.
      await setInConfig(FOLDER, [/^(name = .*)$/m, "$1"]);
    },
  },
  {
    begins: "npx wrangler deployments status --json",
    reason: "asks the account which version is deployed",
    play: () => console.log(JSON.stringify({ versions: [{ version_id: VERSIONS[0], percentage: 100 }] })),
  },
  {
    begins: "npx wrangler versions list --json",
    reason: "asks the account for its versions, the newest last",
    play: () => console.log(JSON.stringify(VERSIONS.map((id) => ({ id })))),
  },
  {
    begins: "npx wrangler versions deploy",
    reason: "splits the traffic in the account; here, the percentages of known versions add up to 100",
    play: () => {
      const shares = words.flatMap((word) => /^(.+)@(\d+)%$/.exec(word)?.slice(1) ?? []);
      const total = shares.reduce((sum, share, at) => (at % 2 === 0 ? sum : sum + Number(share)), 0);
      const areKnown = shares.every((id, at) => at % 2 === 1 || VERSIONS.includes(id));
      if (total !== 100 || !areKnown) throw new Error(`${line} does not deploy known versions to all requests`);
    },
  },
  {
    begins: "npx wrangler d1 time-travel",
    reason: "a local database has no history",
    play: () => undefined,
  },
];

process.exitCode = await act();

async function act(): Promise<number> {
  const played = PLAYED.filter(({ begins }) => line.startsWith(begins)).at(-1);
  if (played) {
    await played.play();
    return note({ played: played.reason }, 0);
  }
  if (line === "npm run deploy") {
    const fault = faultOfDeployment();
    if (fault !== undefined) return unknown(fault);
    const bundle = join(FOLDER, "bundle");
    if (existsSync(bundle)) return note({ played: "what would be uploaded is what was bundled before" }, 0);
    const bundling = ["deploy", "--dry-run", "--metafile", "--outdir", bundle];
    return note({ ran: "wrangler deploy --dry-run" }, runNode([wranglerScript(), ...bundling]));
  }
  if (line === "npx wrangler versions upload") {
    const uploading = ["versions", "upload", "--dry-run", "--outdir", join(FOLDER, "version")];
    return note({ ran: "wrangler versions upload --dry-run" }, runNode([wranglerScript(), ...uploading]));
  }
  const command = program === "npm" ? /^run (?:--silent )?admin -- (.*)$/.exec(words.join(" ")) : null;
  if (command) {
    const args = words.slice(words.indexOf("--") + 1);
    if (!args.includes("--remote")) return unknown("it lacks --remote, and would change the developer's own database");
    const exitCode = await administrate(args.filter((word) => word !== "--remote"));
    return note({ ran: "on the database and the Worker that play the remote ones" }, exitCode);
  }
  return program === "curl" ? request() : unknown("the rehearsal neither runs nor plays it");
}

/** Returns what `npm run deploy` would refuse, except that the pages' example plays the deployer's own domain. */
function faultOfDeployment(): string | undefined {
  const findings = checkDeployment(readWranglerConfig(FOLDER), [], process.env["MASTER_KEYS"]);
  const fault = findings.find(({ check, verdict }) => verdict === "failed" && check !== "INSTANCE_HOST");
  return fault && sentencesOf(fault);
}

/** Has the desk run an admin command, and prints its output. */
async function administrate(args: readonly string[]): Promise<number> {
  const body: AdminRequest = { args, env: process.env };
  const desk = `http://127.0.0.1:${requiredVariable("REHEARSAL_DESK_PORT")}`;
  const { text } = await requestLocally(desk, { method: "POST", body: JSON.stringify(body) });
  const { lines, failure } = JSON.parse(text) as AdminResponse;
  for (const printed of lines) console.log(printed);
  if (failure !== undefined) console.error(failure);
  return failure === undefined ? 0 : 1;
}

/** Implements the part of curl that the pages use: an address, `-H` and `-d`. */
async function request(): Promise<number> {
  const headers: Record<string, string> = {};
  let url: URL | undefined;
  let body: string | undefined;
  for (const rest = [...words]; rest.length > 0; ) {
    const word = rest.shift() ?? "";
    if (word === "-H") {
      const [name = "", ...value] = (rest.shift() ?? "").split(": ");
      headers[name] = value.join(": ");
    } else if (word === "-d") body = rest.shift();
    else if (URL.canParse(word)) url = new URL(word);
    else return unknown(`the rehearsal's curl has no ${word}`);
  }
  if (url?.protocol !== "https:") return unknown("a deployment is asked by https");
  const port = requiredVariable("REHEARSAL_PORT");
  const method = body === undefined ? "GET" : "POST";
  const answer = await askPlayedWorker(
    { port, url, method, headers, ...(body === undefined ? {} : { body }) },
    () => false,
  );
  if (!answer) return unknown("the Worker does not answer");
  console.log(answer.text);
  return note({ ran: "of the Worker that was bundled", status: answer.status, answer: answer.text }, 0);
}

function runNode(args: readonly string[]): number {
  const { status } = spawnSync(process.execPath, args, {
    cwd: FOLDER,
    stdio: "inherit",
    env: { ...process.env, WRANGLER_HIDE_BANNER: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false" },
  });
  return status ?? 1;
}

function note(outcome: Record<string, unknown>, exitCode: number): number {
  appendFileSync(requiredVariable("REHEARSAL_JOURNAL"), `${JSON.stringify({ command: line, exitCode, ...outcome })}\n`);
  return exitCode;
}

function unknown(reason: string): number {
  console.error(`${line}: ${reason}`);
  return note({ refused: reason }, 1);
}

function wranglerScript(): string {
  return join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
}

function requiredVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: npm run rehearse runs this`);
  return value;
}
