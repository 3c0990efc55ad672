/** Characters that Unicode's normal form turns into ASCII: KELVIN SIGN into K, and two Greek marks into ; and `. */
export const LIKE_ASCII = /[\u212a\u037e\u1fef]/u;

/** Printable ASCII, as most names are: lower case is all of the folding that they need. */
const PLAIN = /^[ -~]*$/;

const RUNS = /[\u212a\u037e\u1fef]|[^\u212a\u037e\u1fef]+/gu;

/**
 * Returns the form of a name that all of its spellings share, for names that decide about trust: emails and their domains,
 * groups, datasources. Applies Unicode NFC and simple case folding (CaseFolding.txt, C and S), letter by letter, and nothing that
 * leads from one script into another. Otherwise, whoever may choose names in one system could become somebody else, or a member
 * of something, in another. The Kelvin sign does not become k, İ not i, ſ not s and ﬁ not fi.
 */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  return name.replace(RUNS, (run) =>
    LIKE_ASCII.test(run) ? run : run.normalize("NFC").replace(/./gsu, foldLetter).normalize("NFC"),
  );
}

function foldLetter(letter: string): string {
  if (letter === "ς") return "σ";
  const folded = letter.toLowerCase();
  return folded.length === letter.length ? folded : letter;
}

/**
 * Returns the form of a field's name or value that people mean when they filter by it, however they type it: Unicode NFKC and
 * lower case. Never use it to decide who may see what.
 */
export function foldTerm(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}
