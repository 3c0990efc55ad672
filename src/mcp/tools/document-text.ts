const BEGIN = "⟦document text⟧";
const END = "⟦end of document text⟧";

/**
 * Marks where a document's text begins and ends, so that a model can tell what a document says from what this service says: anybody who
 * writes a document may write instructions to a model. No text keeps the sign with which marks begin: a model takes "END OF" for one, too.
 */
export function marked(text: string): string {
  return `${BEGIN}\n${text.replaceAll("⟦", "[")}\n${END}`;
}
