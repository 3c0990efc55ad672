import type { Excerpt } from "#documents/engine.ts";
import { withoutMarkdown } from "#documents/markdown.ts";
import { indexable } from "#documents/words.ts";
import { bestStretch } from "./best-stretch.ts";
import { sentenceEnd, sentenceStart, withoutHeading, wordEnd, wordStart } from "./boundaries.ts";
import { bestOf, type ExcerptTerms, hitsIn } from "./hits.ts";

const ELLIPSIS = "…";

/** Splitting longer texts into words takes too long for a page of results, so only a stretch of these is split. */
const STRETCH_PASSAGES = 16;
const STRETCH_CHARACTERS_MAX = 8000;

/**
 * Returns the passage of a text that contains the most of what is sought; the beginning if it contains nothing. The passage starts and
 * ends with a sentence if there is a boundary nearby; otherwise with a word and an ellipsis.
 *
 * @param whole as indexed, cut in scripts without spaces
 * @param characters approximate length of the passage
 */
export function excerptOf(whole: string, sought: ExcerptTerms, characters: number): Excerpt {
  const stretch = bestStretch(
    whole,
    sought,
    characters,
    Math.min(STRETCH_PASSAGES * characters, STRETCH_CHARACTERS_MAX),
  );
  const plain = withoutMarkdown(stretch);
  const { shown, hits } = hitsIn(plain === stretch ? stretch : indexable(plain), sought);
  const best = bestOf(hits, characters);
  // How far before the words their sentence may begin.
  const earliest = Math.max(0, best.start - Math.max(characters - (best.end - best.start), 0));
  const sentence = sentenceStart(shown, earliest, best.start);
  const start = sentence >= 0 ? sentence : wordStart(shown, Math.max(0, best.start - Math.floor(characters / 8)));
  const least = Math.max(best.end, start + Math.floor(characters / 2));
  const last = sentenceEnd(shown, least, start + characters);
  const end =
    last >= 0 ? Math.min(last, least + withoutHeading(shown.slice(least, last))) : wordEnd(shown, start + characters);
  const lead = sentence >= 0 ? "" : ELLIPSIS;
  const ranges: [number, number][] = [];
  for (const hit of hits) {
    if (hit.start < start || hit.end > end) continue;
    const at = [hit.start - start + lead.length, hit.end - start + lead.length] as [number, number];
    const before = ranges.at(-1);
    // Words of one phrase, and characters of one word, become one range.
    if (before && before[1] >= at[0]) before[1] = Math.max(before[1], at[1]);
    else ranges.push(at);
  }
  return { text: lead + shown.slice(start, end) + (last >= 0 ? "" : ELLIPSIS), ranges };
}

const HEADING = /^[\s#]*/;
const BEHIND_HEADING = /^[ \t]*(?:[#=*_ \t-]*\n|[.:–—|-]+\s)\s*/;

/** Removes the title that a text may start with, because readers see it above the text. */
export function withoutTitle(text: string, title: string): string {
  const from = HEADING.exec(text.slice(0, 100))?.[0].length ?? 0;
  const until = from + title.length;
  if (title === "" || text.slice(from, until).toLowerCase() !== title.toLowerCase()) return text;
  const behind = BEHIND_HEADING.exec(text.slice(until, until + 200))?.[0].length ?? 0;
  return behind > 0 && until + behind < text.length ? text.slice(until + behind) : text;
}
