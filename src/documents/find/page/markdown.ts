/** Signs of Markdown, which many sources send as typed, and of HTML within it. */
const MARKUP =
  /\*\*|^ {0,3}#{1,6} |\]\(|^ {0,8}(?:`{3}|~{3})|^[ \t]{0,8}\|?[ \t]{0,8}:?-{3}|&(?:nbsp|amp|lt|gt|quot);|<[!/a-z]/m;

const TAG = new RegExp(
  `</?(?:a|b|br|center|code|details|div|em|h[1-6]|i|img|kbd|li|ol|p|picture|pre|source|span|strong|sub|summary|sup|t[dhr]|table|ul)` +
    String.raw`(?:\s[^<>]{0,500})?/?>`,
  "g",
);

/**
 * Signs, and what remains of each. A row of dashes is a rule or part of a table. All repetitions are limited, because anybody may write
 * a long line of signs.
 */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/^ {0,3}#{1,6} +/gm, ""],
  [/^ {0,8}(?:`{3}|~{3})[\w-]{0,40}[ \t]{0,8}$\n?/gm, ""],
  [/^[ \t]{0,8}\|?[ \t]{0,8}:?-{3}[-:| \t]*$\n?/gm, ""],
  [/^ {0,3}\[[^[\]\n]{1,200}\]: \S{1,500}[^\n]{0,200}$\n?/gm, ""],
  [/<!--[^]{0,500}?-->/g, ""],
  [/!\[(?<text>[^[\]\n]{0,200})\]\[[^[\]\n]{0,100}\]/g, "$<text>"],
  [/\[(?<text>[^[\]\n]{0,200})\]\[[A-Za-z][^[\]\n]{1,100}\]/g, "$<text>"],
  [/!?\[(?<text>[^[\]\n]{0,200})\]\([^()\s]{0,500}(?:[ \t]"[^"\n]{0,200}")?\)/g, "$<text>"],
  [/\*\*(?=[^\s*])(?<text>[^*\n]{1,300}?)(?<=[^\s*])\*\*/g, "$<text>"],
  [TAG, " "],
  [/&nbsp;/g, " "],
  [/&lt;/g, "<"],
  [/&gt;/g, ">"],
  [/&quot;/g, '"'],
  [/&amp;/g, "&"],
];

/** Returns a text as a reader of its source sees it. What only looks like Markdown, as code may, mostly stays. */
export function withoutMarkdown(text: string): string {
  if (!MARKUP.test(text)) return text;
  return SIGNS.reduce((plain, [sign, left]) => plain.replace(sign, left), text);
}
