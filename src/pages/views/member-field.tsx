import type { Fields, FormField } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import { known } from "./console-frame.ts";
import { Choices, LinesField, type Option, SelectField, Switch, TextField } from "./fields.tsx";

/** The field of a member, as its noun describes it. A form may know a better hint or placeholder. */
export function MemberField<Name extends string>(props: {
  readonly fields: Fields<Name>;
  readonly name: NoInfer<Name>;
  readonly state: FormState;
  readonly hint?: string | undefined;
  readonly placeholder?: string;
}) {
  const { fields, ...others } = props;
  const field: FormField = fields[props.name];
  const hint = field.hint === undefined ? undefined : known(field.hint);
  const options = "options" in field ? field.options?.map(said) : undefined;
  const shown = { ...field, label: known(field.label), hint, ...others, options: options ?? [] };
  switch (field.as) {
    case "line":
      return <TextField {...shown} />;
    case "duration":
      return <TextField {...shown} type="number" required />;
    case "lines":
    case "claims":
      return <LinesField {...shown} />;
    case "switch":
      return <Switch {...shown} />;
    case "select":
      return <SelectField {...shown} />;
    case "radio":
    case "checkboxes":
      break;
  }
  return <Choices {...shown} type={field.as === "radio" ? "radio" : "checkbox"} />;
}

/** Returns an option in the page's language. */
export function said({ label, hint, ...option }: Option): Option {
  return { ...option, label: known(label), ...(hint !== undefined && { hint: known(hint) }) };
}

/** All these fields, in their order. */
export function MemberFields({ fields, state }: { readonly fields: Fields; readonly state: FormState }) {
  return (
    <>
      {Object.keys(fields).map((name) => (
        <MemberField fields={fields} name={name} state={state} />
      ))}
    </>
  );
}
