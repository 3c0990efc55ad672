/** Returns an expression for the stored entries of an instance; NULL: nobody has entered any. @param instance an expression for its id */
export function storedEntries(instance: string): string {
  return `(SELECT entries FROM glossaries WHERE instance_id = ${instance})`;
}
