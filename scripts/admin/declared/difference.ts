import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Version } from "../admin-api.ts";
import { UsageError } from "../failures.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Things of one kind, by what names them. */
export type Named = Readonly<Record<string, Json>>;

/** A change that leads from what is stored to what is declared. */
export interface PlannedChange {
  /** What it changes, such as `settings.displayName: "Acme" → "Acme Corp"`, a line each. */
  readonly lines: readonly string[];
  readonly method: string;
  readonly path: string;
  /** The name of an app that the plan creates before: its id is the end of the path. */
  readonly newApp?: string;
  readonly body?: Json;
  /** The version of what the plan is about: where it has changed since, the Admin API refuses. */
  readonly version?: Version | undefined;
}

/** A line for each member that changes; members that are not declared stay. */
export function difference(name: string, before: Json | undefined, after: Json): string[] {
  if (before === undefined) return [`${name}: create ${JSON.stringify(after)}`];
  return Object.entries(after)
    .filter(([member, value]) => !isSame(before[member], value))
    .map(([member, value]) => `${name}.${member}: ${JSON.stringify(before[member])} → ${JSON.stringify(value)}`);
}

/**
 * Reads a declared thing by the rules of the service, so that it compares with what is stored.
 *
 * @throws {UsageError} where the rules refuse it
 */
export function accepted<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof AdministrationRefused) throw new UsageError(`${name}: ${error.message}`);
    throw error;
  }
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** A value without some of its members. */
export function without(names: ReadonlySet<string>, value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/** Some members of a value, where they are set. */
export function picked(names: readonly string[], value: Json): Json {
  return Object.fromEntries(names.flatMap((name) => ((value[name] ?? null) === null ? [] : [[name, value[name]]])));
}

/** The same value, its members in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}
