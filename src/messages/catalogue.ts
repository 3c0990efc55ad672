/** The console's texts in a language other than English, by the English text, as stored in their file. */
export interface Catalogue {
  /** In a key, `{0}` stands for the first value, and `{0|person|people}` for a number with its noun. */
  readonly texts: Readonly<Record<string, string>>;
  /** Texts that other rooms fill in before the console gets them. They are recognised by the words around their values. */
  readonly sentences: Readonly<Record<string, string>>;
}

/** A number with its noun, as a value of a text: `1 person`, `2 people`. */
interface Counted {
  readonly count: number;
  readonly one: string;
  readonly many: string;
}

export function counted(count: number, one: string, many = `${one}s`): Counted {
  return { count, one, many };
}

type Plain = string | number | Counted;

/**
 * The tag of a text of the console. The English text is where it is used, and is the key of its translations. With an element among its
 * values, a text is a list of nodes.
 */
export interface Translate {
  (english: TemplateStringsArray, ...values: readonly Plain[]): string;
  <Node>(english: TemplateStringsArray, ...values: readonly (Plain | Node)[]): (string | Node)[];
}

/** The texts of the console in a language. */
export interface Words {
  readonly t: Translate;
  /** Returns a text from another room in the page's language; as it is, if the catalogue doesn't have it. */
  readonly known: (english: string) => string;
}

/** A longer text isn't looked up by its words, so that looking costs little. */
const LOOKED_UP_MAX = 600;

const PLACE = /\{(\d+)(?:\|([^|}]*)\|([^|}]*))?\}/g;

/** Returns the words of a language. A text that the catalogue lacks is in English. */
export function wordsOf(language: string, { texts, sentences }: Catalogue): Words {
  const longestFirst = Object.entries(sentences).sort(([one], [other]) => other.length - one.length);
  const patterns = longestFirst.map(([key, own]) => ({ key, form: formOf(key), own }));
  const textOf = (english: string) => (Object.hasOwn(texts, english) ? texts[english] : undefined);
  const t = (english: TemplateStringsArray, ...values: readonly unknown[]) => {
    const key = english.reduce((text, next, at) => text + placeOf(at - 1, values[at - 1]) + next);
    return filled(language, textOf(key) ?? key, values);
  };
  const known = (english: string): string => {
    const text = textOf(english);
    if (text !== undefined || english.length > LOOKED_UP_MAX) return text ?? english;
    for (const { key, form, own: sentence } of patterns) {
      const [, ...values] = form.exec(english) ?? [];
      if (values.length === 0) continue;
      const shownValues = values.map((value, at) => (key.includes(`“{${at}}”`) ? value : knownPhrase(value)));
      return String(filled(language, sentence, shownValues));
    }
    return english;
  };
  // A name that somebody chose, which has quotation marks or is one word, is left as it is, even if it is a phrase of ours.
  const knownPhrase = (value: string) => (/^[“\da-z].* /s.test(value) ? known(value) : value);
  return { t: t as Translate, known };
}

function isCounted(value: unknown): value is Counted {
  return typeof value === "object" && value !== null && "many" in value;
}

function placeOf(index: number, value: unknown): string {
  return isCounted(value) ? `{${index}|${value.one}|${value.many}}` : `{${index}}`;
}

/** Returns a text with its values inserted: as one string, or as nodes if a value is an element. */
function filled(language: string, text: string, values: readonly unknown[]): unknown {
  const parts: unknown[] = [];
  let end = 0;
  for (const { 0: place, 1: index, 2: one, 3: many, index: start } of text.matchAll(PLACE)) {
    parts.push(text.slice(end, start), shown(language, values[Number(index)], one, many));
    end = start + place.length;
  }
  parts.push(text.slice(end));
  return parts.every((part) => typeof part === "string") ? parts.join("") : parts;
}

function shown(language: string, value: unknown, one: string | undefined, many: string | undefined): unknown {
  if (one !== undefined) {
    const count = isCounted(value) ? value.count : Number(String(value).replaceAll(",", ""));
    return `${count.toLocaleString(language)} ${count === 1 ? one : many}`;
  }
  return typeof value === "number" ? value.toLocaleString(language) : value;
}

/** A value. It ends outside quotation marks, so that a name that somebody chose can't be taken for the words around it. */
const VALUE = "((?:“[^”]*”|[^“”])*)";

/** Returns the form of a text that was filled in. */
function formOf(english: string): RegExp {
  const escaped = english.replaceAll(/[$()*+./?[\\\]^]/g, String.raw`\$&`);
  return new RegExp(
    `^${escaped.replaceAll(PLACE, (_, __, one?: string, many?: string) => (one === undefined ? VALUE : `([\\d,]+) (?:${one}|${many})`))}$`,
    "s",
  );
}
