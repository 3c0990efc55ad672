import { unicodePattern } from "#protocol/unicode-pattern.ts";
import { wordsIn } from "./words.ts";

/** A date in a text, as `20240314`. */
export interface WrittenDate {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** The names and abbreviations of each month in the languages of search, folded. */
const MONTHS = [
  "january jan januar janner janvier enero gennaio januari janeiro",
  "february feb februar fevrier febrero febbraio februari fevereiro",
  "march mar marz mars marzo maart marco",
  "april apr avril abril aprile",
  "may mai mayo maggio mei maio",
  "june jun juni juin junio giugno junho",
  "july jul juli juillet julio luglio julho",
  "august aug aout agosto augustus",
  "september sep sept septembre septiembre settembre setembro",
  "october oct oktober okt octobre octubre ottobre outubro",
  "november nov novembre noviembre novembro",
  "december dec dezember dez decembre diciembre dicembre dezembro",
];

const MONTH_OF: ReadonlyMap<string, number> = new Map(
  MONTHS.flatMap((names, at) => names.split(" ").map((name) => [name, at + 1] as const)),
);

const IN_NUMBERS = /(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})/g;
/** What may not be next to these numbers, because they would be part of a longer number, an address or a version. */
const BEFORE = /[\d.,/-]$/;
const BEHIND = /^(?:\d|[-/.,]\d)/;

const YEAR = /(?:19|20)\d\d(?!\d)/g;
/** How many characters before a year are read: more than any day and month take. */
const BEFORE_YEAR = 26;
const DAY_AND_MONTH = unicodePattern(
  String.raw`(?:(?<!\d)(?<day>\d{1,2})(?:st|nd|rd|th|\.|º)?\s+(?:of\s+|de\s+)?(?<month>\p{L}{3,10})\.?|` +
    String.raw`(?<first>\p{L}{3,10})\.?\s+(?<second>\d{1,2})(?:st|nd|rd|th)?),?\s+(?:de\s+)?$`,
  "iu",
);

/** The most dates of one text. */
const DATES_MAX = 1000;

/**
 * Finds the dates in a text: 2024-03-14, 14.03.2024, 14/3/2024, March 14, 2024, 14. März 2024. If day and month could be in
 * either order, both readings are returned.
 */
export function datesIn(text: string): WrittenDate[] {
  const found: WrittenDate[] = [];
  const add = (days: readonly (string | null)[], start: number, end: number) => {
    for (const word of new Set(days)) if (word !== null) found.push({ word, start, end });
  };
  for (const { 0: written, 1: first = "", 2: parted, 3: second = "", 4: last = "", index } of text.matchAll(
    IN_NUMBERS,
  )) {
    if (found.length >= DATES_MAX) return found;
    const end = index + written.length;
    if (BEFORE.test(text.slice(Math.max(index - 1, 0), index)) || BEHIND.test(text.slice(end, end + 2))) continue;
    if (first.length === 4 && last.length < 3) add([dayOf(first, second, last)], index, end);
    else if (first.length < 3 && last.length === 4) {
      add([dayOf(last, second, first), parted === "." ? null : dayOf(last, first, second)], index, end);
    }
  }
  for (const { 0: year, index } of text.matchAll(YEAR)) {
    if (found.length >= DATES_MAX) break;
    const before = text.slice(Math.max(index - BEFORE_YEAR, 0), index);
    const read = DAY_AND_MONTH().exec(before);
    if (read === null) continue;
    const { day, month, first, second } = read.groups ?? {};
    const [name = ""] = wordsIn(month ?? first ?? "");
    add([dayOf(year, MONTH_OF.get(name), day ?? second)], index - before.length + read.index, index + year.length);
  }
  return found;
}

function dayOf(year = "", month: string | number = 0, day: string | number = 0): string | null {
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return null;
  return `${year}${String(month).padStart(2, "0")}${String(day).padStart(2, "0")}`;
}
