import { renderWithin } from "#pages/views/console-frame.ts";
import type { JSX } from "hono/jsx/jsx-runtime";
import type { ConsoleContext } from "./http.ts";

/** Responds with a page of the console. */
export function render(c: ConsoleContext, page: JSX.Element, status: 200 | 404 | 409 | 422 = 200): Response {
  return c.html(renderWithin(c.var.console, page as { toString: () => string }), status);
}
