/** `npm run bench:memory`: measures how much memory an object keeps while 10,000 documents are edited a million times. */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { PERSONS } from "./search/corpus.ts";
import { KINDS } from "./search/questions.ts";
import { SearchWorkerd } from "./search/workerd.ts";

const { values } = parseArgs({
  options: { documents: { type: "string", default: "10000" }, edits: { type: "string", default: "1000000" } },
});
const of = Number(values.documents);
const edits = Number(values.edits);

/** Edits of a transaction, and between two measurements. */
const STEP = 2000;
const MEASUREMENTS = 10;

const workerd = await SearchWorkerd.start(of, `bench-memory-${process.pid}`);
try {
  await workerd.ask({ act: "write rights" });
  await edit(0, of, false);
  await measure(0);
  for (let done = 0; done < edits; ) {
    const until = Math.min(done + edits / MEASUREMENTS, edits);
    // The texts make no difference, so short ones save time.
    await edit(of + done, of + until - of, true);
    await edit(until, of + until, false);
    await measure((done = until));
  }
} finally {
  await workerd.stop();
  rmSync(workerd.folder, { recursive: true });
}

async function edit(from: number, until: number, isShort: boolean): Promise<void> {
  for (let at = from; at < until; at += STEP)
    await workerd.ask({ act: "edit", from: at, until: Math.min(at + STEP, until), of, isShort });
}

/** Searches in all ways, so that everything that searches remember is in memory. */
async function measure(done: number): Promise<void> {
  for (const person of PERSONS)
    for (const { query } of KINDS.flatMap(({ questions }) => questions))
      await workerd.ask({ act: "find", person: person.name, query });
  console.log(`${done.toLocaleString("en")} edits: ${(await workerd.keptBytes()) / 1e6} MB`);
}
