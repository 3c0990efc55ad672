import { refusedForm, typed } from "#admin-console/form-values.ts";
import type { PropertyType } from "#documents/metadata/metadata.ts";
import { KEYS_MAX, PROPERTY_TYPES } from "#custom-metadata/group-schema.ts";
import { SchemaRefused } from "#custom-metadata/schema-refused.ts";
import type { FormState } from "#platform/described-members.ts";
import { foldTerm } from "#protocol/folding.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { FoundGroup, ListedKey } from "#custom-metadata/group-directory.ts";

/** Labels for the types that pipelines use. */
const TYPE_WORDS: Readonly<Record<PropertyType, string>> = {
  TEXT: "Text",
  PICKLIST: "Choice",
  TEXTLIST: "Several texts",
  MULTIPICKLIST: "Several choices",
};

export const TYPE_OPTIONS = PROPERTY_TYPES.map((value) => ({ value, label: typeInWords(value) }));

export function typeInWords(type: PropertyType): string {
  return `${TYPE_WORDS[type]} (${type})`;
}

/** The names of each row's fields, in order. */
export const ROWS = Array.from({ length: KEYS_MAX }, (_, row) => ({
  name: `name${row}`,
  type: `type${row}`,
  hidden: `hidden${row}`,
}));

/** Returns how many rows a form shows at first: up to the last filled one, and some empty ones. */
export function openRows(state: FormState): number {
  const lastFilled = ROWS.findLastIndex(({ name }) => [state.values[name] ?? ""].flat().join("").trim() !== "");
  return Math.min(KEYS_MAX, Math.max(4, lastFilled + 3));
}

/** Reads the keys from a form. Rows without a name are ignored. */
export function readSchema(form: Parameters): { readonly metadataKeys: readonly Record<string, unknown>[] } {
  const metadataKeys = filledRows(form).map((row) => ({
    name: form.one(row.name)?.trim(),
    propertyType: form.one(row.type),
    skipIndexing: form.one(row.hidden) === "on",
  }));
  return { metadataKeys };
}

/** Returns the form with the keys of a stored group. */
export function storedState({ keys }: Pick<FoundGroup, "keys">): FormState {
  const values: Record<string, string> = {};
  for (const [at, row] of ROWS.entries()) {
    const key = keys[at];
    if (!key) break;
    values[row.name] = key.display;
    values[row.type] = key.propertyType;
    if (key.skipIndexing) values[row.hidden] = "on";
  }
  return { values, errors: {} };
}

/** Returns the form after it was refused, with the message in the row of the key that it is about. */
export function refusedGroup(form: Parameters, error: unknown): FormState {
  if (!(error instanceof SchemaRefused)) return refusedForm(form, error, "group");
  const { member, problem } = error;
  const sentence = problem.slice(0, 1).toUpperCase() + problem.slice(1);
  return { values: typed(form), errors: { [fieldOf(form, member)]: sentence } };
}

/** Returns the stored keys that a new schema doesn't contain. */
export function keysThatGo(group: FoundGroup, kept: readonly { readonly name: string }[]): ListedKey[] {
  const names = new Set(kept.map(({ name }) => foldTerm(name)));
  return group.keys.filter(({ name }) => !names.has(name));
}

function filledRows(form: Parameters) {
  return ROWS.filter(({ name }) => (form.one(name) ?? "").trim() !== "");
}

function fieldOf(form: Parameters, member: string): string {
  if (member === "metadataKeys") return ROWS[0]?.name ?? "";
  const [, at = "", part = ""] = /^metadataKeys\.(\d+)\.(\w+)$/.exec(member) ?? [];
  const row = at === "" ? undefined : filledRows(form)[Number(at)];
  if (!row) return member;
  return part === "name" ? row.name : row.type;
}
