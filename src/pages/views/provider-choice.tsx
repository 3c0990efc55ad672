import { known, t } from "./console-frame.ts";

export interface ProviderTile {
  readonly name: string;
  readonly title: string;
}

/** The providers with a form of their own at `page`, and any other. */
export function ProviderChoice(props: { readonly page: string; readonly providers: readonly ProviderTile[] }) {
  return (
    <ul class="providers">
      {[...props.providers, { name: "other", title: t`Any other provider` }].map(({ name, title }) => (
        <li>
          <a href={`${props.page}?preset=${name}`}>
            <img src={`/assets/providers.svg#${name}`} alt="" />
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Returns what has to be set up at a provider, as a sentence. */
export function toSetUp(text: string): string {
  return known(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}
