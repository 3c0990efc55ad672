import { indexable, readable } from "./words.ts";

/** A heading of a source as its text has it, and the fragment of the source's URL that opens its section. */
export interface Heading {
  readonly text: string;
  readonly fragment: string;
}

/** Where sections begin in a text as people read it, in order. */
export type Anchors = readonly (readonly [start: number, fragment: string])[];

/** Enough for a long reference; its texts stay far below the size of a row. */
export const HEADINGS_MAX = 300;
const FRAGMENT = /^[^\s"'<>]{1,100}$/;

/** How many headings may be missing in the text, because they are in parts that are left out. */
const LEFT_OUT_MAX = 20;

/** Finds the sections of a text as it is indexed. @returns JSON of {@link Anchors}; `null`: it has none */
export function anchorsOf(body: string, headings: readonly Heading[]): string | null {
  const sought = headings
    .filter(({ fragment }) => FRAGMENT.test(fragment))
    .slice(0, HEADINGS_MAX)
    .map(({ text, fragment }) => ({ line: readable(indexable(text)), fragment }));
  const anchors: [number, string][] = [];
  let from = 0;
  let start = 0;
  for (const line of sought.length === 0 ? [] : readable(body).split("\n")) {
    const text = line.trim();
    const at = sought.slice(from, from + LEFT_OUT_MAX).findIndex((heading) => heading.line === text);
    const found = sought[from + at];
    if (at >= 0 && found) {
      anchors.push([start, found.fragment]);
      from += at + 1;
    }
    start += line.length + 1;
  }
  return anchors.length === 0 ? null : JSON.stringify(anchors);
}

/** How much of a passage is looked for, to find where it begins: its first line, which nothing is joined to. */
const PROBE_CHARACTERS = 60;

/** Returns the fragment of the section in which a passage of a text begins; `null`: none is known. */
export function sectionOf(text: string, anchors: Anchors, passage: string): string | null {
  if (anchors.length === 0) return null;
  const [line = ""] = passage.replace(/^…/, "").split("\n");
  const probe = line.slice(0, PROBE_CHARACTERS).replace(/…$/, "").trim();
  const at = probe === "" ? -1 : text.indexOf(probe);
  return at < 0 ? null : (anchors.findLast(([start]) => start <= at)?.[1] ?? null);
}

/** Returns the URL of a section. A URL that names another section stays. */
export function urlOfSection(url: string, section: string | null | undefined): string {
  return section == null || url.includes("#") ? url : `${url}#${encodeURIComponent(section)}`;
}
