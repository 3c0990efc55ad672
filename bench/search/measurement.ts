import type { FoundPage } from "#documents/engine.ts";
import { type Person, PERSONS } from "./corpus.ts";
import type { Exact, Judgement } from "./exact.ts";
import type { BenchRequest } from "./requests.ts";
import { type BenchQuestion, type Kind, KINDS } from "./questions.ts";

/** An engine of documents, and the CPU that it and its database take. */
export interface BenchedEngine {
  readonly cpu: { during(act: () => Promise<void>): Promise<number | undefined> };
  ask<Answer>(request: BenchRequest): Promise<Answer>;
}

/** What searches of a kind by a person cost and found. CPU in milliseconds: the least round's. */
export interface Cell {
  readonly kind: Kind;
  readonly person: Person;
  readonly first: number;
  readonly cpu: number;
  readonly floors: number;
  readonly naive: number | null;
  readonly judgements: readonly Judgement[];
}

export interface MeasuredSearches {
  readonly floor: number;
  readonly visible: ReadonlyMap<Person, number>;
  readonly cells: readonly Cell[];
}

/** The documents that a search found. */
interface Answer {
  readonly question: BenchQuestion;
  readonly found: readonly number[];
}

const FLOORS_A_ROUND = 60;
const TIMES_A_ROUND = 3;

/**
 * @param weigh weighs exactly, after all searches were measured: what it keeps in memory would cost the garbage collector a second now
 *   and then, which is no search's
 */
export async function measureSearches(
  workerd: BenchedEngine,
  weigh: () => Exact,
  { rounds, isNaiveThere }: { readonly rounds: number; readonly isNaiveThere: boolean },
  report: (progress: string) => void,
): Promise<MeasuredSearches> {
  const floors: number[] = [];
  const floor = async () =>
    floors.push(
      await cpuOf(
        workerd,
        Array.from({ length: FLOORS_A_ROUND }, (): BenchRequest => ({ act: "floor" })),
      ),
    );
  for (let warm = 0; warm < 3; warm++) await floor();
  floors.length = 0;
  const cells: (Omit<Cell, "judgements"> & { readonly answers: readonly Answer[] })[] = [];
  for (const person of PERSONS) {
    for (const kind of KINDS) {
      const { questions } = kind;
      const requests = questions.map(({ query }): BenchRequest => ({ act: "find", person: person.name, query }));
      const first = await cpuOf(workerd, requests);
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await floor();
        times.push(await cpuOf(workerd, Array.from({ length: TIMES_A_ROUND }, () => requests).flat()));
      }
      const answers: Answer[] = [];
      for (const question of questions.filter(({ isJudged }) => isJudged)) {
        const found = await workerd.ask<FoundPage>({ act: "find", person: person.name, query: question.query });
        // Exact weighing knows no corrections: it would take the documents with the corrected word for worse ones.
        if (found.correctedWords.length > 0) continue;
        answers.push({ question, found: found.documents.map(({ externalId }) => Number(externalId)) });
      }
      const naive = !isNaiveThere
        ? null
        : await cpuOf(
            workerd,
            questions.map(({ query, isPhrase }) => ({
              act: "find naively",
              person: person.name,
              query: query.trim(),
              isPhrase,
            })),
          );
      const cpu = Math.min(...times);
      const near = floors.slice(-rounds);
      cells.push({ kind, person, first, cpu, floors: cpu / Math.min(...near), naive, answers });
    }
    report(`measured the person with ${person.name}`);
  }
  report("weighing exactly");
  const exact = weigh();
  return {
    floor: floors.toSorted((one, other) => one - other)[floors.length >> 1] ?? 0,
    visible: new Map(PERSONS.map((person) => [person, exact.visibleTo(person)])),
    cells: cells.map(({ answers, ...cell }) => ({
      ...cell,
      judgements: answers.map(({ question, found }) => exact.judge(question, cell.person, found)),
    })),
  };
}

/** Milliseconds of CPU that each of the requests takes, on average. */
async function cpuOf(workerd: BenchedEngine, requests: readonly BenchRequest[]): Promise<number> {
  const microseconds = await workerd.cpu.during(async () => {
    for (const request of requests) await workerd.ask(request);
  });
  return (microseconds ?? Number.NaN) / 1000 / requests.length;
}
