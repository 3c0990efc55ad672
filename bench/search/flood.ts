import { setTimeout } from "node:timers/promises";
import { quantile } from "../gate/statistics.ts";
import { PERSONS } from "./corpus.ts";
import { KINDS } from "./questions.ts";
import type { BenchRequest } from "./requests.ts";
import type { SearchWorkerd } from "./workerd.ts";

/** Connections that search the flooded object without pause. */
const FLOODING = 8;

const REQUESTS = 300;
const PAUSE_MILLISECONDS = 20;

/** An object without documents, next to the flooded one. */
const OTHER = 2;

export interface Waits {
  readonly p50: number;
  readonly p99: number;
}

/**
 * Measures how long searches of one object take in milliseconds: alone, and while every kind of search floods another object.
 */
export async function measureFlood(workerd: SearchWorkerd): Promise<{ readonly alone: Waits; readonly beside: Waits }> {
  const person = PERSONS[0]?.name ?? "";
  const other = async (): Promise<Waits> => {
    const waits: number[] = [];
    for (let at = 0; at < REQUESTS; at++) {
      const begin = performance.now();
      await workerd.ask({ act: "find", person, query: "nothing ", instance: OTHER });
      waits.push(performance.now() - begin);
      await setTimeout(PAUSE_MILLISECONDS);
    }
    waits.sort((one, next) => one - next);
    return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) };
  };
  const requests = PERSONS.flatMap(({ name }) =>
    KINDS.flatMap(({ questions }) => questions.map(({ query }) => ({ act: "find", person: name, query }) as const)),
  );
  await other();
  const alone = await other();
  const over = new AbortController();
  const flood = Array.from({ length: FLOODING }, async (_, from) => {
    for (let at = from; !over.signal.aborted; at += FLOODING) {
      await workerd.ask(requests[at % requests.length] as BenchRequest);
    }
  });
  await setTimeout(1000);
  const beside = await other();
  over.abort();
  await Promise.all(flood);
  return { alone, beside };
}
