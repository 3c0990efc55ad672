/** What search promises, in the simplest form: words, permissions and filters over arrays, without index and SQL. */

/** Words of documents, as their texts have them. Some look like operators, columns, principals or filters. */
export const WORDS = [
  "plan",
  "planning",
  "budget",
  "budgets",
  "acl",
  "p1",
  "f1",
  "s0",
  "or",
  "not",
  "near",
  "title",
  "résumé",
  "Straße",
  "検索",
  "索引",
  "ＰＬＡＮ",
  "İstanbul",
] as const;

export const STATUSES = ["Approved", "In review", "draft"] as const;
export const LABELS = ["red", "Dark Blue", "größer"] as const;
export const TYPES = ["Page", "Ticket"] as const;
export const AUTHORS = [
  { name: "Ada Marlow", email: "ada@acme.example" },
  { name: "Ben", email: "ben@acme.example" },
] as const;

export interface ModelDocument {
  readonly title: readonly string[];
  readonly body: readonly string[];
  readonly tag: string | null;
  readonly type: (typeof TYPES)[number];
  readonly author: (typeof AUTHORS)[number] | null;
  /** Days after 2024-01-01. */
  readonly updatedDay: number | null;
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly intersections: readonly (readonly string[])[];
  readonly everyone: boolean;
  readonly values: {
    readonly status: string | null;
    /** Words that free text finds. */
    readonly note: string | null;
    /** Words that only operators find. */
    readonly hidden: string | null;
    readonly labels: readonly string[];
  } | null;
}

export interface ModelMembership {
  readonly group: string;
  readonly kind: "user" | "group";
  readonly member: string;
}

export interface ModelWorld {
  readonly documents: readonly ModelDocument[];
  /** Groups that the pipeline described. They have the members that it named, and no others. */
  readonly described: readonly string[];
  readonly memberships: readonly ModelMembership[];
}

/** Splits a text into words in a form that all spellings share, and into characters if the script has no spaces. */
function tokens(text: string): string[] {
  const folded = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replaceAll("ß", "ss")
    .normalize("NFC");
  return folded.match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? [];
}

/** Whether the words are adjacent in one of the texts. With `isBeginning`, the last may be the beginning of a word. */
function holds(texts: readonly (readonly string[])[], phrase: readonly string[], isBeginning = false): boolean {
  return texts.some((text) =>
    text.some((_, at) =>
      phrase.every((word, offset) =>
        isBeginning && offset === phrase.length - 1
          ? (text[at + offset] ?? "").startsWith(word)
          : text[at + offset] === word,
      ),
    ),
  );
}

/** Returns the texts that a document is found by. A phrase has to be within one of them. */
function textsOf({ title, body, tag, values }: ModelDocument): string[][] {
  const whole = (words: readonly string[]) => words.flatMap(tokens);
  const metadata = values === null ? [] : [values.status, values.note, ...values.labels].filter((one) => one !== null);
  return [whole(title), whole(body), whole(tag === null ? [] : [tag]), ...metadata.map((value) => tokens(value))];
}

export type ModelClause =
  | { readonly kind: "words"; readonly words: readonly string[]; readonly isBeginning?: boolean }
  | { readonly kind: "field"; readonly field: string; readonly values: readonly string[]; readonly isPart?: boolean };

/** Whether each word of a title was typed, in some form. */
export function isTyped({ title }: ModelDocument, { wanted }: ModelQuery): boolean {
  const typed = wanted.flatMap((clause) => (clause.kind === "words" ? clause.words.flatMap(tokens) : []));
  const begins = (word: string) => typed.some((one) => one.slice(0, 4) === word.slice(0, 4));
  return title.flatMap(tokens).every((word) => begins(word) || /^[a-z0-9]$/.test(word));
}

export interface ModelQuery {
  readonly wanted: readonly ModelClause[];
  readonly unwanted: readonly ModelClause[];
  /** Days after 2024-01-01, both exclusive. */
  readonly after: number | null;
  readonly before: number | null;
}

const fold = (text: string) => text.normalize("NFKC").toLowerCase();

function matches(document: ModelDocument, clause: ModelClause): boolean {
  if (clause.kind === "words") return holds(textsOf(document), clause.words.flatMap(tokens), clause.isBeginning);
  const { author, type, values } = document;
  const whole = (...having: (string | null | undefined)[]) =>
    clause.values.some((value) => having.some((one) => one != null && fold(one) === fold(value)));
  const byWord = (text: string | null | undefined) =>
    clause.values.some((value) => tokens(value).every((word) => text != null && tokens(text).includes(word)));
  switch (clause.field) {
    case "type":
      return whole(type);
    case "from":
      return (
        whole(author?.name, author?.email) ||
        (clause.isPart === true && byWord(`${author?.name} ${author?.email.split("@")[0]}`))
      );
    case "reviewstatus":
      return whole(values?.status);
    case "reviewlabels":
      return whole(...(values?.labels ?? []));
    case "reviewnote":
      return byWord(values?.note);
    case "reviewhidden":
      return byWord(values?.hidden);
    default:
      return clause.values.some((value) => holds(textsOf(document), tokens(`${clause.field} ${value}`)));
  }
}

/**
 * Returns the groups of a person: directory groups that no pipeline described, and all groups that contain those or the person.
 */
function groupsHeld(world: ModelWorld, email: string, directory: readonly string[]): Set<string> {
  const held = new Set(directory.filter((group) => !world.described.includes(group)));
  for (let size = -1; size !== held.size; ) {
    size = held.size;
    for (const { group, kind, member } of world.memberships) {
      if (kind === "user" ? member === email : held.has(member)) held.add(group);
    }
  }
  return held;
}

export function mayRead(
  document: ModelDocument,
  world: ModelWorld,
  email: string,
  directory: readonly string[],
): boolean {
  const held = groupsHeld(world, email, directory);
  return (
    document.everyone ||
    document.users.includes(email) ||
    document.groups.some((group) => held.has(group)) ||
    document.intersections.some((groups) => groups.every((group) => held.has(group)))
  );
}

export function answers(document: ModelDocument, query: ModelQuery): boolean {
  const { updatedDay } = document;
  const isTimely =
    (query.after === null || (updatedDay !== null && updatedDay > query.after)) &&
    (query.before === null || (updatedDay !== null && updatedDay < query.before));
  return (
    isTimely &&
    query.wanted.every((clause) => matches(document, clause)) &&
    !query.unwanted.some((clause) => matches(document, clause))
  );
}
