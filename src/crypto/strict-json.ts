/** Maximum depth of JSON: far more than any request needs (RFC 8259 §9). */
const JSON_DEPTH_MAX = 100;

/**
 * Maximum number of objects, arrays and members of objects. Megabytes of them take fifteen times their size once parsed, and a
 * Worker has 128 MB. A text of 8 MiB stays within the limit if each object has an email address of 15 characters, as in a page of
 * documents with long lists of users.
 */
const JSON_PARTS_MAX = 600_000;

/**
 * Parses JSON that every reader understands in the same way: no object names a member twice. RFC 8259 §4 leaves open which of two
 * wins, and a token that means one thing to one reader and another to the next is an attack (RFC 7515 §4, RFC 7519 §4).
 *
 * @param isCaseless whether names that differ only by case are the same, as in SCIM (RFC 7643 §2.1)
 * @throws {SyntaxError} if it is not JSON; {@link RepeatedMember} and {@link TooComplex} for JSON that is not accepted
 */
export function parseStrictJson(text: string, isCaseless = false): unknown {
  const { colons, containers } = measure(text);
  if (colons + containers > JSON_PARTS_MAX) {
    throw new TooComplex(`has more than ${JSON_PARTS_MAX} objects, arrays and members`);
  }
  const parsed: unknown = JSON.parse(text);
  // Of members with the same name, the parser keeps the last.
  if (countMembers(parsed, isCaseless) < colons) throw new RepeatedMember("an object names a member twice");
  return parsed;
}

/**
 * Requires that a JSON text has few parts, before it is parsed: objects, arrays, and their members and elements. An array of empty
 * arrays takes ten times its size once parsed.
 *
 * @throws {TooComplex} if it has more, or nests too deep
 */
export function requireFewParts(text: string, partsMax: number): void {
  const { containers, commas } = measure(text);
  if (containers + commas > partsMax) throw new TooComplex(`has more than ${partsMax} parts`);
}

/** The text is JSON, but an object in it names a member twice. */
export class RepeatedMember extends SyntaxError {
  override readonly name = "RepeatedMember";
}

/** The text is too deep or has too many parts, and was not parsed. The message says what the limit is. */
export class TooComplex extends SyntaxError {
  override readonly name = "TooComplex";
}

/** What a JSON text has outside its strings: a colon for each member, a comma between two members or elements. */
interface Measure {
  readonly colons: number;
  readonly commas: number;
  /** Objects and arrays. */
  readonly containers: number;
}

/**
 * Measures a JSON text. It skips strings by searching for their ends, so that even megabytes take little time in addition to parsing.
 * For a text that is not JSON, the result means nothing.
 *
 * @throws {TooComplex} if it nests too deep
 */
function measure(text: string): Measure {
  let colons = 0;
  let commas = 0;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COLON:
        colons += 1;
        break;
      case COMMA:
        commas += 1;
        break;
      case BRACE_OPEN:
      case BRACKET_OPEN:
        depth += 1;
        containers += 1;
        if (depth > JSON_DEPTH_MAX) throw new TooComplex(`nests deeper than ${JSON_DEPTH_MAX} levels`);
        break;
      case BRACE_CLOSE:
      case BRACKET_CLOSE:
        depth -= 1;
        break;
      default:
    }
  }
  return { colons, commas, containers };
}

/** Counts the members of objects in parsed JSON. If names are caseless, members that differ only by case count once. */
function countMembers(parsed: unknown, isCaseless: boolean): number {
  if (typeof parsed !== "object" || parsed === null) return 0;
  let count = 0;
  if (Array.isArray(parsed)) {
    for (const element of parsed) count += countMembers(element, isCaseless);
  } else {
    const members = parsed as Readonly<Record<string, unknown>>;
    for (const name in members) count += 1 + countMembers(members[name], isCaseless);
    if (isCaseless) {
      const names = Object.keys(members).map((name) => name.toLowerCase());
      count -= names.length - new Set(names).size;
    }
  }
  return count;
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [BRACE_OPEN, BRACE_CLOSE, BRACKET_OPEN, BRACKET_CLOSE] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Finds the end of a string.
 *
 * @returns the index of the closing quote, which has an even number of backslashes before it; the text's length if there is none
 */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}
