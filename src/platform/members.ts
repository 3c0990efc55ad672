import * as v from "valibot";

/** Something in a request that was taken and not used. */
export interface Warning {
  /** The member, such as `documents[3].container`. */
  readonly path: string;
  readonly message: string;
}

const NOT_USED = "This service does not use it";
const UNKNOWN = "There is no such member; it was ignored";

/** A member that clients of the family send and this service does not use: accepted, with a warning. */
export const unused = v.optional(v.unknown());

/**
 * An object that has these members and no others: an unknown one is a mistake whose silence could hide or show documents, so it
 * is refused by name.
 */
export function closed<const Entries extends v.ObjectEntries>(entries: Entries) {
  const known = Object.keys(entries).filter((name) => entries[name] !== unused);
  return v.strictObject(entries, ({ expected, received }) => {
    return expected === "never"
      ? `there is no such member; there are ${known.join(", ")}`
      : `expected ${expected} but received ${received}`;
  });
}

/** Which member is wrong and what it should be, in words for the caller. @param at what is read */
export function describeIssue(issue: v.BaseIssue<unknown>, at: string, prefix = ""): string {
  const path = v.getDotPath(issue);
  const member = path === null ? at : prefix + path;
  return isMissing(issue) ? `${member} is missing` : `${member} is not acceptable: ${problemOf(issue)}`;
}

/** What is wrong with a member, in words that fit behind its name; valibot's own texts are for the schema's author. */
export function problemOf({ message }: v.BaseIssue<unknown>): string {
  const [, kind = "", expectation, received] = /^Invalid (\w+): (?:Expected (.*)|(Received .*))$/s.exec(message) ?? [];
  if (received !== undefined) return `expected ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind} but r${received.slice(1)}`;
  if (expectation === undefined) return message;
  return kind === "length" || kind === "value" ? `expected a ${kind} of ${expectation}` : `expected ${expectation}`;
}

/** An object says of a member that it lacks: expected its name, in quotes. */
function isMissing({ type, expected, received }: v.BaseIssue<unknown>): boolean {
  return type.endsWith("object") && received === "undefined" && expected?.startsWith('"') === true;
}

/** The rest says the same of other members. */
export const WARNINGS_MAX = 100;

/**
 * What a request holds that is not used: members marked {@link unused}, and those that an open object (`v.object`) does not know.
 *
 * @param at the path of the input, empty for the request itself
 * @param found what was found before, at most {@link WARNINGS_MAX}: a request may hold more than memory does
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
      if (entry === undefined || entry === unused) found.push({ path, message: entry ? NOT_USED : UNKNOWN });
      else warningsOf(entry, (input as Readonly<Record<string, unknown>>)[name], path, found);
    }
  }
  return found;
}

type ObjectSchema = v.GenericSchema & { readonly entries: v.ObjectEntries };
type ArraySchema = v.GenericSchema & { readonly item: v.GenericSchema };

/** What stands inside `v.optional`; a pipe is its first schema with more behind it, and needs nothing. */
function unwrapped(schema: v.GenericSchema): v.GenericSchema {
  return "wrapped" in schema ? unwrapped(schema.wrapped as v.GenericSchema) : schema;
}

function isObjectSchema(schema: v.GenericSchema): schema is ObjectSchema {
  return "entries" in schema;
}

function isArraySchema(schema: v.GenericSchema): schema is ArraySchema {
  return "item" in schema;
}
