import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { Refusal } from "#protocol/errors.ts";
import type { FormState } from "#platform/form-state.ts";

/**
 * What a form shows after it was refused: all that was typed, and what to fix.
 *
 * @param error what the rules threw
 * @param field the field that the message belongs beside, where the error does not say
 * @throws the error itself, when it is not about what was typed
 */
export function refusedForm(form: Parameters, error: unknown, field = ""): FormState {
  return { values: typed(form), errors: { [memberOf(error) ?? field]: messageOf(error) } };
}

/** The status of a page whose form is in this state. */
export function statusOf({ errors }: Pick<FormState, "errors">): 200 | 422 {
  return Object.keys(errors).length === 0 ? 200 : 422;
}

/** What was typed, by field, without secrets and without the fields that every form carries (`OwnFields`). */
export function typed(form: Parameters): FormState["values"] {
  const values: Record<string, readonly string[]> = {};
  for (const name of form.names()) {
    if (!/secret|csrf|form_id/i.test(name)) values[name] = form.all(name);
  }
  return values;
}

/** One line, without the white space that copying brings along. */
export function lineOf(form: Parameters, name: string): string | undefined {
  return form.one(name)?.trim() || undefined;
}

/** The lines of a field that holds one value a line. */
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
  if (error instanceof AdministrationRefused) return error.message;
  if (error instanceof Refusal && error.status < 500) return error.description;
  throw error;
}
