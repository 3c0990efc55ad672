import type { FormState } from "#platform/form-state.ts";
import type { Child } from "hono/jsx";
import { type ConsoleFrame, ConsoleLayout, Panel } from "./console-layout.tsx";
import type { SectionPath } from "./console-sections.ts";
import { counted } from "./count.ts";
import { Form, HiddenFields, SubmitRow } from "./form.tsx";

/** A question that needs no more than words. */
export interface Question {
  readonly title: string;
  /** What will happen. */
  readonly words: string;
  /** The yes, in words of what it does. */
  readonly button: string;
}

/** Asks before a decision that can’t be undone or that takes access away: says what will happen, with numbers. */
export function AskingPage(props: {
  readonly frame: ConsoleFrame;
  readonly section: SectionPath;
  /** The question. */
  readonly title: string;
  /** What it is about. */
  readonly lead?: Child;
  /** Where a yes is posted. */
  readonly action: string;
  /** What will happen, in words. */
  readonly words?: string;
  /** The yes, in words of what it does. */
  readonly button: string;
  /** What a yes sends: what it is about, or the form that was posted, to be sent again. */
  readonly fields?: FormState["values"];
  /** The page that a no leads to. */
  readonly back: string;
  /** The no, where something was typed that is lost by it. */
  readonly leave?: string;
  readonly state?: FormState;
  /** More of what will happen, and what there is to choose. */
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

/** The people who lose access when an app ends. */
export function CutOff({ reach }: { readonly reach: { readonly people: number; readonly grants: number } }) {
  if (reach.grants === 0) return <li>Nobody is using it.</li>;
  return (
    <li>
      Within 10 seconds it loses access for {counted(reach.people, "person", "people")} (
      {counted(reach.grants, "grant")}).
    </li>
  );
}
