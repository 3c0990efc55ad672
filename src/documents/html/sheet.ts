import type { Attributes } from "./markup.ts";

/** What rules and attributes say about an element, by property. */
export type Declarations = ReadonlyMap<string, string>;

/** The properties that can hide text or show it again. Others aren't read. */
const PROPERTIES = new Set(
  (
    "display visibility opacity color background background-color background-image -webkit-text-fill-color font font-size text-indent position left " +
    "top right bottom margin margin-left margin-top width height max-width max-height overflow overflow-x overflow-y clip clip-path " +
    "transform scale filter content-visibility animation animation-name"
  ).split(" "),
);

const NONE: Declarations = new Map();

/** Characters of a value that are read. Patterns that read numbers take time by the square of these. */
export const VALUE_CHARACTERS_MAX = 200;

/** Reads the declarations of a `style` attribute or a rule. */
export function declarationsIn(css: string): Declarations {
  const plain = css
    .replace(/\/\*[^]*?(?:\*\/|$)/g, " ")
    .replace(/\\([\da-f]{1,6})\s?|\\([^])/gi, (_, code?: string, character = "") =>
      code === undefined ? character : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
    );
  const found = new Map<string, string>();
  for (const declaration of plain.split(";")) {
    const colon = declaration.indexOf(":");
    const property = declaration.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (PROPERTIES.has(property))
      addTo(
        found,
        property,
        declaration
          .slice(colon + 1)
          .trim()
          .slice(0, VALUE_CHARACTERS_MAX)
          .toLowerCase(),
      );
  }
  return found;
}

const IMPORTANT = /\s*!\s*important$/;

/** Adds a declaration that comes after those that are there. */
function addTo(found: Map<string, string>, property: string, value: string): void {
  if (!IMPORTANT.test(found.get(property) ?? "") || IMPORTANT.test(value)) {
    // What comes last counts most.
    found.delete(property);
    found.set(property, value);
  }
}

/** One tag, id or classes, without anything that depends on other elements: `p.note`, `#intro`. */
const SIMPLE = /^(?:[a-z][a-z\d-]*|\*)?(?:[.#][\w-]+)*$/i;
const KEY = /^[a-z][a-z\d-]*|[.#][\w-]+/gi;

/** What only a pointer or a keyboard shows. */
const BY_READER = /:(?:hover|focus|active|target)/i;

/** Values that hide. A rule with one of these doesn't show what another rule hides. */
const HIDING = /^(?:none|hidden|collapse|0)/;

/** The most classes of an element that are looked up, and the most rules for a class that need something else as well. */
const CLASSES_MAX = 30;
const RULES_MAX = 20;
const KEYS_MAX = 10;

interface Rule {
  readonly keys: readonly string[];
  readonly declarations: Declarations;
}

/**
 * The rules of a page's own `style` elements, as far as a single element shows whether they apply. A property is ignored if a rule that
 * isn't understood may set it as well: rather than lose text that people see, the index has text that they don't.
 */
export class Sheet {
  readonly #byKey = new Map<string, Map<string, string>>();
  readonly #byTwo = new Map<string, Rule[]>();
  readonly #doubts = new Set<string>();

  /** Adds the rules of a `style` element. */
  add(css: string): void {
    const plain = css.replace(/\/\*[^]*?(?:\*\/|$)|<!--|-->/g, " ");
    // A string without an end ends with its line.
    this.#read(plain.replace(/"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?/g, "''"));
  }

  /** Reads rules up to the end, or to the end of the block that they are in. */
  #read(css: string): void {
    // Whether the blocks that contain a rule surely apply: `@media screen`, but no `@media (min-width: 40em)`.
    const blocks: ("sure" | "unsure" | "ignored")[] = [];
    let from = 0;
    for (const { 0: sign, index } of css.matchAll(/[{}]/g)) {
      const before = css.slice(from, index);
      from = index + 1;
      const head = before.slice(before.lastIndexOf(";") + 1).trim();
      const outer = blocks.at(-1) ?? "sure";
      if (sign === "{") {
        const isMedia = /^@(?:media|supports|layer|container)/i.test(head);
        const isSure = /^@(?:media\s+(?:only\s+)?(?:all|screen)|layer[^,]*)$/i.test(head);
        const kind = isSure ? "sure" : isMedia && !/^@media\s+(?:only\s+)?print/i.test(head) ? "unsure" : "ignored";
        if (head.startsWith("@")) blocks.push(outer === "sure" ? kind : outer);
        else {
          // A rule within a rule depends on both.
          blocks.push(this.#selectors === "" ? outer : "ignored");
          this.#selectors = head;
        }
      } else {
        blocks.pop();
        if (this.#selectors !== "" && outer !== "ignored") {
          this.#addRule(this.#selectors, declarationsIn(before), outer === "sure");
        }
        this.#selectors = "";
      }
    }
  }

  #selectors = "";

  #addRule(selectors: string, declarations: Declarations, isSure: boolean): void {
    if (declarations.size === 0) return;
    for (const written of selectors.split(",")) {
      const selector = written.trim();
      const last = selector.split(/[\s>+~]/).at(-1) ?? "";
      const keys = (last.replace(/:.*/s, "").match(KEY) ?? []).map((key) => key.toLowerCase());
      const [key = "*"] = keys.slice(-1);
      if (!isSure || !SIMPLE.test(selector)) {
        if (!BY_READER.test(selector)) this.#doubt(keys, declarations);
      } else if (keys.length <= 1) {
        const known = this.#byKey.get(key) ?? new Map<string, string>();
        this.#byKey.set(key, known);
        for (const [property, value] of declarations) addTo(known, property, value);
      } else {
        const rules = this.#byTwo.get(key) ?? [];
        this.#byTwo.set(key, rules);
        if (rules.length < RULES_MAX && keys.length <= KEYS_MAX) rules.push({ keys, declarations });
        this.#doubt(keys, declarations);
      }
    }
  }

  #doubt(keys: readonly string[], declarations: Declarations): void {
    for (const [property, value] of declarations) {
      if (!HIDING.test(value)) for (const key of keys.slice(0, KEYS_MAX)) this.#doubts.add(`${key} ${property}`);
    }
  }

  get hasRules(): boolean {
    return this.#byKey.size + this.#byTwo.size > 0;
  }

  /** Returns what the rules say about an element; `null`: no rule is about it. */
  declarationsFor(name: string, attributes: Attributes): Declarations | null {
    if (!this.hasRules) return null;
    const id = attributes.get("id");
    const classes = attributes.get("class")?.split(/\s+/, CLASSES_MAX) ?? [];
    const keys = ["*", name, ...classes.map((one) => `.${one.toLowerCase()}`), ...(id ? [`#${id.toLowerCase()}`] : [])];
    let found: Map<string, string> | undefined;
    for (const key of keys) {
      for (const [property, value] of this.#byKey.get(key) ?? NONE) {
        if (this.#doubts.has(`${key} ${property}`)) continue;
        found ??= new Map();
        addTo(found, property, value);
      }
    }
    for (const key of keys) {
      for (const rule of this.#byTwo.get(key) ?? []) {
        if (!rule.keys.every((one) => keys.includes(one))) continue;
        found ??= new Map();
        for (const [property, value] of rule.declarations) addTo(found, property, value);
      }
    }
    return found ?? null;
  }
}

/** Returns declarations followed by others that count more. */
export function followedBy(declarations: Declarations | null, more: Declarations): Declarations {
  if (declarations === null) return more;
  const all = new Map(declarations);
  for (const [property, value] of more) addTo(all, property, value);
  return all;
}
