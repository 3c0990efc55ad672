/**
 * `npm run soak`: a thousand anonymous callers send the worst inputs that are accepted to the whole Worker, and its isolate may grow by
 * 16 MB at most (docs/limits.md). Everything stays on this machine, and it ends by itself.
 */
import { parseArgs } from "node:util";
import { LocalIssuer } from "./gate/external-issuer.ts";
import { setUp } from "./gate/set-up.ts";
import { BenchWorkerd } from "./gate/workerd.ts";
import { LoadClient } from "./load/http.ts";
import { answerStrangers, Stranger } from "./soak/strangers.ts";

const HOST = "acme.localhost";
const ORIGIN = `http://${HOST}`;
const CALLERS = 1000;
const GROWTH_BYTES_MAX = 16 * 1024 * 1024;
const SECONDS_MAX = 600;

/** What the Worker compiles and allocates once is no growth. */
const WARM_UP_REQUESTS = 1000;

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "60" }, connections: { type: "string", default: "100" } },
});
const [seconds, connections] = [Number(values.seconds), Number(values.connections)];
if (![seconds, connections].every((number) => Number.isSafeInteger(number) && number >= 1 && number <= SECONDS_MAX)) {
  console.error(`--seconds and --connections take a whole number from 1 to ${SECONDS_MAX}`);
  process.exit(2);
}

const issuer = await LocalIssuer.open();
const workerd = await BenchWorkerd.start(["setup", "loaded"], false, (url) =>
  url.hostname === "127.0.0.1" ? fetch(url) : answerStrangers(url),
);
const client = new LoadClient(await workerd.url("loaded"), HOST, connections);
const kept = async () => {
  const bytes = await workerd.keptBytes("loaded");
  console.log(`the isolate keeps ${(bytes / 1024 / 1024).toFixed(1)} MB`);
  return bytes;
};
try {
  await setUp(
    workerd,
    ORIGIN,
    { issuer: issuer.url, jwksUri: issuer.jwksUri, clientId: "gatehouse" },
    { signsIn: true },
  );
  const callers = Array.from({ length: CALLERS }, (_, number) => new Stranger(client, ORIGIN, number));
  const statuses = new Map<string, number>();
  let sent = 0;

  /** Callers take turns, as many at a time as there are connections. */
  async function sendWhile(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      const caller = callers[sent % CALLERS];
      sent += 1;
      const answer = (await caller?.next()) ?? "";
      statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
    }
  }
  const sendAll = (goesOn: () => boolean) => Promise.all(Array.from({ length: connections }, () => sendWhile(goesOn)));

  await sendAll(() => sent < WARM_UP_REQUESTS);
  const before = await kept();
  const began = performance.now();
  await sendAll(() => performance.now() - began < seconds * 1000);
  const growth = (await kept()) - before;
  const counts = [...statuses].map(([answer, count]) => `${answer}: ${count}`).toSorted();
  console.log(`${sent} requests of ${CALLERS} callers, answers ${counts.join(", ")}`);
  console.log(`the isolate grew by ${(growth / 1024 / 1024).toFixed(1)} MB`);
  if (growth > GROWTH_BYTES_MAX) process.exitCode = 1;
  if ([...statuses.keys()].some((answer) => / 5(?!03)/.test(answer))) process.exitCode = 1;
} finally {
  client.close();
  issuer.stop();
  await workerd.stop();
}
