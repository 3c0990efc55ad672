import { hidesCharacters } from "#protocol/display-name.ts";
import * as v from "valibot";
import { parseEmailAddress } from "#protocol/email-address.ts";

/** A part of a request that was accepted but not used. */
export interface Warning {
  /** The member, such as `documents[3].container`. */
  readonly path: string;
  readonly message: string;
}

const NOT_USED = "This service does not use it";
const UNKNOWN = "There is no such member; it was ignored";

/** A member that clients of similar services send and this service does not use: accepted, with a warning. */
export const unused = v.optional(v.unknown());

/** Makes the schema of a name that pages show. Invisible characters are refused, because they would hide or turn the text around them. */
export function shownName(most: number) {
  const isSeen = (name: string) => !hidesCharacters(name);
  return v.pipe(v.string(), v.minLength(1), v.maxLength(most), v.check(isSeen, "leave out invisible characters"));
}

/**
 * An object with exactly these members. An unknown member is a mistake that could silently hide or show documents, so it is refused
 * by name.
 */
export function closed<const Entries extends v.ObjectEntries>(entries: Entries) {
  const known = Object.keys(entries).filter((name) => entries[name] !== unused);
  return v.strictObject(entries, ({ expected, received }) => {
    return expected === "never"
      ? `there is no such member; there are ${known.join(", ")}`
      : `expected ${expected} but received ${received}`;
  });
}

/**
 * Describes for the caller which member is wrong, and what it should be.
 *
 * @param at the name of the value that is checked
 */
export function describeIssue(issue: v.BaseIssue<unknown>, at: string, prefix = ""): string {
  const path = v.getDotPath(issue)?.replace(/\.(\d+)(?=\.|$)/g, "[$1]") ?? null;
  const member = path === null ? at : prefix + path;
  return isMissing(issue) ? `${member} is missing` : `${member} is not acceptable: ${problemOf(issue)}`;
}

/**
 * Describes what is wrong with a member, to follow its name. Valibot's own messages are meant for the schema's author.
 */
export function problemOf({ message }: v.BaseIssue<unknown>): string {
  const [, kind = "", expectation, received] = /^Invalid (\w+): (?:Expected (.*)|(Received .*))$/s.exec(message) ?? [];
  if (received !== undefined) return `expected ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind} but r${received.slice(1)}`;
  if (expectation === undefined) return message;
  const inWords = expectation.replace(/^>=/, "at least ").replace(/^<=/, "at most ");
  return kind === "length" || kind === "value" ? `expected a ${kind} of ${inWords}` : `expected ${inWords}`;
}

/** Checks whether an object lacks a member. Valibot then expects the member's name, in quotes. */
function isMissing({ type, expected, received }: v.BaseIssue<unknown>): boolean {
  return type.endsWith("object") && received === "undefined" && expected?.startsWith('"') === true;
}

/** Maximum warnings of a response. More would say the same about other members. */
export const WARNINGS_MAX = 100;

/** The most characters of a path in a warning. A member's name may be as long as the request. */
const PATH_LENGTH_MAX = 300;

function shown(path: string): string {
  return path.length <= PATH_LENGTH_MAX ? path : `${path.slice(0, PATH_LENGTH_MAX).toWellFormed()}…`;
}

/**
 * Returns a warning for each member of a request that is not used: members marked {@link unused}, and those that an open object
 * (`v.object`) doesn't have.
 *
 * @param at the path of the input; empty for the request itself
 * @param found the warnings so far, at most {@link WARNINGS_MAX}, because all warnings of a large request might not fit into memory
 */
export function warningsOf(schema: v.GenericSchema, input: unknown, at = "", found: Warning[] = []): Warning[] {
  const read = unwrapped(schema);
  if (isArraySchema(read) && Array.isArray(input)) {
    for (const [index, item] of input.entries()) warningsOf(read.item, item, `${at}.${index}`, found);
  } else if (isObjectSchema(read) && typeof input === "object" && input !== null) {
    for (const name in input) {
      if (found.length === WARNINGS_MAX) break;
      const path = at === "" ? name : `${at}.${name}`;
      const entry = Object.hasOwn(read.entries, name) ? read.entries[name] : undefined;
      if (entry === undefined || entry === unused)
        found.push({ path: shown(path), message: entry ? NOT_USED : UNKNOWN });
      else warningsOf(entry, (input as Readonly<Record<string, unknown>>)[name], path, found);
    }
  }
  return found;
}

type ObjectSchema = v.GenericSchema & { readonly entries: v.ObjectEntries };
type ArraySchema = v.GenericSchema & { readonly item: v.GenericSchema };

/** Returns the schema inside `v.optional`. A pipe has the members of its first schema, and needs no unwrapping. */
function unwrapped(schema: v.GenericSchema): v.GenericSchema {
  return "wrapped" in schema ? unwrapped(schema.wrapped as v.GenericSchema) : schema;
}

function isObjectSchema(schema: v.GenericSchema): schema is ObjectSchema {
  return "entries" in schema;
}

function isArraySchema(schema: v.GenericSchema): schema is ArraySchema {
  return "item" in schema;
}

/** The schema of an email address in a request. It accepts and normalises addresses as the sign-in does. */
export const emailAddress = v.pipe(
  v.string(),
  v.check((text) => parseEmailAddress(text) !== undefined, "expected an email address"),
  v.transform((text) => parseEmailAddress(text) ?? ""),
);
