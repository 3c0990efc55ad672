import type { Brand } from "#instance/policy-snapshot.ts";
import { ENGLISH_LOCALE, type Locale } from "#messages/locale.ts";
import type { Child } from "hono/jsx";
import { Document } from "./document.tsx";
import { type Reader, SignedIn } from "./signed-in.tsx";

export interface LayoutProps {
  readonly title: string;
  /** Absent if the instance is unknown. */
  readonly brand?: Brand | undefined;
  /** The language of the page; English if absent. */
  readonly locale?: Locale;
  /** A wider page, for a list or for results with filters next to them. Default: narrow, for one question. */
  readonly width?: "list" | "results";
  /** Who is signed in, on pages of their own. */
  readonly reader?: Omit<Reader, "locale">;
  /** The address of a script that adds convenience. Everything works without it. */
  readonly script?: string;
  readonly children?: Child;
}

/** The layout of pages outside the console: one card with the organisation above it. Nothing needs JavaScript. */
export function Layout({ title, brand, locale = ENGLISH_LOCALE, width, reader, script, children }: LayoutProps) {
  return (
    <Document
      language={locale.language}
      title={brand === undefined ? title : `${title} · ${brand.organisation}`}
      head={
        script === undefined ? null : (
          <script src={script} defer data-copy-word={locale.messages.copy} data-copied-word={locale.messages.copied} />
        )
      }
    >
      <header class={reader === undefined ? undefined : `top ${width ?? ""}`}>
        <span class="brand">
          <Mark logo={brand?.logo} />
          <span>{brand?.organisation}</span>
        </span>
        {reader === undefined ? null : <SignedIn {...reader} locale={locale} />}
      </header>
      <main class={width === undefined ? "card" : `card ${width}`}>{children}</main>
      {brand?.supportContact === undefined ? null : (
        <footer class="foot">
          <a href={hrefOf(brand.supportContact)}>{locale.messages.help}</a>
        </footer>
      )}
    </Document>
  );
}

/** The organisation's logo, or ours. Screen readers skip it, because the organisation's name is next to it. */
export function Mark({ logo }: { readonly logo: string | undefined }) {
  return logo === undefined ? <span class="mark" aria-hidden="true" /> : <img class="logo" src={logo} alt="" />;
}

/** The support contact, as a link. */
export function SupportLink({ contact }: { readonly contact: string }) {
  return <a href={hrefOf(contact)}>{contact}</a>;
}

/** The settings accept only an email address or an https URL as a contact. */
function hrefOf(contact: string): string {
  return contact.startsWith("https://") ? contact : `mailto:${contact}`;
}
