import type { Json, Named } from "./difference.ts";

/** What a file does not hold, such as `apps.Intranet`, and why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

/** Things of one kind as a file holds them, and those that it leaves out. */
export interface Exported<Thing = Json> {
  readonly named: Readonly<Record<string, Thing>>;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Exports what is enabled: a disabled thing would be created enabled elsewhere.
 *
 * @param part the part of the file, such as `apps`
 * @param declare what the file says of a thing
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
