import { html } from "hono/html";
import type { Child } from "hono/jsx";

/** Where the stylesheet is; the content security policy lets nothing else style a page. */
export const STYLESHEET_PATH = "/assets/gatehouse.css";

export interface LayoutProps {
  readonly title: string;
  readonly service: string;
  readonly organisation?: string | undefined;
  readonly children?: Child;
}

/** The frame of every page: one card, the organisation above it, nothing that needs JavaScript. */
export function Layout({ title, service, organisation, children }: LayoutProps) {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${service}`}</title>
        <link rel="stylesheet" href={STYLESHEET_PATH} />
      </head>
      <body>
        <header class="brand">
          <span class="mark" aria-hidden="true" />
          <span>{organisation ?? service}</span>
        </header>
        <main class="card">{children}</main>
        <footer class="foot">{organisation ? `Protected by ${service}` : ""}</footer>
      </body>
    </html>
  );
  return html`<!doctype html>${page}`;
}
