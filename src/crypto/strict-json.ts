/**
 * Parses JSON of which every reader makes the same: no object names a member twice. RFC 8259 §4 leaves open which of two wins,
 * and a token that one reader takes for one thing and the next for another is an attack (RFC 7515 §4, RFC 7519 §4).
 *
 * @throws {SyntaxError}
 */
export function parseStrictJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (repeatsMember(text)) throw new RepeatedMember("an object names a member twice");
  return parsed;
}

/** The text is JSON, but an object of it names a member twice. */
export class RepeatedMember extends SyntaxError {
  override readonly name = "RepeatedMember";
}

/**
 * Goes from one structural character to the next, and over strings by the search for their end, so that a text of megabytes
 * costs little more than its parsing.
 *
 * @param text valid JSON
 */
function repeatsMember(text: string): boolean {
  /** The members of each object that is open, innermost last; `null` for an array. */
  const open: (Set<string> | null)[] = [];
  /** Where the last string begins and ends, quotes included. */
  let from = 0;
  let to = 0;
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
        if (members?.has(member)) return true;
        members?.add(member);
        break;
      }
      case BRACE_OPEN:
        open.push(new Set());
        break;
      case BRACKET_OPEN:
        open.push(null);
        break;
      case BRACE_CLOSE:
      case BRACKET_CLOSE:
        open.pop();
        break;
      default:
    }
  }
  return false;
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [BRACE_OPEN, BRACE_CLOSE, BRACKET_OPEN, BRACKET_CLOSE] = [0x7b, 0x7d, 0x5b, 0x5d];

/** @returns the index of the quote that ends the string: one that an even number of backslashes precedes */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
}
