import { useFrame } from "./console-frame.ts";

/** A number as the page’s language writes it: `1,234`. */
export function grouped(count: number): string {
  return count.toLocaleString(useFrame().locale.language);
}

/** A number with its noun in English, for texts that are written before their page is rendered: `1 person`, `2 people`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A number of documents that counting may have ended at: `100,000 documents or more`. */
export function countedDocuments({ count, isCapped }: { readonly count: number; readonly isCapped: boolean }): string {
  return `${counted(count, "document")}${isCapped ? " or more" : ""}`;
}
