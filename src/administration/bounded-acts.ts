import { ACT_SCOPES, type ActName } from "./act-scopes.ts";
import type { Administration } from "./administration.ts";
import { type Authority, requireScope } from "./authority.ts";

/** Returns the same acts, each of which first checks that the authority allows it ({@link ACT_SCOPES}). */
export function boundedBy(authority: Authority, administration: Administration): Administration {
  const bounded = (noun: string, acts: object) =>
    new Proxy(acts, {
      get:
        (target, act) =>
        async (...given: unknown[]) => {
          requireScope(authority, ACT_SCOPES[`${noun}.${String(act)}` as ActName]);
          return (Reflect.get(target, act) as (...given: unknown[]) => unknown).apply(target, given);
        },
    });
  return Object.fromEntries(
    Object.entries(administration).map(([noun, acts]) => [noun, bounded(noun, acts)]),
  ) as unknown as Administration;
}
