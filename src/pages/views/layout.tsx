import { PostForm } from "./post-form.tsx";
import type { Brand } from "#instance/policy-snapshot.ts";
import { ENGLISH_LOCALE, LANGUAGES, type Locale } from "#messages/locale.ts";
import type { Child } from "hono/jsx";
import { html } from "hono/html";

interface LayoutProps {
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

export interface Reader {
  readonly locale: Locale;
  readonly person: { readonly name: string; readonly email: string; readonly role: string | null };
  readonly csrfToken: string;
}

/** Who is signed in, at the top of their pages: links to the other ones, and a button to sign out. */
function SignedIn({ locale: { messages }, person, csrfToken }: Reader) {
  return (
    <PostForm action="/sign-out" csrfToken={csrfToken} class="who">
      <span class="me">
        <bdi>{person.name}</bdi> <bdi class="quiet">{person.email}</bdi>
      </span>
      <a href="/search">{messages.search}</a>
      <a href="/account">{messages.account_title}</a>
      {person.role === null ? null : <a href="/admin">{messages.account_admin}</a>}
      <button type="submit">{messages.account_sign_out}</button>
    </PostForm>
  );
}

/** The HTML document around a page, with the head elements that all pages share. */
export function Document(props: {
  readonly language: Locale["language"];
  /** The text for the browser's title bar. */
  readonly title: string;
  /** Further elements for the head. */
  readonly head?: Child;
  readonly class?: string;
  readonly children?: Child;
}) {
  const page = (
    <html lang={props.language} dir={LANGUAGES[props.language]}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{props.title}</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/gatehouse.css" />
        {props.head}
      </head>
      <body class={props.class}>{props.children}</body>
    </html>
  );
  return html`<!doctype html>${page}`;
}
