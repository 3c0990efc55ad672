import worker from "#index.ts";
import { vi } from "vitest";

/** What differs between runs, must not be read by others, or is too long to read. */
const ELIDED: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<JWT>"],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<request id>"],
  // The state at the SSO ends with the id of the master key that its nonce and code verifier are derived with.
  [/(?<=[?&]state=)[\w-]{40,}\.[\w-]+/g, "<secret>"],
  [/(?<![\w-])(?=[\w-]*[A-Z0-9])[\w-]{40,}(?:\.[\w-]{20,})*(?![\w-])/g, "<secret>"],
  [/(?<![\w-])(?=[\w-]*[A-Z0-9])[\w-]{22}(?![\w-])/g, "<id>"],
  [/\b1[789]\d{8}\b/g, "<seconds>"],
  [/"tools":\[\{"name".*\]/g, '"tools":[<the tools>]'],
  [/http(?::\/\/|%3A%2F%2F)localhost(?::|%3A)\d+/g, "<single sign-on>"],
];

const HEADERS = ["authorization", "accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "origin"];
const ANSWERED = ["www-authenticate", "location", "content-type", "cache-control"];

/**
 * Records every request to the Worker and its response, until it is stopped. @returns stops it, and returns the Markdown
 */
export function recordSession(): () => string {
  const exchanges: string[] = [];
  const handle = worker.fetch;
  const spy = vi.spyOn(worker, "fetch").mockImplementation(async (...args: Parameters<typeof handle>) => {
    const [request] = args;
    const sent = await request.clone().text();
    const response = await handle(...args);
    const { pathname, search } = new URL(request.url);
    const asked = [`${request.method} ${pathname}${search}`, ...linesOf(request.headers, HEADERS), ...bodyOf(sent)];
    const answered = [
      `${response.status}`,
      ...linesOf(response.headers, ANSWERED),
      ...bodyOf(
        response.headers.get("content-type")?.startsWith("text/html") ? "(a page)" : await response.clone().text(),
      ),
    ];
    exchanges.push(["```http", ...asked, "```", "```http", ...answered, "```"].join("\n"));
    return response;
  });
  return () => {
    spy.mockRestore();
    return ELIDED.reduce((text, [what, by]) => text.replaceAll(what, by), exchanges.join("\n\n"));
  };
}

function linesOf(headers: Headers, names: readonly string[]): string[] {
  return names.flatMap((name) => (headers.get(name) === null ? [] : [`${name}: ${headers.get(name)}`]));
}

function bodyOf(text: string): string[] {
  return text === "" ? [] : ["", text];
}
