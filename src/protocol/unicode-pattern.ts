/**
 * A regular expression with classes of Unicode (`\p{…}`), made when first asked for. Write it with `String.raw`.
 *
 * V8 reads every literal when a script is loaded, used or not, and each of these classes stands for hundreds of ranges: as literals
 * they would be most of what a Worker does at its start (docs/performance.md).
 */
export function unicodePattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => (pattern ??= new RegExp(source, flags));
}
