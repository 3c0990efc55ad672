import { Badge } from "./console-layout.tsx";

/** What was looked at, one after the other, with what came of each and why. */
export function Steps<Outcome extends string>(props: {
  readonly steps: readonly { readonly title: string; readonly outcome: Outcome; readonly text: string }[];
  /** How each outcome is called here. */
  readonly outcomes: Readonly<Record<Outcome, { readonly tone: "good" | "warn" | "off"; readonly word: string }>>;
}) {
  return (
    <ol class="steps">
      {props.steps.map(({ title, outcome, text }) => (
        <li class={outcome}>
          <strong>{title}</strong> <Badge tone={props.outcomes[outcome].tone}>{props.outcomes[outcome].word}</Badge>
          <p>{text}</p>
        </li>
      ))}
    </ol>
  );
}
