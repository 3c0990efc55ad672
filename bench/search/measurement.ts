import type { FoundPage } from "#documents/engine.ts";
import { type Person, PERSONS } from "./corpus.ts";
import type { Exact, Judgement } from "./exact.ts";
import type { BenchRequest } from "./requests.ts";
import { type BenchQuestion, type Kind, KINDS } from "./questions.ts";

/** A documents engine, and the CPU time of it and its database. */
export interface BenchedEngine {
  readonly cpu: { during(act: () => Promise<void>): Promise<number | undefined> };
  ask<Answer>(request: BenchRequest): Promise<Answer>;
}

/** What one kind of search cost and found for one person. CPU is in milliseconds, of the fastest round. */
export interface Cell {
  readonly kind: Kind;
  readonly person: Person;
  /** The first search after the object was asleep, and how many floors that is. */
  readonly waking: number;
  readonly wakingFloors: number;
  readonly cpu: number;
  readonly floors: number;
  readonly naive: number | null;
  readonly answers: readonly Answer[];
  readonly judgements: readonly Judgement[];
}

export interface MeasuredSearches {
  readonly floor: number;
  /** How many documents each person sees; `null` if they weren't counted. */
  readonly visible: ReadonlyMap<Person, number | null>;
  readonly cells: readonly Cell[];
}

/** The documents that a search found, and whether it corrected the spelling of words. */
export interface Answer {
  readonly question: BenchQuestion;
  readonly found: readonly number[];
  readonly isCorrected: boolean;
}

const FLOORS_A_ROUND = 60;
const TIMES_A_ROUND = 3;

/** A cell before its answers are judged. */
type Measured = Omit<Cell, "judgements">;

/**
 * Sends the same searches to all engines in turns, so that other work of the machine affects them alike.
 *
 * @param weigh creates the exact weighing after all searches were measured: what it keeps in memory would cost the garbage
 * collector a second now and then, which would count as the searches'. `null`: results are not judged
 * @returns the measurements of each engine
 */
export async function measureSearches(
  engines: readonly BenchedEngine[],
  weigh: (() => Exact) | null,
  { rounds, isNaiveThere }: { readonly rounds: number; readonly isNaiveThere: boolean },
  report: (progress: string) => void,
): Promise<readonly MeasuredSearches[]> {
  for (const engine of engines) for (let warm = 0; warm < 3; warm++) await floorOf(engine);
  const measured = engines.map((): Measured[] => []);
  const floors = engines.map((): number[] => []);
  for (const person of PERSONS) {
    for (const kind of KINDS) {
      const requests = kind.questions.map(({ query }): BenchRequest => ({ act: "find", person: person.name, query }));
      const many = Array.from({ length: TIMES_A_ROUND }, () => requests).flat();
      const wakings = engines.map((): number[] => []);
      const times = engines.map((): number[] => []);
      for (let round = 0; round < rounds; round++) {
        for (const [at, engine] of engines.entries()) {
          wakings[at]?.push(await wakingOf(engine, requests));
          floors[at]?.push(await floorOf(engine));
          times[at]?.push(await cpuOf(engine, many));
        }
      }
      for (const [at, engine] of engines.entries()) {
        const cpu = Math.min(...(times[at] ?? []));
        const waking = Math.min(...(wakings[at] ?? []));
        const floor = Math.min(...(floors[at] ?? []).slice(-rounds));
        measured[at]?.push({
          kind,
          person,
          waking,
          wakingFloors: waking / floor,
          cpu,
          floors: cpu / floor,
          naive: isNaiveThere ? await naiveOf(engine, kind, person) : null,
          answers: await answersOf(engine, kind, person),
        });
      }
    }
    report(`measured the person with ${person.name}`);
  }
  if (weigh) report("weighing exactly");
  const exact = weigh?.();
  const visible = new Map(PERSONS.map((person) => [person, exact?.visibleTo(person) ?? null]));
  return measured.map((cells, at) => ({
    floor: middleOf(floors[at] ?? []),
    visible,
    cells: cells.map((cell) => ({ ...cell, judgements: exact ? judged(exact, cell) : [] })),
  }));
}

function floorOf(engine: BenchedEngine): Promise<number> {
  return cpuOf(
    engine,
    Array.from({ length: FLOORS_A_ROUND }, (): BenchRequest => ({ act: "floor" })),
  );
}

/** Returns the milliseconds of the first search of an object that wakes up. Then makes the others, so that nothing is first any more. */
async function wakingOf(engine: BenchedEngine, [first, ...others]: readonly BenchRequest[]): Promise<number> {
  if (!first) return Number.NaN;
  await engine.ask({ act: "sleep" });
  const waking = await cpuOf(engine, [first]);
  for (const request of others) await engine.ask(request);
  return waking;
}

function naiveOf(engine: BenchedEngine, { questions }: Kind, person: Person): Promise<number> {
  return cpuOf(
    engine,
    questions.map(({ query, isPhrase }) => ({
      act: "find naively",
      person: person.name,
      query: query.trim(),
      isPhrase,
    })),
  );
}

async function answersOf(engine: BenchedEngine, { questions }: Kind, person: Person): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const question of questions) {
    const found = await engine.ask<FoundPage>({ act: "find", person: person.name, query: question.query });
    answers.push({
      question,
      found: found.documents.map(({ externalId }) => Number(externalId)),
      isCorrected: found.correctedWords.length > 0,
    });
  }
  return answers;
}

/**
 * Judges results, except corrected ones. Exact weighing doesn't correct words, so it would judge those documents as worse.
 */
function judged(exact: Exact, { answers, person }: Measured): readonly Judgement[] {
  return answers
    .filter(({ question, isCorrected }) => question.isJudged && !isCorrected)
    .map(({ question, found }) => exact.judge(question, person, found));
}

function middleOf(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0;
}

/** Returns the milliseconds of CPU time per request, on average. */
async function cpuOf(engine: BenchedEngine, requests: readonly BenchRequest[]): Promise<number> {
  const microseconds = await engine.cpu.during(async () => {
    for (const request of requests) await engine.ask(request);
  });
  return (microseconds ?? Number.NaN) / 1000 / requests.length;
}
