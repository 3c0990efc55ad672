import type { Fields, FormField, FormState } from "#platform/described-members.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { Refusal } from "#protocol/errors.ts";

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

/**
 * Returns a form after it was refused: what was typed, and what to fix.
 *
 * @param error the error that the rules threw
 * @param field the field for the message, if the error names none
 * @throws the error itself, if it is not about what was typed
 */
export function refusedForm(form: Parameters, error: unknown, field = ""): FormState {
  return { values: typed(form), errors: { [memberOf(error) ?? field]: messageOf(error) } };
}

/** Returns the status code for a page whose form is in this state. */
export function statusOf({ errors }: Pick<FormState, "errors">): 200 | 422 {
  return Object.keys(errors).length === 0 ? 200 : 422;
}

/** Returns what was typed, by field, except secrets and the fields that every form has (`OwnFields`). */
export function typed(form: Parameters): FormState["values"] {
  const values: Record<string, readonly string[]> = {};
  for (const name of form.names()) {
    if (!/secret|csrf|form_id/i.test(name)) values[name] = form.all(name);
  }
  return values;
}

/**
 * Returns the value of a one-line field, without the white space around it that copying often adds; `undefined` if it is empty.
 */
export function lineOf(form: Parameters, name: string): string | undefined {
  return form.one(name)?.trim() || undefined;
}

/** Returns the non-empty lines of a field with one value per line. */
export function linesOf(form: Parameters, name: string): string[] {
  return form
    .all(name)
    .flatMap((text) => text.split(/[\r\n]+/))
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function memberOf(error: unknown): string | undefined {
  return error instanceof AdministrationRefused ? error.member : undefined;
}

function messageOf(error: unknown): string {
  if (error instanceof AdministrationRefused) return atField(error.message);
  if (error instanceof Refusal && error.status < 500) return atField(error.description);
  throw error;
}

/** Leaves out an API's name for a field, because the message is shown at the field, which has a label of its own. */
function atField(message: string): string {
  const [, expected] = /^[\w.]+ is not acceptable: (.+)$/s.exec(message) ?? [];
  return expected === undefined ? message : expected.charAt(0).toUpperCase() + expected.slice(1);
}

/**
 * Reads required claims from a field with one `<claim>=<value>` per line.
 *
 * @throws {AdministrationRefused} if a line has another form, or a claim is listed twice
 */
export function claimsOf(form: Parameters, name: string): Record<string, string> {
  const claims = new Map<string, string>();
  for (const line of linesOf(form, name)) {
    const equals = line.indexOf("=");
    if (equals < 1) {
      throw new AdministrationRefused(`${line} is not a claim and its value: write one claim=value per line`, name);
    }
    const claim = line.slice(0, equals).trim();
    if (claims.has(claim)) throw new AdministrationRefused(`The claim ${claim} is listed twice`, name);
    claims.set(claim, line.slice(equals + 1).trim());
  }
  return Object.fromEntries(claims);
}

export function linesOfClaims(claims: Readonly<Record<string, string>>): string[] {
  return Object.entries(claims).map(([claim, value]) => `${claim}=${value}`);
}
