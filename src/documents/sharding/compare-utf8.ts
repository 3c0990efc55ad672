/** Compares texts as SQLite orders them: by their bytes in UTF-8, which is the order of their code points. */
export function compareUtf8(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at++) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (left === right) continue;
    // Half of a pair stands for a code point above all others, although some single units are greater.
    const isPair = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
    return isPair(left) === isPair(right) ? left - right : isPair(left) ? 1 : -1;
  }
  return one.length - other.length;
}
