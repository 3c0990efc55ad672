import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Phrases that read like a translation, and what to write instead. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/\bwhom it\b|\bwhom they\b|\bas whom\b/i, "name who it is: “the trusted issuers”"],
  [/\bwhoever\b/i, "people who, anybody who"],
  [/\bwho has never \w+ \w+ is\b/i, "for people who have never …"],
  [/\bwhat is no\b|\bwhat is otherwise\b|\bis otherwise than\b/i, "anything else, or say what is wrong"],
  [/\bwants to be\b|\bof (?:its|their) own accord\b/i, "must be; automatically"],
  [/\bMind:/i, "Warning:"],
  [/\bputs? (?:it )?away\b|\bput it away\b/i, "save"],
  [/\bmend(?:s|ed)?\b/i, "fix"],
  [/\banew\b/i, "again"],
  [/\btakes? (?:that|it|them|this) back\b|\ba setting back\b/i, "undo, reset"],
  [/\bends? with [01],? (?:or|and|where)\b/i, "exits 0, exits 1"],
  [/\bholds? everywhere\b/i, "takes effect within 10 seconds"],
  [/\bone a line\b/i, "one per line"],
  [/\bis told of\b|\btold of as\b/i, "this shows"],
  [/\b(?:lets?|sign) nobody in\b|\bsign anybody in\b/i, "is refused; can’t sign people in"],
  [/\bknown here\b|\bmade known\b/i, "has signed in; is created"],
  [/\bnone fits\b|\bis like that\b|\baccess like that\b/i, "no matching …"],
  [/\bsits? before\b|\bin front of it\b.*\bperson who\b/i, "the signed-in user"],
  [/\bcannot go on\b|\bdid not go on\b/i, "can’t continue"],
  [/\bfor want of\b|\ball the same\b/i, "because … is missing; anyway"],
  [/\bwhat stands in front\b|\bwhat it rests on\b/i, "proxies; infrastructure"],
  [/\bmay be in wrong hands\b/i, "may be compromised"],
  [/\bspelt as\b/i, "exactly as"],
  [/\bcome by\b|\bcame by\b/i, "created through"],
  [/\bholds? at (?:once|the next)\b/i, "takes effect at"],
  [/\beverything of (?:the person|a person|theirs)\b/i, "all of the person’s access"],
  [/\bgood once\b/i, "works once"],
  [/\bfor good\b/i, "permanently"],
  [/\bunless you say otherwise\b|\bif you don[’']t say\b/i, "by default"],
  [/\b(?:came|come|comes) of (?:\d+|it|theirs)\b/i, "descends from"],
  [/\bto go on, /i, "to continue"],
  [/\bgo(?:es)? on (?:when|if) you\b/i, "continues if you"],
  [/\bdear(?:er|est)?\b/i, "expensive, slow"],
  [/\bbelongs? into\b/i, "belongs in"],
  [/\b(?:tells?|told|telling) of\b/i, "says, reports, reveals"],
  [/\banswered alike\b/i, "gets the same response"],
  [/\bin silence\b/i, "without asking"],
  [/(?:^|[.:] |\*\* )Beside /, "Besides; in addition to"],
  [/\b(?:rows|entries) go\b/i, "are deleted"],
  [/\ba (?:person|network|user|group|instance) and (?:hour|minute|day)\b/i, "per person and hour"],
  [/\bis no (?:mistake|failure)\b/i, "isn’t an error"],
  [/\bby a bound\b/i, "up to a limit"],
  [/[\d×] by run\b/, "in different runs"],
  [/\bbeside (?:other work|a \w+ation|reading|\d)/i, "with other work; in addition to"],
  [/\bof one[’']s own\b/i, "your own"],
  [/\bnobody of that name\b/i, "no such person"],
  [/\bplays (?:the|your) (?:organisation|sign-in)/i, "stands in for"],
  [/\bgone on meanwhile\b|\bended meanwhile\b/i, "has continued; has ended in the meantime"],
  [/\bcame to lie\b|\bcomes? to lie\b/i, "is placed"],
  [/\btakes? \w+ away\?/i, "remove"],
  [/\b(?:answers?|consents?) (?:is|are) remembered\b|\bremembered consents?\b/i, "people are asked with each request"],
];

/** Guides and READMEs, without recorded sessions, which quote what hosts and the service sent. */
const guides = globSync("{*.md,docs/**/*.md,schema/*.md,src/**/README.md,clients/**/README.md}").filter(
  (path) => !/sessions/.test(path),
);

/** Source files whose strings people read: pages and messages. */
const code = globSync("{src,scripts}/**/*.{ts,tsx}").filter((path) => !path.endsWith("stop-words.ts"));

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, "")).replace(/(^|\s)\/\/.*$/gm, "$1");
}

function phrasesIn(path: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) =>
    INSTEAD.flatMap(([phrase, instead]) => {
      const found = phrase.exec(line)?.[0];
      return found === undefined ? [] : [`${path}:${index + 1}: “${found}”; write: ${instead}`];
    }),
  );
}

describe("the words of guides, pages and messages", () => {
  it("are plain English in every guide", () => {
    expect(guides.length).toBeGreaterThan(50);
    expect(guides.flatMap((path) => phrasesIn(path, readFileSync(path, "utf8")))).toEqual([]);
  });

  it("are plain English on every page and in every message", () => {
    expect(code.length).toBeGreaterThan(400);
    expect(code.flatMap((path) => phrasesIn(path, withoutComments(readFileSync(path, "utf8"))))).toEqual([]);
  });

  it("are checked for listed phrases everywhere but in comments of the code", () => {
    expect(phrasesIn("page", "Mend what is marked.")).toHaveLength(1);
    expect(phrasesIn("page", withoutComments('/** Whoever\n * mends it. */ const a = "fix"; // anew'))).toEqual([]);
  });
});
