import type { Fields, FormField } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { claimsOf, linesOfClaims } from "./claim-lines.ts";
import { lineOf, linesOf } from "./refused-form.ts";

type Duration = FormField & { readonly as: "duration" };

/** Returns a form with the stored values of its fields. */
export function storedForm<Name extends string>(
  fields: Fields<Name>,
  stored: Readonly<Partial<Record<NoInfer<Name>, unknown>>>,
) {
  const values = Object.entries<FormField>(fields).map(([name, field]) => [name, shown(field, stored[name as Name])]);
  return { values: Object.fromEntries(values) as FormState["values"], errors: {} };
}

/**
 * Reads the values of a form's fields. A field that was emptied is `undefined`, and so goes back to its default.
 *
 * @param stored the values that the form showed. A duration that still shows the stored one is exactly that, because what a form shows is rounded
 * @throws {AdministrationRefused} for a number that is out of range
 */
export function readForm<Name extends string>(
  fields: Fields<Name>,
  form: Parameters,
  stored: Readonly<Partial<Record<NoInfer<Name>, unknown>>>,
): Record<Name, unknown> {
  const values = Object.entries<FormField>(fields).map(([name, field]) => [
    name,
    read(field, form, name, stored[name as Name]),
  ]);
  return Object.fromEntries(values) as Record<Name, unknown>;
}

/** Returns only the values that differ from the stored ones. The order of lists doesn't matter. */
export function changedOf(
  wanted: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const sorted = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.map(String).toSorted() : value);
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => sorted(value) !== sorted(stored[name])));
}

function shown(field: FormField, value: unknown): string | readonly string[] {
  switch (field.as) {
    case "switch":
      return value === true ? "on" : "";
    case "claims":
      return linesOfClaims(value as Readonly<Record<string, string>>);
    case "duration":
      return shownDuration(value as number, field);
    case "line":
    case "lines":
    case "select":
    case "radio":
    case "checkboxes":
      break;
  }
  return (value ?? "") as string | readonly string[];
}

function read(field: FormField, form: Parameters, name: string, stored: unknown): unknown {
  switch (field.as) {
    case "line":
      return lineOf(form, name);
    case "select":
    case "radio":
      return lineOf(form, name) ?? (field.isRequired ? "" : undefined);
    case "lines":
      return linesOf(form, name);
    case "claims":
      return claimsOf(form, name);
    case "switch":
      return form.one(name) === "on";
    case "checkboxes":
      return form.all(name);
    case "duration":
      break;
  }
  return readDuration(field, lineOf(form, name) ?? "", name, stored as number);
}

/** Returns a duration in its unit, to two decimal places. */
function shownDuration(seconds: number, { unitSeconds }: Duration): string {
  return String(Math.round((seconds / unitSeconds) * 100) / 100);
}

function readDuration(field: Duration, text: string, name: string, stored: number): number {
  if (text === shownDuration(stored, field)) return stored;
  const { unitSeconds, limits } = field;
  const seconds = text === "" ? Number.NaN : Math.round(Number(text) * unitSeconds);
  const [least, most] = limits;
  if (seconds >= least && seconds <= most) return seconds;
  const shortest = Math.ceil((least / unitSeconds) * 100) / 100;
  throw new AdministrationRefused(
    `Enter a number from ${shortest} to ${(most / unitSeconds).toLocaleString("en")}`,
    name,
  );
}
