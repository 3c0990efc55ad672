import type { Fields } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import { Choices, LinesField, SelectField, Switch, TextField } from "./fields.tsx";

/** The field of a member, as its noun describes it. A form may know a better hint or placeholder. */
export function MemberField<Name extends string>(props: {
  readonly fields: Fields<Name>;
  readonly name: NoInfer<Name>;
  readonly state: FormState;
  readonly hint?: string | undefined;
  readonly placeholder?: string;
}) {
  const { fields, ...others } = props;
  const field = fields[props.name];
  const shown = { ...field, ...others };
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
      return <SelectField {...shown} options={field.options ?? []} />;
    case "radio":
    case "checkboxes":
      break;
  }
  return <Choices {...shown} type={field.as === "radio" ? "radio" : "checkbox"} options={field.options ?? []} />;
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
