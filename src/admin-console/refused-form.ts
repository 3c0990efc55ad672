import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { Refusal } from "#protocol/errors.ts";
import type { FormState } from "#platform/form-state.ts";

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
