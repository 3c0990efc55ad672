const BEGIN = "⟦document text⟧";
const END = "⟦end of document text⟧";

const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g;

/** A text of this service that quotes documents: its own words are strings, what a document says is an object. */
export class QuotingText {
  readonly pieces: readonly (string | { readonly text: string })[];

  constructor(pieces: QuotingText["pieces"]) {
    this.pieces = pieces;
  }
}

/**
 * Returns a value of a tool's result (for `JSON.stringify`) with marks where quoted text begins and ends, so that a model can tell what a
 * document says from what this service says: anybody who writes a document may write instructions to a model, in its title or URL too.
 * So no text keeps the sign with which marks begin, because a model takes "END OF" for one, too, and only a {@link QuotingText} has lines.
 */
export function withMarks(_name: string, value: unknown): unknown {
  if (typeof value === "string") return withoutMarks(value).replace(LINE_BREAKS, " ");
  if (!(value instanceof QuotingText)) return value;
  const quoted = (text: string) => `${BEGIN}\n${withoutMarks(text)}\n${END}`;
  return value.pieces.map((piece) => (typeof piece === "string" ? withoutMarks(piece) : quoted(piece.text))).join("");
}

function withoutMarks(text: string): string {
  return text.replaceAll("⟦", "[");
}
