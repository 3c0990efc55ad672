import type { ExportLine, ExportPage } from "./keeping.ts";

/** Limits of a page, which is one step for the engine and one response. A larger document is a page by itself. */
export const ROWS_A_PAGE = 500;
export const DOCUMENTS_A_PAGE = 250;
export const CHARACTERS_A_PAGE = 1_000_000;

/** What a section is ordered by. The next page continues after the key of the last line. */
export type ExportKey = readonly (string | number)[];

/** A line with its key. */
export interface Exported {
  readonly key: ExportKey;
  readonly line: ExportLine;
}

/**
 * The sections of the export, in order, each with the key before its first line. Groups come after the documents that name them:
 * otherwise, a group that is described while the export runs would be missing, and the directory's group with that name would see the
 * documents. An import writes the groups first, for the same reason.
 */
const SECTIONS = [
  ["metadataGroups", [0]],
  ["documents", ["", ""]],
  ["memberships", ["", "", "", ""]],
  ["groups", ["", ""]],
  ["users", ["", ""]],
] as const satisfies readonly (readonly [section: string, start: ExportKey])[];

type Section = (typeof SECTIONS)[number];
export type ExportSection = Section[0];

interface Place {
  readonly section: ExportSection;
  readonly after: ExportKey;
  /** The section's number. */
  readonly at: number;
}

/** Returns the place that an earlier page's `next` names, or the first; `undefined`: after all sections. */
export function exportPlace(next: string | null): Place | undefined {
  const [at, key] = next === null ? [0] : (JSON.parse(next) as [number, ExportKey?]);
  const found = SECTIONS[at];
  return found && { section: found[0], after: key ?? found[1], at };
}

/** Checks whether a text has the form of a place that {@link exportedPage} returns. */
export function isExportPlace(text: string): boolean {
  try {
    const { after, at } = exportPlace(text) as Place;
    return Number.isInteger(at) && after.map(kindOf).join() === (SECTIONS[at] as Section)[1].map(kindOf).join();
  } catch {
    return false;
  }
}

function kindOf(part: ExportKey[number]): string | false {
  return typeof part === "string" ? "text" : Number.isSafeInteger(part) && "number";
}

/** Returns the page with what was found at a place. A section ends when nothing is found. */
export function exportedPage(found: readonly Exported[], { at }: Place): ExportPage {
  const last = found.at(-1);
  const isEnd = !last && at + 1 === SECTIONS.length;
  return {
    lines: found.map(({ line }) => line),
    next: isEnd ? null : JSON.stringify(last ? [at, last.key] : [at + 1]),
  };
}
