/** Filters and paths of SCIM (RFC 7644 §3.4.2.2, §3.5.2). Attributes are in lower case, without the core schema of users and groups. */
export type ScimFilter =
  | { readonly kind: "and" | "or"; readonly parts: readonly ScimFilter[] }
  | { readonly kind: "not"; readonly of: ScimFilter }
  | { readonly kind: "present"; readonly attribute: string }
  | {
      readonly kind: "compare";
      readonly attribute: string;
      readonly operator: ScimOperator;
      readonly value: string | number | boolean | null;
    }
  /** `emails[type eq "work"]`: one element must match the whole inner filter. */
  | { readonly kind: "element"; readonly attribute: string; readonly of: ScimFilter };

export interface ScimPath {
  readonly attribute: string;
  /** A filter that selects elements of the attribute. */
  readonly of?: ScimFilter;
  /** A sub-attribute of these elements, or of the complex attribute. */
  readonly sub?: string;
}

const OPERATORS = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type ScimOperator = (typeof OPERATORS)[number];

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** The schema of the extension of users that identity providers send. */
export const ENTERPRISE_USER = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

/** Maximum length of a filter or path in characters: more than identity providers send. */
const CHARACTERS_MAX = 1000;

const DEPTH_MAX = 8;

const TOKEN = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([-\w$.:]+))/y;

class Malformed extends Error {}

/** Parses a filter; `undefined` if it is malformed, or longer or deeper than any that is needed. */
export function parseScimFilter(text: string): ScimFilter | undefined {
  return parsed(text, (parser) => parser.filter(0));
}

/** Parses a path; `undefined` if it is malformed. */
export function parseScimPath(text: string): ScimPath | undefined {
  return parsed(text, (parser) => parser.path());
}

function parsed<Result>(text: string, parse: (parser: Parser) => Result): Result | undefined {
  try {
    const parser = new Parser(text);
    const result = parse(parser);
    parser.end();
    return result;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** Returns an attribute's name in the form that all of its spellings share. */
export function attributeOf(word: string): string {
  return word.toLowerCase().replace(CORE, "");
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    if (text.length > CHARACTERS_MAX) throw new Malformed();
    const tokens: string[] = [];
    TOKEN.lastIndex = 0;
    const trimmed = text.trim();
    while (TOKEN.lastIndex < trimmed.length) {
      const token = TOKEN.exec(trimmed)?.[0];
      if (token === undefined) throw new Malformed();
      tokens.push(token.trim());
    }
    this.#tokens = tokens;
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new Malformed();
  }

  /** Parses a filter, in which `and` binds closer than `or`. */
  filter(depth: number): ScimFilter {
    if (depth > DEPTH_MAX) throw new Malformed();
    const conjunction = () => this.#list("and", () => this.#factor(depth + 1));
    return this.#list("or", conjunction);
  }

  path(): ScimPath {
    const attribute = attributeOf(this.#word());
    if (this.#peek() !== "[") return { attribute };
    const of = this.#bracketed(0);
    const sub = this.#peek();
    if (sub === undefined) return { attribute, of };
    if (!/^\.[\w$-]+$/.test(sub)) throw new Malformed();
    this.#at += 1;
    return { attribute, of, sub: sub.slice(1).toLowerCase() };
  }

  #list(kind: "and" | "or", part: () => ScimFilter): ScimFilter {
    const first = part();
    const parts = [first];
    while (this.#peek()?.toLowerCase() === kind) {
      this.#at += 1;
      parts.push(part());
    }
    return parts.length === 1 ? first : { kind, parts };
  }

  #factor(depth: number): ScimFilter {
    if (this.#peek()?.toLowerCase() === "not" && this.#tokens[this.#at + 1] === "(") {
      this.#at += 1;
      return { kind: "not", of: this.#factor(depth) };
    }
    if (this.#peek() === "(") {
      this.#at += 1;
      const inner = this.filter(depth);
      this.#take(")");
      return inner;
    }
    const attribute = attributeOf(this.#word());
    if (this.#peek() === "[") return this.#element(attribute, depth);
    return this.#comparison(attribute);
  }

  /** Parses `emails[type eq "work"]`, also with `.value eq "…"` after it, which is about the same element. */
  #element(attribute: string, depth: number): ScimFilter {
    const of = this.#bracketed(depth);
    const sub = this.#peek();
    if (sub === undefined || !/^\.[\w$-]+$/.test(sub)) return { kind: "element", attribute, of };
    this.#at += 1;
    const value = this.#comparison(sub.slice(1).toLowerCase());
    return { kind: "element", attribute, of: { kind: "and", parts: [of, value] } };
  }

  #comparison(attribute: string): ScimFilter {
    const word = this.#next().toLowerCase();
    if (word === "pr") return { kind: "present", attribute };
    const operator = OPERATORS.find((known) => known === word);
    if (operator === undefined) throw new Malformed();
    return { kind: "compare", attribute, operator, value: literal(this.#next()) };
  }

  #bracketed(depth: number): ScimFilter {
    this.#take("[");
    const inner = this.filter(depth + 1);
    this.#take("]");
    return inner;
  }

  #word(): string {
    const word = this.#next();
    if (!/^[A-Za-z$][-\w$.:]*$/.test(word)) throw new Malformed();
    return word;
  }

  #take(token: string): void {
    if (this.#next() !== token) throw new Malformed();
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new Malformed();
    this.#at += 1;
    return token;
  }
}

/** Parses a JSON literal. Some providers write `True` and `False`. */
function literal(token: string): string | number | boolean | null {
  if (/^(?:true|false|null)$/i.test(token)) return JSON.parse(token.toLowerCase()) as boolean | null;
  try {
    const value: unknown = JSON.parse(token);
    if (typeof value === "string" || typeof value === "number") return value;
  } catch {
    // It is not a literal: refused below.
  }
  throw new Malformed();
}
