/**
 * `npm run bench:steps`: measures what each kind of item costs in a step, and compares it with the model in `src/documents/work.ts`.
 * Fails if an item costs more than one and a half times what the model says, or holds the object for longer than it may.
 */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { itemsToMeasure } from "./steps/items.ts";
import { SCRIPTS } from "./steps/scripts.ts";
import { cpuOf, Floor } from "./steps/cpu.ts";
import { indexable, wordsIn } from "#documents/words.ts";
import { memoryFolder } from "../test/support/node/memory-folder.ts";
import { SqliteStore } from "../test/support/node/sqlite-store.ts";

/** How much more than the model an item may cost. */
const RATIO_MAX = 1.5;
/** The longest that anything may hold the object, in milliseconds on a quiet machine. */
const HELD_MAX = 35;
/** How much more than English a script may cost per byte. */
const SCRIPT_RATIO_MAX = 6;
const TIMES = 5;

// In memory, because only processor time counts here.
const file = join(memoryFolder() ?? tmpdir(), `gatehouse-steps-${process.pid}.sqlite`);
const failures: string[] = [];
try {
  const store = new SqliteStore(file);
  store.exec("PRAGMA journal_mode = WAL");
  const floor = new Floor();
  console.log("| item | model, ms | measured, ms | ratio | steps | longest, ms | of the alarm | longest, ms |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const item of itemsToMeasure(store)) {
    const runs = Array.from({ length: TIMES }, () => item.run());
    const scale = floor.now();
    // Other programs only make runs slower, so the fastest says most.
    const least = (value: (one: (typeof runs)[number]) => number) => Math.min(...runs.map(value)) / scale;
    const { name } = item;
    const expected = item.model() / 1000;
    const total = least(({ own }) => own.reduce((sum, one) => sum + one, 0));
    const [longest, later] = [least(({ own }) => Math.max(0, ...own)), least(({ alarm }) => Math.max(0, ...alarm))];
    if (total > expected * RATIO_MAX) failures.push(`${name}: ${(total / expected).toFixed(2)} times the model`);
    if (Math.max(longest, later) > HELD_MAX) failures.push(`${name}: holds the object for longer than ${HELD_MAX} ms`);
    const { own = [], alarm = [] } = runs[0] ?? {};
    const [ratio, ...ms] = [total / expected, expected, total, longest, later].map((one) =>
      one.toFixed(one < 3 ? 2 : 1),
    );
    console.log(`| ${[name, ms[0], ms[1], ratio, own.length, ms[2], alarm.length, ms[3]].join(" | ")} |`);
  }
  store.close();
  console.log("\n| script | times English, per byte |\n| --- | ---: |");
  const perByte = (text: string) => {
    const indexed = indexable(text);
    return cpuOf(() => (indexable(text), wordsIn(indexed)), TIMES) / Buffer.byteLength(text);
  };
  const english = perByte(SCRIPTS["English"] ?? "");
  for (const [name, text] of Object.entries(SCRIPTS)) {
    const ratio = perByte(text) / english;
    if (ratio > SCRIPT_RATIO_MAX) failures.push(`${name}: ${ratio.toFixed(1)} times English`);
    console.log(`| ${name} | ${ratio.toFixed(1)} |`);
  }
} finally {
  for (const log of ["", "-wal", "-shm"]) rmSync(file + log, { force: true });
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
