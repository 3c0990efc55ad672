import type { ListSpec } from "#platform/listing.ts";
import { parseScope } from "#protocol/scopes.ts";
import type { Input } from "./command.ts";
import { CommandLineError } from "./failures.ts";

/** @param form the expected form, such as `<claim>=<value>`. @throws {CommandLineError} for anything else */
export function parsePair(pair: string, form: string): [string, string] {
  const equals = pair.indexOf("=");
  if (equals < 1) throw new CommandLineError(`${pair} is not ${form}`);
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

/** Returns the words of an option that takes one each time, or several separated by commas or spaces. */
export function wordsIn(values: readonly string[]): string[] {
  return values.flatMap((list) => list.split(/[ ,]+/)).filter((word) => word !== "");
}

/** Returns scopes of the Client API in the API's spelling, whatever case they were typed in. */
export function scopesIn(values: readonly string[]): string[] {
  return wordsIn(values).map((word) => parseScope(word) ?? word);
}

/** Returns the values of the named options that were given, by option name. */
export function givenOptions(input: Input, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = input.option(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * Returns the options of a command that lists something: its search, and those filters that have a fixed set of values.
 *
 * @param search what the search finds
 */
export function listOptions(spec: ListSpec, search: string): Readonly<Record<string, string>> {
  const filters = choicesOf(spec).map(([name, values]) => [`--${name} <${name}>`, DISJUNCTION.format(values)]);
  return { "--search <text>": search, ...Object.fromEntries(filters) };
}

/** Returns what was given of these options, as the list takes it. */
export function listValues(input: Input, spec: ListSpec): Record<string, string> {
  return givenOptions(input, ["search", ...choicesOf(spec).map(([name]) => name)]);
}

function choicesOf({ filters }: ListSpec): [name: string, values: readonly string[]][] {
  return Object.entries(filters).flatMap(([name, values]) => (values === null ? [] : [[name, values]]));
}

const DISJUNCTION = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** Requires a value to be one of the allowed ones. @throws {CommandLineError} for any other */
export function oneOf<Value extends string>(option: string, value: string, values: readonly Value[]): Value {
  const found = values.find((each) => each === value);
  if (found !== undefined) return found;
  throw new CommandLineError(`${option} must be one of ${values.join(", ")}`);
}

/** Returns the seconds of a time with its zone. @throws {CommandLineError} for anything else */
export function timeIn(option: string, value: string): number {
  const milliseconds = /T.*(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(milliseconds))
    throw new CommandLineError(`${option} must be a time with its zone, such as 2026-11-20T08:00:00Z`);
  return Math.floor(milliseconds / 1000);
}
