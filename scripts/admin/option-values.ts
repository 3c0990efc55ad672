import { CommandLineError } from "./failures.ts";

/** @param form how it is written, such as `<claim>=<value>`. @throws {CommandLineError} for anything else */
export function parsePair(pair: string, form: string): [string, string] {
  const equals = pair.indexOf("=");
  if (equals < 1) throw new CommandLineError(`${pair} is not ${form}`);
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

/** Words that an option gives one by one, or several in one, divided by commas or spaces. */
export function wordsIn(values: readonly string[]): string[] {
  return values.flatMap((list) => list.split(/[ ,]+/)).filter((word) => word !== "");
}

/** @throws {CommandLineError} where a value is none of those that there are */
export function oneOf<Value extends string>(option: string, value: string, values: readonly Value[]): Value {
  const found = values.find((each) => each === value);
  if (found !== undefined) return found;
  throw new CommandLineError(`${option} must be one of ${values.join(", ")}`);
}
