import type { Fields, FormField, FormState } from "#platform/described-members.ts";
import type { Child } from "hono/jsx";
import { known, t, useFrame } from "./console-frame.ts";
import { Choices, LinesField, type Option, SelectField, sentence, Switch, TextField } from "./fields.tsx";

/** The state of an empty form. */
export const UNTYPED: FormState = { values: {}, errors: {} };

/**
 * A form of the console. If it was refused, the problems are listed above its fields, with links to them. For people who may not send
 * it, it is disabled.
 */
export function Form(props: {
  readonly action: string;
  readonly state?: FormState;
  /** Whether one of its fields is a file. */
  readonly bringsFile?: boolean;
  /** The id by which fields elsewhere on the page can belong to the form. */
  readonly id?: string;
  readonly children?: Child;
}) {
  const errors = Object.entries(props.state?.errors ?? {});
  return (
    <form
      method="post"
      id={props.id}
      action={props.action}
      class="form"
      enctype={props.bringsFile ? "multipart/form-data" : undefined}
    >
      <OwnFields />
      {errors.length > 0 ? (
        <div class="notice problem" role="alert">
          <p>{t`${<strong>{t`Nothing was saved.`}</strong>} Fix the highlighted fields and submit again.`}</p>
          <ul>
            {errors.map(([name, message]) => (
              <li>{name === "" ? sentence(known(message)) : <a href={`#${name}`}>{sentence(known(message))}</a>}</li>
            ))}
          </ul>
        </div>
      ) : null}
      {useFrame().refusalOf(props.action) === undefined ? (
        props.children
      ) : (
        <fieldset class="withheld" disabled>
          {props.children}
        </fieldset>
      )}
    </form>
  );
}

/**
 * Fields that only one option of the form's radio buttons uses. The style sheet shows them while it is chosen, or if one of them is wrong;
 * they are sent in any case.
 */
export function ForOption(props: {
  readonly option: "approved" | "client" | "keys" | "workload";
  readonly children?: Child;
}) {
  return <div class={`for-option for-${props.option}`}>{props.children}</div>;
}

/** The fields of every form of the console: the CSRF token, and the id because of which it takes effect only once. */
export function OwnFields() {
  const frame = useFrame();
  return (
    <>
      <input type="hidden" name="csrf_token" value={frame.csrfToken} />
      <input type="hidden" name="form_id" value={frame.newFormId()} autocomplete="off" />
    </>
  );
}

/** The values of a form that was sent, as hidden fields, so that they can be sent again after a question. */
export function HiddenFields({ values }: { readonly values: FormState["values"] }) {
  return (
    <>
      {Object.entries(values).flatMap(([name, each]) =>
        [each].flat().map((value) => <input type="hidden" name={name} value={value} />),
      )}
    </>
  );
}

/** The end of a form: the button that sends it, and a link for people who don't want to, if there is one. */
export function SubmitRow(props: {
  readonly button: string;
  /** How prominent the button is; `null` for one action among others. */
  readonly look?: "danger" | "danger primary" | null;
  /** A name and value that the button itself sends. */
  readonly sends?: { readonly name: string; readonly value: string } | undefined;
  readonly leave?: { readonly href: string; readonly label: string };
}) {
  const { look = "primary" } = props;
  return (
    <div class="actions">
      {props.leave === undefined ? null : (
        <a class="button" href={props.leave.href}>
          {props.leave.label}
        </a>
      )}
      <button type="submit" class={look ?? undefined} {...props.sends}>
        {props.button}
      </button>
    </div>
  );
}

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
