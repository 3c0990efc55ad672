import { LANGUAGES, type Locale } from "#messages/locale.ts";
import { html } from "hono/html";
import type { Child } from "hono/jsx";

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
