import type { ExportLine, ExportPage } from "./keeping.ts";

/** A page is one step for the engine, and one answer. A document that is larger is a page. */
export const ROWS_A_PAGE = 500;
export const DOCUMENTS_A_PAGE = 250;
export const CHARACTERS_A_PAGE = 1_000_000;

/** What a section is ordered by: of its last line, where the next page goes on. */
export type ExportKey = readonly (string | number)[];

/** A line with its key. */
export interface Exported {
  readonly key: ExportKey;
  readonly line: ExportLine;
}

/**
 * What stands in the export, in this order, and the key before each section's first line. Groups come after the documents that name
 * them: a group that is described while the export runs would otherwise be missing, and the directory's group of that name would
 * see the documents. An import writes the groups first, for the same reason.
 */
const SECTIONS = [
  ["metadataGroups", [0]],
  ["documents", [0]],
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

/** The place that an earlier page's `next` names, or the first; `undefined` behind all sections. */
export function exportPlace(next: string | null): Place | undefined {
  const [at, key] = next === null ? [0] : (JSON.parse(next) as [number, ExportKey?]);
  const found = SECTIONS[at];
  return found && { section: found[0], after: key ?? found[1], at };
}

/** Whether a text has the form of what {@link exportedPage} gives as the place of the next page. */
export function isExportPlace(text: string): boolean {
  try {
    const { after, at } = exportPlace(text) as Place;
    return Number.isInteger(at) && after.map(kindOf).join() === (SECTIONS[at] as Section)[1].map(kindOf).join();
  } catch {
    return false;
  }
}

function kindOf(part: ExportKey[number]): string | false {
  // PostgreSQL has no text with NUL.
  return typeof part === "string" ? !part.includes("\0") && "text" : Number.isSafeInteger(part) && "number";
}

/** The page of what was found at a place. A section has ended where nothing was found. */
export function exportedPage(found: readonly Exported[], { at }: Place): ExportPage {
  const last = found.at(-1);
  const isEnd = !last && at + 1 === SECTIONS.length;
  return {
    lines: found.map(({ line }) => line),
    next: isEnd ? null : JSON.stringify(last ? [at, last.key] : [at + 1]),
  };
}
