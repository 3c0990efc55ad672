import type { Brand } from "#instance/policy-snapshot.ts";
import { ENGLISH_LOCALE, type Locale, textOf } from "#messages/locale.ts";
import type { Child } from "hono/jsx";
import { Document } from "./document.tsx";

export interface LayoutProps {
  readonly title: string;
  readonly service: string;
  /** Absent where no instance is known. */
  readonly brand?: Brand | undefined;
  /** The language of the page; English where it is absent. */
  readonly locale?: Locale;
  /** Room for a list, or for results beside their filters, where one question does not fill the page. */
  readonly width?: "list" | "results";
  readonly children?: Child;
}

/** The frame of every page: one card, the organisation above it, nothing that needs JavaScript. */
export function Layout({ title, service, brand, locale = ENGLISH_LOCALE, width, children }: LayoutProps) {
  return (
    <Document language={locale.language} title={`${title} · ${service}`}>
      <header class="brand">
        <Mark logo={brand?.logo} />
        <span>{brand?.organisation ?? service}</span>
      </header>
      <main class={width === undefined ? "card" : `card ${width}`}>{children}</main>
      <footer class="foot">
        {brand ? textOf(locale, "protected_by", { service }) : ""}
        {brand?.supportContact === undefined ? null : (
          <>
            {" · "}
            <a href={hrefOf(brand.supportContact)}>{locale.messages.help}</a>
          </>
        )}
      </footer>
    </Document>
  );
}

/** The organisation's logo, or ours. Its name stands beside it, so it says nothing to those who hear the page. */
export function Mark({ logo }: { readonly logo: string | undefined }) {
  return logo === undefined ? <span class="mark" aria-hidden="true" /> : <img class="logo" src={logo} alt="" />;
}

/** The support contact, as a link. */
export function SupportLink({ contact }: { readonly contact: string }) {
  return <a href={hrefOf(contact)}>{contact}</a>;
}

/** Settings let nothing else be a contact than an email address or an https URL. */
function hrefOf(contact: string): string {
  return contact.startsWith("https://") ? contact : `mailto:${contact}`;
}
