import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { EXIT, Failure, reasonOf } from "./failure.ts";
import { Extractor } from "./formats/extractor.ts";
import { CALLED, type Options } from "./options.ts";
import { parseRules, RULES_FILE, sameForAll, type Visibility } from "./permissions.ts";
import { exitCodeOf, Progress, reportOf } from "./report.ts";
import type { Source } from "./source.ts";
import { openSource } from "./sources/open.ts";
import { Service } from "./sync/service.ts";
import { push } from "./sync/push.ts";

/** Editors write a file in several steps. */
const SETTLE_MILLISECONDS = 500;

/**
 * Pushes a source once, or again and again with `--watch`.
 *
 * @param ask asks the person at the terminal, if there is one
 * @returns the exit code
 * @throws {Failure} if it can't be pushed at all
 */
export async function run(
  options: Options,
  print: (text: string) => void = console.log,
  ask?: (question: string) => Promise<string>,
): Promise<number> {
  const source = await openSource(options);
  const extractor = new Extractor();
  try {
    if (options.isWatching && !source.watch) throw new Failure("--watch is for folders.", EXIT.refused);
    // Registered first, so that no change is missed during the first run.
    const changes = watched(source, options.isWatching);
    const answer = ask && asksWho(options) && !(await source.beside(RULES_FILE)) ? await ask(QUESTION) : undefined;
    for (;;) {
      const exitCode = await pushOnce(source, extractor, { ...options, answer }, print);
      if (!options.isWatching) return exitCode;
      print("Waiting for changes. Press Ctrl-C to stop.");
      await changes();
    }
  } finally {
    await extractor.close();
    await source.close();
  }
}

async function pushOnce(
  source: Source,
  extractor: Extractor,
  options: Answered,
  print: (text: string) => void,
): Promise<number> {
  const { service, datasource, template, isDryRun, mayRemoveMany } = options;
  const progress = new Progress();
  const startedAt = performance.now();
  try {
    const result = await push({
      source,
      visibility: await visibilityOf(source, options),
      addresses: { serviceUrl: service?.url ?? "https://gatehouse.example", datasource, template },
      service: service && new Service({ ...service, datasource }),
      extractor,
      isDryRun,
      mayRemoveMany,
      onProgress: (soFar) => progress.show(soFar),
    });
    progress.end();
    print(reportOf(result, options, performance.now() - startedAt));
    return exitCodeOf(result);
  } catch (error) {
    progress.end();
    if (!options.isWatching || !(error instanceof Failure)) throw error;
    print(error.message);
    return error.exitCode;
  }
}

interface Answered extends Options {
  /** What the person at the terminal said about who may see the documents. */
  readonly answer?: string | undefined;
}

const QUESTION = `Who may see these documents? everyone, nobody, group:<name> and user:<email>, which can be repeated
(Enter to stop): `;

function asksWho({ everyone, groups, users, rules }: Options): boolean {
  return !everyone && groups.length === 0 && users.length === 0 && rules === undefined;
}

/** Finds out who may see the documents. Nothing is guessed. */
async function visibilityOf(source: Source, options: Answered): Promise<Visibility> {
  const { everyone, groups, users, rules, answer } = options;
  const beside = await source.beside(RULES_FILE);
  if (!asksWho(options) && rules === undefined) {
    if (beside === undefined) return sameForAll(everyone, groups, users);
    const problem = `The source has a file ${RULES_FILE}, which says who may see what.`;
    throw new Failure(`${problem} Leave out --everyone, --group and --user, or delete the file.`, EXIT.refused);
  }
  if (rules !== undefined) {
    const text = await readFile(rules, "utf8").catch((error: unknown) => {
      throw new Failure(`${rules} can't be read: ${reasonOf(error)}`, EXIT.refused);
    });
    return parseRules(text, rules);
  }
  if (beside !== undefined) return parseRules(beside);
  if (answer !== undefined && answer.trim() !== "") return parseRules(`* ${answer}`, "Your answer");
  throw new Failure(
    `Say who may see the documents: --everyone, --group <name>, --user <email>, or a file ${RULES_FILE} in the source.\n` +
      `Nothing was sent. More about this: ${CALLED} --help`,
    EXIT.refused,
  );
}

/** Returns a function that waits for the next change, and for the quiet after it. */
function watched(source: Source, isWatching: boolean): () => Promise<void> {
  const state = { isChanged: false };
  if (isWatching) source.watch?.(() => (state.isChanged = true));
  return async () => {
    while (!state.isChanged) await delay(SETTLE_MILLISECONDS);
    do {
      state.isChanged = false;
      await delay(SETTLE_MILLISECONDS);
    } while (state.isChanged);
  };
}
