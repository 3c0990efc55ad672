import { t } from "./console-frame.ts";
import type { Child } from "hono/jsx";

/** An address to enter elsewhere, with a button that copies it. */
export function Address(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly hint?: Child;
}) {
  const { id, label, value, hint } = props;
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint === undefined ? null : (
        <p id={hintId} class="hint">
          {hint}
        </p>
      )}
      <div class="copied">
        <input id={id} readonly value={value} autocomplete="off" spellcheck={false} aria-describedby={hintId} />
        <button type="button" data-copy={id} hidden>{t`Copy`}</button>
      </div>
    </div>
  );
}
