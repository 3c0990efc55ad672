/** A number with commas: `1,234`. */
export function grouped(count: number): string {
  return count.toLocaleString("en");
}

/** A number with its noun: `1 person`, `2 people`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
