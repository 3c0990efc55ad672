import type { Json, Named } from "./difference.ts";

/** Things of one kind as a file holds them, and what it leaves out, such as `apps.Intranet`. */
export interface Exported {
  readonly named: Named;
  readonly disabled: readonly string[];
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
  const disabled: string[] = [];
  for (const [name, thing] of things) {
    if (thing["isDisabled"] === true) disabled.push(`${part}.${name}`);
    else named.push([name, declare(thing)]);
  }
  return { named: Object.fromEntries(named), disabled };
}
