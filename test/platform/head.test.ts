import { beforeAll, describe, expect, it } from "vitest";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { routes } from "../support/routes.ts";
import { makeInstance, send } from "../support/world.ts";

const GET_ROUTES = routes().filter(({ method }) => method === "GET");

let ada: ConsoleBrowser;

beforeAll(async () => {
  ada = await openConsole(await makeInstance());
});

/** Sends a request, and returns the response without the values that are random in each. */
async function seen(path: string, method: "GET" | "HEAD", cookie: string | undefined) {
  const response = await send(path, { method, headers: cookie === undefined ? {} : { Cookie: cookie } });
  const body = await response.text();
  const headers = [...response.headers].map(([name, value]) => {
    if (name === "x-request-id") return [name];
    if (name === "set-cookie") return [name, value.split("=")[0]];
    if (name === "location") return [name, value.split("?")[0]];
    return [name, value];
  });
  return { answer: { status: response.status, headers }, body };
}

describe("HEAD (RFC 9110 §9.3.2)", () => {
  it.each(GET_ROUTES.map(({ path }) => path))("gets the response of GET without the body: %s", async (template) => {
    const path = template.replaceAll(/:\w+/g, "unknown").replace("*", "");
    for (const cookie of [undefined, [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ")]) {
      const get = await seen(path, "GET", cookie);
      const head = await seen(path, "HEAD", cookie);
      expect(head.answer).toEqual(get.answer);
      expect(head.body).toBe("");
    }
  });

  it("is listed in Allow next to GET", async () => {
    const response = await send("/openapi.json", { method: "DELETE" });
    expect(response.headers.get("Allow")).toBe("GET, HEAD");
  });
});
