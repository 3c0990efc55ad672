import { beforeAll, describe, expect, it } from "vitest";
import { ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { rowsIn } from "../support/documents.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { makeInstance } from "../support/world.ts";

let ada: ConsoleBrowser;

/**
 * The number of rows that are added to the list directly, as in a large datasource, besides the documents of pipelines.
 */
const PLANTED = 10_000;

beforeAll(async () => {
  const instance = await makeInstance();
  ada = await openConsole(instance);
  const pipeline = await Pipeline.of(instance);
  await pipeline.index(
    draft("folder/one two", {
      datasource: "drive",
      title: "<i>Plan</i>",
      author: { name: "Ada Marlow", email: "ada@acme.example" },
      tags: ["yearly"],
      permissions: { allowedGroups: ["board"], allowedUsers: [{ email: "zoe@acme.example" }] },
    }),
    draft("shared", { datasource: "drive", permissions: {} }),
  );
  const upload = { uploadId: "nightly", datasource: "wiki", isFirstPage: true, isLastPage: false };
  const sent = await pipeline.post("/rest/api/index/bulkindexdocuments", { ...upload, documents: [draft("a")] });
  if (sent.status !== 200) throw new Error(await sent.text());
  await rowsIn(
    instance,
    `INSERT INTO documents (datasource, external_id, generation, indexed_at, access_class, object_type, title, url, tags, keywords, body)
     WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${PLANTED - 1})
     SELECT 'wiki', printf('planted-%05d', i), 0, 0, 0, 'Page', printf('Planted %05d', i), 'https://x.example/', '[]', '', '' FROM n`,
  );
});

/** Returns what a page says, without markup. */
async function said(path: string): Promise<string> {
  const html = await ada.read(path);
  return (/<main.*<\/main>/s.exec(html)?.[0] ?? "").replaceAll(/<\/(td|dd|p|li)>/g, "|").replaceAll(/<[^>]*>/g, "");
}

async function pageOf(path: string) {
  const html = await ada.read(path);
  const link = (rel: string) =>
    new RegExp(`href="([^"]*)" rel="${rel}"`).exec(html)?.[1]?.replaceAll("&amp;", "&") ?? null;
  const ids = [...html.matchAll(/<span class="quiet">(a|planted-\d+)<\/span>/g)].map(([, id]) => id);
  return { ids, previous: link("prev"), next: link("next") };
}

describe("the pages about content", () => {
  it("list datasources with what they have and their uploads", async () => {
    const content = await said("/admin/content");
    expect(content).toContain("drive|2|");
    expect(content).toMatch(/\d MB of 10 GB in use/);
    expect(content).toContain("Uploads under way: 1");
    const wiki = await said("/admin/content/wiki");
    expect(wiki).toContain("documents|Receiving pages|1|0|");
  });

  it("show 10,000 documents page by page, in both directions", async () => {
    const first = await pageOf("/admin/content/wiki");
    expect([first.ids.length, first.ids[0], first.ids[1], first.previous]).toEqual([50, "a", "planted-00000", null]);
    const second = await pageOf(first.next ?? "");
    expect([second.ids[0], second.ids.length]).toEqual(["planted-00049", 50]);
    expect((await pageOf(second.previous ?? "")).ids).toEqual(first.ids);
    const last = await pageOf("/admin/content/wiki?after=planted-09980");
    expect([last.ids.length, last.next]).toEqual([19, null]);
    expect((await pageOf(last.previous ?? "")).ids.at(-1)).toBe("planted-09980");
  });

  it("show what is stored about a document, escaped, and who its permissions name", async () => {
    const found = await ada.get("/admin/content?document=drive%3Afolder%2Fone+two");
    expect(found.status).toBe(303);
    const page = await said(found.headers.get("Location") ?? "");
    expect(page).toContain("&lt;i&gt;Plan&lt;/i&gt;");
    expect(page).toContain("zoe@acme.example by email|Group board|");
    expect(page).toContain("Ada Marlow, ada@acme.example|");
    expect(page).toContain("a single call|");
    expect(await said("/admin/content/drive/document?id=shared")).toContain("Nobody: its permissions name no one.");
    expect(await said("/admin/content/wiki/document?id=a")).toContain("bulk upload nightly|");
  });

  it.each(["/admin/content/none", "/admin/content/wiki/document?id=none", "/admin/content/wiki/document"])(
    "respond 404 at %s",
    async (path) => {
      expect((await ada.get(path)).status).toBe(404);
    },
  );
});

describe("a signed-in person without a role", () => {
  it("is refused by the console, with links to where else they can go", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    const answer = await ben.get("/admin/");
    expect([answer.status, new URL(answer.headers.get("Location") ?? "").pathname]).toEqual([301, "/admin"]);
    const refused = await ben.get("/admin");
    expect(refused.status).toBe(403);
    const html = await refused.text();
    for (const path of ["/search", "/account", "/sign-in?to=%2Fadmin"]) expect(html).toContain(`href="${path}"`);
  });

  it("is told so in their language, unlike in the console", async () => {
    const ben = await ConsoleBrowser.signIn("ben");
    const html = await (await ben.get("/admin", { "Accept-Language": "de" })).text();
    expect(html).toContain('<html lang="de"');
    expect(html).toContain("Nur Personen mit einer Rolle");
    expect(html).toContain("Anderes Konto verwenden");
  });
});
