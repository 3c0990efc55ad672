import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Version } from "../admin-api.ts";
import { UsageError } from "../failures.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Things of one kind, by name or another key. */
export type Named = Readonly<Record<string, Json>>;

/** A change from what is stored to what is declared. */
export interface PlannedChange {
  /** What it changes, one line each, such as `settings.displayName: "Acme" → "Acme Corp"`. */
  readonly lines: readonly string[];
  readonly method: string;
  readonly path: string;
  /** What the plan creates earlier, such as `/apps/Intranet`. Its id stands for `{id}` in the path. */
  readonly idOf?: string;
  readonly body?: Json;
  /** The version that the plan was made from. If it has changed since, the Admin API refuses the change. */
  readonly version?: Version | undefined;
}

/** Returns a line for each member that changes. Members that are not declared stay as they are. */
export function difference(name: string, before: Json | undefined, after: Json): string[] {
  if (before === undefined) return [`${name}: create ${JSON.stringify(after)}`];
  return Object.entries(after)
    .filter(([member, value]) => !isSame(before[member], value))
    .map(([member, value]) => `${name}.${member}: ${JSON.stringify(before[member])} → ${JSON.stringify(value)}`);
}

/**
 * Reads a declared thing by the service's rules, so that it can be compared with what is stored.
 *
 * @throws {UsageError} if the rules refuse it
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

/** Returns a value without some of its members. */
export function without(names: ReadonlySet<string>, value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/** Returns some members of a value, if they are set. */
export function picked(names: readonly string[], value: Json): Json {
  return Object.fromEntries(names.flatMap((name) => ((value[name] ?? null) === null ? [] : [[name, value[name]]])));
}

/** Returns the same value with its members in a fixed order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}
