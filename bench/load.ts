/** `npm run load`: 50 callers at once against the whole Worker in one process, and whether it keeps what docs/performance.md promises. */
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { LocalIssuer } from "./gate/external-issuer.ts";
import type { Operations } from "./gate/messages.ts";
import { setUp } from "./gate/set-up.ts";
import { BenchWorkerd } from "./gate/workerd.ts";
import { LoadClient } from "./load/http.ts";
import { LoadReport } from "./load/report.ts";
import { Caller, nextKind, registerApp } from "./load/traffic.ts";

const HOST = "acme.localhost";
const ORIGIN = `http://${HOST}`;

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "60" }, connections: { type: "string", default: "50" } },
});
const [seconds, connections] = [Number(values.seconds), Number(values.connections)];
if (![seconds, connections].every((number) => Number.isSafeInteger(number) && number >= 1 && number <= 3600)) {
  console.error("--seconds and --connections take a whole number from 1 to 3600");
  process.exit(2);
}

const issuer = await LocalIssuer.open();
const workerd = await BenchWorkerd.start(["setup", "loaded"]);
const client = new LoadClient(await workerd.url("loaded"), HOST, connections);
try {
  const { indexing } = await setUp(
    workerd,
    ORIGIN,
    { issuer: issuer.url, jwksUri: issuer.jwksUri, clientId: "gatehouse" },
    { signsIn: true },
  );
  const report = new LoadReport();
  const app = { origin: ORIGIN, clientId: await registerApp(client), indexing };
  const callers = Array.from({ length: connections }, () => new Caller(client, issuer, app));
  console.error(`${connections} people sign in`);
  for (const caller of callers) {
    for (const kind of ["sign-in", "refresh", "search", "MCP", "indexing"] as const)
      await caller.act(kind, () => undefined);
  }

  console.error(`mixed traffic for ${seconds} s`);
  const before = await workerd.ask<Operations>("loaded");
  const end = performance.now() + seconds * 1000;
  const watching = watchMemory(report, end);
  await Promise.all(callers.map((caller) => keepActing(caller, report, end)));
  await watching;
  const after = await workerd.ask<Operations>("loaded");

  console.log(report.table(seconds, after.storage - before.storage));
  const broken = report.brokenPromises(seconds, after.storage - before.storage);
  for (const promise of broken) console.error(`broken: ${promise}`);
  if (broken.length > 0) process.exitCode = 1;
} finally {
  client.close();
  await workerd.stop();
  issuer.stop();
}

async function keepActing(caller: Caller, report: LoadReport, end: number): Promise<void> {
  while (performance.now() < end) {
    const kind = nextKind();
    report.begin(kind);
    await caller
      .act(kind, (answer) => report.answered(kind, answer))
      .catch((error: unknown) => report.failed(kind, error));
  }
}

async function watchMemory(report: LoadReport, end: number): Promise<void> {
  while (performance.now() < end) {
    report.memory.push(workerd.cpu.memoryBytes());
    await setTimeout(500);
  }
}
