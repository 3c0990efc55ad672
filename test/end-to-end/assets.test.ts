import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ORIGIN } from "../support/node/gatehouse.ts";

/** Returns the assets that pages refer to, without the logo, which the Worker serves. The API reference is itself a static page. */
async function referredTo(): Promise<string[]> {
  const names = new Set<string>();
  const views = (await readdir("src", { recursive: true })).filter((file) => file.endsWith(".tsx"));
  for (const file of [...views.map((view) => `src/${view}`), "public/reference.html", "public/assets/reference.js"]) {
    const text = await readFile(file, "utf8");
    for (const [, name = ""] of text.matchAll(/["`]\/assets\/([\w.-]+)[/\w.-]*["`#]/g)) names.add(name);
  }
  return [...names].sort();
}

describe("the static assets of pages", () => {
  it("are exactly those that pages refer to", async () => {
    expect((await readdir("public/assets")).sort()).toEqual(await referredTo());
  });

  it.each([
    ["gatehouse.css", "text/css"],
    ["console.css", "text/css"],
    ["console.js", "text/javascript"],
    ["reference.js", "text/javascript"],
  ])("have their content type and are cacheable for an hour: %s", async (name, type) => {
    const answer = await fetch(`${ORIGIN}/assets/${name}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toContain(type);
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=3600");
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(await answer.text()).toBe(await readFile(`public/assets/${name}`, "utf8"));
  });
});
