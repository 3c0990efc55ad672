import { known } from "./console-frame.ts";
import type { FormState, Option } from "#platform/described-members.ts";
import type { Child } from "hono/jsx";

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: Child;
  readonly state: FormState;
}

export type { Option };

/** One line of text. */
export function TextField(
  props: FieldProps & {
    readonly type?: "text" | "email" | "url" | "number" | "date" | "password" | "search";
    readonly required?: boolean;
    readonly placeholder?: string;
    readonly maxlength?: number;
  },
) {
  const { name, state, type = "text", ...others } = props;
  return (
    <Labelled {...props}>
      <input
        id={name}
        name={name}
        type={type}
        value={firstValue(state, name)}
        required={others.required}
        placeholder={others.placeholder}
        step={type === "number" ? "any" : undefined}
        maxlength={others.maxlength}
        spellcheck={false}
        autocomplete="off"
        {...described(props)}
      />
    </Labelled>
  );
}

/** One file. */
export function FileField(props: FieldProps & { readonly accept: string }) {
  const { name, accept } = props;
  return (
    <Labelled {...props}>
      <input id={name} name={name} type="file" accept={accept} required {...described(props)} />
    </Labelled>
  );
}

/** Several lines, one value each. */
export function LinesField(props: FieldProps & { readonly rows?: number; readonly placeholder?: string }) {
  const { name, state, rows = 3, placeholder } = props;
  return (
    <Labelled {...props}>
      <textarea
        id={name}
        name={name}
        rows={rows}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        {...described(props)}
      >
        {allValues(state, name).join("\n")}
      </textarea>
    </Labelled>
  );
}

export function SelectField(props: FieldProps & { readonly options: readonly Option[] }) {
  const { name, state, options } = props;
  const selected = firstValue(state, name);
  return (
    <Labelled {...props}>
      <select id={name} name={name} {...described(props)}>
        {options.map(({ value, label }) => (
          <option value={value} selected={value === selected}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** Radio buttons or checkboxes, each with a label and perhaps a hint. */
export function Choices(
  props: FieldProps & { readonly type: "radio" | "checkbox"; readonly options: readonly Option[] },
) {
  const { name, label, hint, state, type, options } = props;
  const chosen = allValues(state, name);
  const error = state.errors[name];
  return (
    <fieldset id={name} class={error === undefined ? "choices" : "choices wrong"} {...described(props)}>
      <legend>{label}</legend>
      <Hints name={name} hint={hint} error={error} />
      {options.map((option) => (
        <label>
          <input type={type} name={name} value={option.value} checked={chosen.includes(option.value)} />
          <span class="words">
            <strong>{option.label}</strong>
            {option.hint === undefined ? null : <span>{option.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A checkbox for something that is on or off. */
export function Switch(props: FieldProps) {
  const { name, label, hint, state } = props;
  return (
    <div class="field">
      <label class="switch">
        <input id={name} type="checkbox" name={name} value="on" checked={firstValue(state, name) === "on"} />
        <span>{label}</span>
      </label>
      <Hints name={name} hint={hint} error={state.errors[name]} />
    </div>
  );
}

function Labelled(props: FieldProps & { readonly children?: Child }) {
  const { name, label, hint, state, children } = props;
  const error = state.errors[name];
  return (
    <div class={error === undefined ? "field" : "field wrong"}>
      <label for={name}>{label}</label>
      {children}
      <Hints name={name} hint={hint} error={error} />
    </div>
  );
}

function Hints({
  name,
  hint,
  error,
}: {
  readonly name: string;
  readonly hint?: Child;
  readonly error?: string | undefined;
}) {
  return (
    <>
      {error === undefined ? null : (
        <p id={`${name}-error`} class="error">
          {sentence(known(error))}
        </p>
      )}
      {hint === undefined ? null : (
        <p id={`${name}-hint`} class="hint">
          {hint}
        </p>
      )}
    </>
  );
}

/** Links a field to its hint and its error, for people who use a screen reader. */
function described({ name, hint, state }: FieldProps) {
  const isWrong = state.errors[name] !== undefined;
  const by = [isWrong ? `${name}-error` : "", hint === undefined ? "" : `${name}-hint`].filter((id) => id !== "");
  return {
    ...(isWrong ? { "aria-invalid": "true" as const } : {}),
    ...(by.length > 0 ? { "aria-describedby": by.join(" ") } : {}),
  };
}

function firstValue(state: FormState, name: string): string {
  return allValues(state, name)[0] ?? "";
}

function allValues(state: FormState, name: string): readonly string[] {
  const value = state.values[name];
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
}

/** Adds a full stop to a message for a page. Messages have none, because they are also used in commands and JSON. */
export function sentence(message: string): string {
  return /[.?!:]$/.test(message) ? message : `${message}.`;
}
