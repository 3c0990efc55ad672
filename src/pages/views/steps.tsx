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
          <p>{knownFact(text)}</p>
        </li>
      ))}
    </ol>
  );
}

/** Returns a fact in the language of the page: by its sentences and clauses, if all are known, or else as a whole. */
function knownFact(text: string): string {
  const parts = text.split(/(?<=[.;]) /).map((part) => [part, knownPart(part)] as const);
  return parts.some(([part, own]) => own === part) ? known(text) : parts.map(([, own]) => own).join(" ");
}

function knownPart(part: string): string {
  const own = known(part);
  return own === part ? known(part.slice(0, -1)) + part.slice(-1) : own;
}
