import { type Locale, textOf } from "#messages/locale.ts";

/** One of the organisation's SSOs, among which a person chooses. */
export interface SsoChoice {
  readonly number: number;
  readonly label: string;
}

/** A button for each of the organisation's SSOs, each of which sends the form. */
export function SsoButtons({ locale, choices }: { readonly locale: Locale; readonly choices: readonly SsoChoice[] }) {
  return (
    <div class="actions">
      {choices.map(({ number, label }) => (
        <button type="submit" class="primary" name="sso" value={number}>
          {textOf(locale, "sign_in_with", { sso: label })}
        </button>
      ))}
    </div>
  );
}
