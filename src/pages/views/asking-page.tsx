import type { FormState } from "#platform/form-state.ts";
import type { Child } from "hono/jsx";
import { type ConsoleFrame, ConsoleLayout, Panel } from "./console-layout.tsx";
import type { SectionPath } from "./console-sections.ts";
import { counted } from "./count.ts";
import { Form, SubmitRow } from "./form.tsx";

/** Stands before what cannot be undone, or cuts somebody off: says what will happen, with numbers, and asks. */
export function AskingPage(props: {
  readonly frame: ConsoleFrame;
  readonly section: SectionPath;
  /** The question. */
  readonly title: string;
  /** What it is about. */
  readonly lead?: Child;
  /** Where a yes is posted. */
  readonly action: string;
  /** The yes, in words of what it does. */
  readonly button: string;
  /** What the button itself sends. */
  readonly sends?: { readonly name: string; readonly value: string };
  /** The page that a no leads to. */
  readonly back: string;
  /** The no, where something was typed that is lost by it. */
  readonly leave?: string;
  readonly state?: FormState;
  /** What will happen, and what there is to choose. */
  readonly children?: Child;
}) {
  const { frame, state } = props;
  return (
    <ConsoleLayout frame={frame} section={props.section} title={props.title} lead={props.lead}>
      <Panel title="What happens">
        <Form action={props.action} frame={frame} {...(state === undefined ? {} : { state })}>
          {props.children}
          <SubmitRow
            button={props.button}
            look="danger primary"
            sends={props.sends}
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
