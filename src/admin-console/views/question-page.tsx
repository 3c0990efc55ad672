import { AskingPage } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import type { SectionPath } from "#pages/views/console-sections.ts";
import { HiddenFields } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";

/** What is asked before a form takes access away. */
export interface Question {
  /** The question. */
  readonly title: string;
  /** What will happen. */
  readonly words: string;
  /** The yes, in words of what it does. */
  readonly button: string;
}

/** Asks before a posted form is done. The answer sends all that it held again, with `confirmed`. */
export function QuestionPage(props: {
  readonly frame: ConsoleFrame;
  readonly section: SectionPath;
  readonly question: Question;
  /** Where the form was posted. */
  readonly action: string;
  /** The page that a no leads to. */
  readonly back: string;
  readonly values: FormState["values"];
}) {
  const { question, values, ...rest } = props;
  const { words, ...asked } = question;
  return (
    <AskingPage {...rest} {...asked} sends={{ name: "confirmed", value: "yes" }}>
      <HiddenFields values={values} />
      <p>{words}</p>
    </AskingPage>
  );
}
