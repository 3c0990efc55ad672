import type { FormState } from "#platform/form-state.ts";
import type { Child } from "hono/jsx";
import { type ConsoleFrame, ConsoleLayout, Panel } from "./console-layout.tsx";
import type { SectionPath } from "./console-sections.ts";
import { counted } from "./count.ts";
import { Form, HiddenFields, SubmitRow } from "./form.tsx";

/** A question on an {@link AskingPage} that needs only text. */
export interface Question {
  readonly title: string;
  /** What will happen. */
  readonly words: string;
  /** The label of the button that confirms; it says what will be done. */
  readonly button: string;
}

/**
 * Asks for confirmation before a decision that can’t be undone or takes access away. Says what will happen, with numbers.
 */
export function AskingPage(props: {
  readonly frame: ConsoleFrame;
  readonly section: SectionPath;
  /** The question itself. */
  readonly title: string;
  /** What the question is about. */
  readonly lead?: Child;
  /** The address that the confirmation is posted to. */
  readonly action: string;
  /** What will happen, as a sentence. */
  readonly words?: string;
  /** The label of the button that confirms; it says what will be done. */
  readonly button: string;
  /** The fields that the confirmation sends: what it is about, or the whole form that was posted before. */
  readonly fields?: FormState["values"];
  /** The page for people who cancel. */
  readonly back: string;
  /** The label for cancelling, if that loses something that was typed. */
  readonly leave?: string;
  readonly state?: FormState;
  /** More about what will happen, and further fields. */
  readonly children?: Child;
}) {
  const { frame, state } = props;
  return (
    <ConsoleLayout frame={frame} section={props.section} title={props.title} lead={props.lead}>
      <Panel title="What happens">
        <Form action={props.action} frame={frame} {...(state === undefined ? {} : { state })}>
          <HiddenFields values={props.fields ?? {}} />
          {props.words === undefined ? null : <p>{props.words}</p>}
          {props.children}
          <SubmitRow
            button={props.button}
            look="danger primary"
            leave={{ href: props.back, label: props.leave ?? "Cancel" }}
          />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

/** List item that says how many people lose access when an app is disabled or deleted. */
export function CutOff({ reach }: { readonly reach: { readonly people: number; readonly grants: number } }) {
  if (reach.grants === 0) return <li>Nobody is using it.</li>;
  return (
    <li>
      Within 10 seconds it loses access for {counted(reach.people, "person", "people")} (
      {counted(reach.grants, "grant")}).
    </li>
  );
}
