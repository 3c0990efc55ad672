import { known } from "./console-frame.ts";
import { Badge } from "./console-layout.tsx";

/** A list of checks in order, each with its outcome and an explanation. */
export function Steps<Outcome extends string>(props: {
  readonly steps: readonly { readonly title: string; readonly outcome: Outcome; readonly text: string }[];
  /** The label and tone of each outcome. */
  readonly outcomes: Readonly<Record<Outcome, { readonly tone: "good" | "warn" | "off"; readonly word: string }>>;
}) {
  return (
    <ol class="steps">
      {props.steps.map(({ title, outcome, text }) => (
        <li class={outcome}>
          <strong>{known(title)}</strong>{" "}
          <Badge tone={props.outcomes[outcome].tone}>{props.outcomes[outcome].word}</Badge>
          <p>{known(text)}</p>
        </li>
      ))}
    </ol>
  );
}
