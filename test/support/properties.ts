import * as fc from "fast-check";
import { inject } from "vitest";

/**
 * How properties are tried, in every project. `npm test` tries the same cases each time, so that it fails only because of what was
 * changed; `npm run explore` tries others, and more of them (vitest.config.ts).
 */
const { seed, times } = inject("properties");

/** How many cases a property tries, of which `npm test` tries so many. */
export const runs = (usual: number): number => usual * times;

// A property without a seed chooses one, and names it when it fails.
fc.configureGlobal({ ...(seed === null ? {} : { seed }), numRuns: runs(100) });
