/**
 * `npm run bench`: measures the CPU time of the Client API gate, compared with a bare route, jose and the nearest peer in the
 * same workerd.
 */
import { LocalIssuer } from "./gate/external-issuer.ts";
import { measure } from "./gate/measurement.ts";
import { readOptions } from "./gate/options.ts";
import { blocksOf, objectionsTo, tableOf, writePage } from "./gate/report.ts";
import { prepareVariants } from "./gate/variants.ts";
import { BenchWorkerd, gateWorkers } from "./gate/workerd.ts";

/**
 * Takes less than four minutes on two idle cores. A run with a different number is for a quick look and doesn't change the page.
 */
const ROUNDS = 30;

const { rounds, countsInstructions, isChosen, choose } = readOptions(ROUNDS);

const started: { stop(): unknown }[] = [];
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, async () => {
    await stopAll();
    process.exit(130);
  });
}

try {
  report("bundling and starting");
  const issuer = await LocalIssuer.open();
  started.push(issuer);
  const workerd = await BenchWorkerd.start(gateWorkers(isChosen), countsInstructions);
  started.push(workerd);
  report("making the instance and the tokens");
  const variants = await prepareVariants(workerd, issuer);
  const chosen = choose(variants);
  const all = await measure(workerd, chosen, rounds, report);
  const floor = { name: "bare", of: () => blocksOf(all, "bare") };
  const measured = tableOf(all, rounds, workerd.meter.unit, floor);
  console.log(measured);
  const objections = objectionsTo(all);
  for (const objection of objections) console.error(objection);
  if (objections.length > 0) process.exitCode = 1;
  else if (rounds === ROUNDS && !countsInstructions && chosen.length === variants.length) writePage(measured);
} finally {
  await stopAll();
}

function report(progress: string): void {
  console.error(progress);
}

async function stopAll(): Promise<void> {
  for (const running of started.splice(0)) await running.stop();
}
