const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Parses JSON of which every reader makes the same: no object names a member twice. RFC 8259 §4 leaves open which of two wins,
 * and a token that one reader takes for one thing and the next for another is an attack (RFC 7515 §4, RFC 7519 §4).
 *
 * @throws {SyntaxError}
 */
export function parseStrictJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (repeatsMember(text)) throw new SyntaxError("an object names a member twice");
  return parsed;
}

/** @param text valid JSON */
function repeatsMember(text: string): boolean {
  /** The members of each object that is open, innermost last; `null` for an array. */
  const open: (Set<string> | null)[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const members = open.at(-1);
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":" && members) {
      const member = JSON.parse(last) as string;
      if (members.has(member)) return true;
      members.add(member);
    }
    last = token;
  }
  return false;
}
