import type { Json, Named } from "./difference.ts";

/** Something that the file leaves out, such as `apps.Intranet`, and why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

/** The things of one kind that a file has, and those that it leaves out. */
export interface Exported<Thing = Json> {
  readonly named: Readonly<Record<string, Thing>>;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Exports what is enabled. A disabled thing is left out, because the file would create it enabled elsewhere.
 *
 * @param part the part of the file, such as `apps`
 * @param declare returns what the file says about a thing
 */
export function exportEnabled(
  part: string,
  things: Iterable<readonly [name: string, thing: Json]>,
  declare: (thing: Json) => Json,
): Exported {
  const named: [string, Json][] = [];
  const leftOut: LeftOut[] = [];
  for (const [name, thing] of things) {
    if (thing["isDisabled"] === true) leftOut.push({ name: `${part}.${name}`, reason: "it is disabled" });
    else named.push([name, declare(thing)]);
  }
  return { named: Object.fromEntries(named) satisfies Named, leftOut };
}
