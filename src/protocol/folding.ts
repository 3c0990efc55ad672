/**
 * The name of a group as all of its spellings share it: Unicode NFC and lower case, and no more. Letters that merely look alike
 * stay apart: whoever may name groups in one system would else make members of another system's group. The directory's groups
 * and those of documents, memberships and datasources fold with this; a name that one side folds further is a group that nobody
 * is in.
 */
export function foldGroupName(name: string): string {
  return name.normalize("NFC").toLowerCase().normalize("NFC");
}

/**
 * A field's name or value as people who filter by it mean it, whichever form they type: Unicode NFKC and lower case. Nothing that
 * decides who may see what compares by this.
 */
export function foldTerm(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}
