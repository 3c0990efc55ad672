import type { FormState } from "#platform/described-members.ts";
import type { Child } from "hono/jsx";
import { known, t, useFrame } from "./console-frame.ts";
import { counted } from "./count.ts";
import { ConsoleLayout, Panel } from "./console-layout.tsx";
import { Form, HiddenFields, SubmitRow } from "./form.tsx";

/** What is asked before a decision that can’t be undone or takes access away. */
export interface Question {
  readonly title: string;
  /** What the question is about. */
  readonly lead?: Child;
  /** What will happen, with numbers: a sentence, or several as a list, in which `null` is left out. */
  readonly words?: Child;
  /** More about what it is about, and further fields. */
  readonly more?: Child;
  /** The label of the button that confirms, if it differs from the one of the form; it says what will be done. */
  readonly button?: string;
  /** The fields that the confirmation sends: what it is about, or the whole form that was posted before. */
  readonly fields?: FormState["values"];
  /** The address that the confirmation is posted to, if it isn’t the one of the question. */
  readonly action?: string;
  /** The page for people who cancel, if it isn’t the one above the address. */
  readonly back?: string;
  /** The label for cancelling, if that loses something that was typed. */
  readonly leave?: string;
}

/** Asks a question. Its form is posted to the question’s own address. */
export function AskingPage(props: {
  readonly question: Question;
  readonly button: string;
  readonly state?: FormState;
}) {
  const { question, state } = props;
  const { path } = useFrame();
  const { title, lead, words, more, fields = {}, back = path.slice(0, path.lastIndexOf("/")) } = question;
  return (
    <ConsoleLayout title={known(title)} lead={inLanguage(lead)}>
      <Panel title={t`What happens`}>
        <Form action={question.action ?? path} {...(state === undefined ? {} : { state })}>
          <HiddenFields values={fields} />
          {Array.isArray(words) ? (
            <ul>{words.flatMap((sentence: Child) => (sentence === null ? [] : [<li>{inLanguage(sentence)}</li>]))}</ul>
          ) : words === undefined ? null : (
            <p>{inLanguage(words)}</p>
          )}
          {more}
          <SubmitRow
            button={known(question.button ?? props.button)}
            look="danger primary"
            leave={{ href: back, label: known(question.leave ?? "Cancel") }}
          />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

function inLanguage(text: Child): Child {
  return typeof text === "string" ? known(text) : text;
}

/** Says how many people lose access when an app is disabled or deleted. */
export function cutOff(reach: { readonly people: number; readonly grants: number }): string {
  return reach.grants === 0
    ? "Nobody is using it."
    : `Within 10 seconds it loses access for ${counted(reach.people, "person", "people")} (${counted(reach.grants, "grant")}).`;
}

/** A text with values that is written before its page is rendered, which knows the language. */
export function later(text: () => Child) {
  return <Later text={text} />;
}

function Later({ text }: { readonly text: () => Child }) {
  return <>{text()}</>;
}
