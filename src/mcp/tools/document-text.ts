const BEGIN = "⟦document text⟧";
const END = "⟦end of document text⟧";

/** The same marks in a document would end its text early. */
const FORGED = /⟦(?=(?:end of )?document text⟧)/g;

/**
 * Marks where a document's text begins and ends, so that a model can tell what a document says from what this service says: anybody who
 * writes a document may write instructions to a model.
 */
export function marked(text: string): string {
  return `${BEGIN}\n${text.replace(FORGED, "[")}\n${END}`;
}
