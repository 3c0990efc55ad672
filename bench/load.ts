/**
 * `npm run load`: sends an organisation's traffic to the whole Worker in one process, and checks the promises of
 * docs/performance.md.
 */
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { LocalIssuer } from "./gate/external-issuer.ts";
import type { LoadedQuestion, Operations, TableRows, TriggerRun } from "./gate/messages.ts";
import { setUp } from "./gate/set-up.ts";
import { BenchWorkerd } from "./gate/workerd.ts";
import { LoadClient } from "./load/http.ts";
import { ACTIVE_PEOPLE, peopleInTurn } from "./load/population.ts";
import { LoadReport } from "./load/report.ts";
import { Caller, KINDS, nextKind, registerApps } from "./load/traffic.ts";

const HOST = "acme.localhost";
const ORIGIN = `http://${HOST}`;

/**
 * An instance accepts 50 a second at each network location and refuses more. A machine that could do more than 40 searches
 * instead.
 */
const SIGN_INS_A_SECOND_MAX = 40;

/**
 * Sign-ins at a time before the traffic begins. A sign-in is the most work, and fifty in parallel keep the identity provider
 * waiting.
 */
const SIGN_INS_AT_ONCE = 10;

const MEMORY_READ_EVERY_MILLISECONDS = 500;

/** A run is reported in at least this many parts, each at most this long. */
const INTERVALS_MIN = 6;
const INTERVAL_SECONDS_MAX = 60;

/** The triggers of wrangler.toml. The hourly one runs more often, so that short runs have it too. */
const TRIGGERS = [
  { cron: "* * * * *", everySeconds: 60 },
  { cron: "0 * * * *", everySeconds: 600 },
] as const;

/** The most seconds, because tokens that nobody refreshes expire after an hour. Also the most connections. */
const NUMBER_MAX = 3000;

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "60" }, connections: { type: "string", default: "50" } },
});
const [seconds, connections] = [Number(values.seconds), Number(values.connections)];
if (![seconds, connections].every((number) => Number.isSafeInteger(number) && number >= 1 && number <= NUMBER_MAX)) {
  console.error(`--seconds and --connections take a whole number from 1 to ${NUMBER_MAX}`);
  process.exit(2);
}

const issuer = await LocalIssuer.open();
const workerd = await BenchWorkerd.start(["setup", "loaded"]);
const client = new LoadClient(await workerd.url("loaded"), HOST, connections);
const askRows = () => workerd.ask<TableRows>("loaded", { act: "count rows" } satisfies LoadedQuestion);
try {
  const { indexing } = await setUp(
    workerd,
    ORIGIN,
    { issuer: issuer.url, jwksUri: issuer.jwksUri, clientId: "gatehouse" },
    { signsIn: true },
  );
  const organisation = { origin: ORIGIN, apps: await registerApps(client), indexing, nextUser: peopleInTurn() };
  const idle = Array.from(
    { length: Math.max(ACTIVE_PEOPLE, connections) },
    () => new Caller(client, issuer, organisation),
  );
  console.error(`${idle.length} people sign in`);
  const coming = idle.values();
  await Promise.all(Array.from({ length: Math.min(SIGN_INS_AT_ONCE, connections) }, () => signInAndTry(coming)));

  console.error(`mixed traffic for ${seconds} s`);
  const report = new LoadReport();
  const before = { operations: await workerd.ask<Operations>("loaded"), rows: await askRows() };
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1000;
  const goesOn = () => elapsed() < seconds && !report.isHopeless;
  const traffic = Array.from({ length: connections }, () => keepActing(idle, report, elapsed, goesOn));
  const triggers = TRIGGERS.map(async ({ cron, everySeconds }) => {
    for (let at = everySeconds; at < seconds; at += everySeconds) {
      while (goesOn() && elapsed() < at) await setTimeout(MEMORY_READ_EVERY_MILLISECONDS);
      if (goesOn()) await runTrigger(cron, report);
    }
  });
  await Promise.all([...traffic, ...triggers, watch(report, elapsed, goesOn)]);
  const whole = { seconds: elapsed(), people: idle.length };
  const { storage } = await workerd.ask<Operations>("loaded");
  for (const { cron } of TRIGGERS) await runTrigger(cron, report);

  const roundTrips = storage - before.operations.storage;
  console.log(report.text({ ...whole, roundTrips }, before.rows, await askRows()));
  const broken = report.brokenPromises({ ...whole, roundTrips });
  for (const promise of broken) console.log(`broken: ${promise}`);
  console.log(broken.length === 0 ? "All promises are kept." : `Promises broken: ${broken.length}.`);
  if (broken.length > 0) process.exitCode = 1;
} finally {
  client.close();
  await workerd.stop();
  issuer.stop();
}

/** Does everything once, so that nothing is new when the traffic begins. */
async function signInAndTry(coming: Iterator<Caller>): Promise<void> {
  for (let next = coming.next(); !next.done; next = coming.next()) {
    await next.value.act("sign-in", () => undefined);
    for (const kind of KINDS) if (kind !== "sign-in") await next.value.act(kind, () => undefined);
  }
}

/** The loop of one connection: takes somebody who is idle, lets them do one thing, and takes the next. */
async function keepActing(
  idle: Caller[],
  report: LoadReport,
  elapsed: () => number,
  goesOn: () => boolean,
): Promise<void> {
  while (goesOn()) {
    const drawn = nextKind();
    const isTooMuch = drawn === "sign-in" && report.begun("sign-in") >= elapsed() * SIGN_INS_A_SECOND_MAX;
    const kind = isTooMuch ? "search" : drawn;
    const caller = takeAny(idle);
    report.begin(kind);
    await caller
      .act(kind, (answer) => report.answered(kind, answer))
      .catch((error: unknown) => report.failed(kind, error));
    idle.push(caller);
  }
}

function takeAny(idle: Caller[]): Caller {
  const place = Math.floor(Math.random() * idle.length);
  const last = idle.pop();
  const caller = idle[place] ?? last;
  if (!caller || !last) throw new RangeError("there are fewer people than connections");
  if (place < idle.length) idle[place] = last;
  return caller;
}

async function runTrigger(cron: string, report: LoadReport): Promise<void> {
  try {
    const question: LoadedQuestion = { act: "run trigger", cron };
    const { failure } = await workerd.ask<TriggerRun>("loaded", question);
    if (failure !== undefined) report.failed(`the trigger ${cron}`, failure);
  } catch (error) {
    report.failed(`the trigger ${cron}`, error);
  }
}

/** Reads memory all the time, and ends intervals. */
async function watch(report: LoadReport, elapsed: () => number, goesOn: () => boolean): Promise<void> {
  const length = Math.min(INTERVAL_SECONDS_MAX, seconds / INTERVALS_MIN);
  for (let from = 0; goesOn(); from = elapsed()) {
    let most = 0;
    while (goesOn() && elapsed() < from + length) {
      most = Math.max(most, workerd.cpu.memoryBytes());
      await setTimeout(MEMORY_READ_EVERY_MILLISECONDS);
    }
    console.error(report.endInterval(elapsed(), elapsed() - from, most));
  }
}
