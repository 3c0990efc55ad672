import type { Author } from "../source.ts";

/** What was read of a file. */
export interface Extracted {
  /** Plain text by default. */
  readonly mimeType?: "text/markdown";
  /** In their order. A long file becomes several documents, which begin with a section. */
  readonly sections: readonly Section[];
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly author?: Author | undefined;
  readonly createdAt?: number | undefined;
  readonly updatedAt?: number | undefined;
}

export interface Section {
  /** Its heading, `page 4`, or the name of a sheet. */
  readonly label?: string | undefined;
  readonly text: string;
  /** Whether it is a document of its own, even if it is short. */
  readonly isAlone?: boolean;
}

/** Returns a time in epoch seconds; `undefined` if it is none, or not one that documents can have. */
export function secondsOf(time: unknown): number | undefined {
  if (typeof time !== "string" && !(time instanceof Date)) return undefined;
  const seconds = Math.floor(new Date(time).getTime() / 1000);
  return seconds > 0 && seconds < 253_402_300_800 ? seconds : undefined;
}

/** Returns an email address that the service accepts; `undefined` if it is none, which must not keep a file from being pushed. */
export function addressOf(written: unknown): string | undefined {
  const isAddress =
    typeof written === "string" && /^[^\s@<>"\p{C}]{1,64}@[^\s@<>"\p{C}]{1,200}\.[a-z]{2,50}$/iu.test(written);
  return isAddress ? written : undefined;
}

/** Returns a text without white space around it; `undefined` if nothing is left. */
export function wordsOf(text: unknown): string | undefined {
  return typeof text === "string" && text.trim() !== "" ? text.replaceAll(/\s+/g, " ").trim() : undefined;
}
