/**
 * Returns a function that makes a regular expression with Unicode classes (`\p{…}`) when it is first needed. Write the source
 * with `String.raw`.
 *
 * V8 parses every regular expression literal when a script is loaded, used or not, and each of these classes stands for hundreds
 * of ranges. As literals, they would take most of a Worker's start-up time (docs/performance.md).
 */
export function unicodePattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => (pattern ??= new RegExp(source, flags));
}
