import * as fc from "fast-check";
import { inject } from "vitest";

/**
 * How property tests run, in every project. `npm test` tries the same cases each time, so that it only fails because of a change;
 * `npm run explore` tries other cases, and more of them (vitest.config.ts).
 */
const { seed, times } = inject("properties");

/** Returns how many cases a property tries. `npm test` tries the usual number. */
export const runs = (usual: number): number => usual * times;

// A property without a seed chooses one, and prints it when it fails.
fc.configureGlobal({ ...(seed === null ? {} : { seed }), numRuns: runs(100) });
