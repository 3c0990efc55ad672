import { ACTS, type ActName } from "./act-table.ts";
import type { Administration } from "./administration.ts";
import { type Authority, requireScope } from "./authority.ts";

/**
 * Returns the same acts, each of which first checks that the authority allows it ({@link ACTS}).
 *
 * @param isAsked whether the sender was asked for a fresh sign-in, if the act needs one. Without it, acts are performed by programs,
 *   which have no session
 */
export function boundedBy(
  authority: Authority,
  administration: Administration,
  isAsked: (act: ActName) => boolean = () => true,
): Administration {
  const bounded = (noun: string, acts: object) =>
    new Proxy(acts, {
      get:
        (target, act) =>
        async (...given: unknown[]) => {
          const name = `${noun}.${String(act)}` as ActName;
          const { scope, anySignIn } = ACTS[name];
          requireScope(authority, scope);
          if (anySignIn === undefined && !isAsked(name))
            throw new Error(`No form asks for a fresh sign-in for ${name}`);
          return (Reflect.get(target, act) as (...given: unknown[]) => unknown).apply(target, given);
        },
    });
  return Object.fromEntries(
    Object.entries(administration).map(([noun, acts]) => [noun, bounded(noun, acts)]),
  ) as unknown as Administration;
}
