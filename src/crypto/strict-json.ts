/** Far more than any request needs (RFC 8259 §9). Once parsed, megabytes of brackets take thirty times their size, and a Worker has 128 MB. */
export const JSON_DEPTH_MAX = 100;

/**
 * Parses JSON of which every reader makes the same: no object names a member twice. RFC 8259 §4 leaves open which of two wins,
 * and a token that one reader takes for one thing and the next for another is an attack (RFC 7515 §4, RFC 7519 §4).
 *
 * @throws {SyntaxError} {@link RepeatedMember} and {@link NestedTooDeep} for what is JSON
 */
export function parseStrictJson(text: string): unknown {
  const isRepeated = repeatsMember(text);
  const parsed: unknown = JSON.parse(text);
  if (isRepeated) throw new RepeatedMember("an object names a member twice");
  return parsed;
}

/** The text is JSON, but an object of it names a member twice. */
export class RepeatedMember extends SyntaxError {
  override readonly name = "RepeatedMember";
}

/** The text nests deeper than {@link JSON_DEPTH_MAX}, and was read no further. */
export class NestedTooDeep extends SyntaxError {
  override readonly name = "NestedTooDeep";
}

/**
 * Goes from one structural character to the next, and over strings by the search for their end, so that a text of megabytes
 * costs little more than its parsing. What it tells of a text that is no JSON means nothing.
 *
 * @throws {NestedTooDeep} before anything is made of the text
 */
function repeatsMember(text: string): boolean {
  /** The members of each object that is open, innermost last; `null` for an array. */
  const open: (Set<string> | null)[] = [];
  /** Where the last string begins and ends, quotes included. */
  let from = 0;
  let to = 0;
  let isRepeated = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        from = at;
        at = endOfString(text, at);
        to = at + 1;
        break;
      case COLON: {
        const written = text.slice(from, to);
        const member = written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
        const members = open.at(-1);
        isRepeated ||= members?.has(member) === true;
        members?.add(member);
        // In what is no JSON, more colons may follow: the string would be read again for each.
        from = to;
        break;
      }
      case BRACE_OPEN:
      case BRACKET_OPEN:
        if (open.length === JSON_DEPTH_MAX) throw new NestedTooDeep("nested too deep");
        open.push(text.charCodeAt(at) === BRACE_OPEN ? new Set() : null);
        break;
      case BRACE_CLOSE:
      case BRACKET_CLOSE:
        open.pop();
        break;
      default:
    }
  }
  return isRepeated;
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [BRACE_OPEN, BRACE_CLOSE, BRACKET_OPEN, BRACKET_CLOSE] = [0x7b, 0x7d, 0x5b, 0x5d];

/** @returns the index of the quote that ends the string, one that an even number of backslashes precedes; the text's length if none does */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}
