import type { FormState } from "#platform/form-state.ts";
import type { Child } from "hono/jsx";
import type { ConsoleFrame } from "./console-layout.tsx";
import { sentence } from "./sentence.ts";

/**
 * A form that posts to its own page; above it, where something is wrong, what that is and where. People who may not send it can read it.
 */
export function Form(props: {
  readonly action: string;
  readonly frame: Pick<ConsoleFrame, "csrfToken" | "newFormId" | "refusalOf">;
  readonly state?: FormState;
  /** Whether one of its fields is a file. */
  readonly bringsFile?: boolean;
  /** For fields elsewhere on the page that are its own. */
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
      <OwnFields frame={props.frame} />
      {errors.length > 0 ? (
        <div class="notice problem" role="alert">
          <p>
            <strong>Nothing was saved.</strong> Fix the highlighted fields and submit again.
          </p>
          <ul>
            {errors.map(([name, message]) => (
              <li>{name === "" ? sentence(message) : <a href={`#${name}`}>{sentence(message)}</a>}</li>
            ))}
          </ul>
        </div>
      ) : null}
      {props.frame.refusalOf(props.action) === undefined ? (
        props.children
      ) : (
        <fieldset class="withheld" disabled>
          {props.children}
        </fieldset>
      )}
    </form>
  );
}

/** The fields that every form of the console carries: the CSRF token, and the id that lets it count only once. */
export function OwnFields({ frame }: { readonly frame: Pick<ConsoleFrame, "csrfToken" | "newFormId"> }) {
  return (
    <>
      <input type="hidden" name="csrf_token" value={frame.csrfToken} />
      <input type="hidden" name="form_id" value={frame.newFormId()} autocomplete="off" />
    </>
  );
}

/** What a form that was sent held, to be sent again after a question. */
export function HiddenFields({ values }: { readonly values: FormState["values"] }) {
  return (
    <>
      {Object.entries(values).flatMap(([name, each]) =>
        [each].flat().map((value) => <input type="hidden" name={name} value={value} />),
      )}
    </>
  );
}

/** The end of a form: the way back where there is one, and the button that sends it. */
export function SubmitRow(props: {
  readonly button: string;
  /** `null`: one action among others. */
  readonly look?: "danger" | "danger primary" | null;
  /** What the button itself sends. */
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
