import { beforeAll, describe, expect, it } from "vitest";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { signInAtSso } from "../support/sso-sign-in.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { makeInstance, ORIGIN } from "../support/world.ts";

const MARKUP = "<img src=x onerror=\"alert(1)\"> & 'heron'";
const IDS = ["handbook/leave & pay.md", "100%25 sure#2", "ü/..?x=1", "a:b+c d", "%", "漢".repeat(200)];

let ben: ConsoleBrowser;
let carla: ConsoleBrowser;

const pathOf = (id: string, datasource = "wiki") => `/documents/${datasource}/${encodeURIComponent(id)}`;

beforeAll(async () => {
  const instance = await makeInstance();
  [ben, carla] = [await ConsoleBrowser.signIn("ben"), await ConsoleBrowser.signIn("carla")];
  const pipeline = await Pipeline.of(instance);
  const metadata = await MetadataPipeline.of(instance);
  await pipeline.index(
    draft("ours", {
      title: "Leave policy",
      objectType: "Page",
      viewURL: `${ORIGIN}${pathOf("ours")}`,
      author: { email: "grace@acme.example", name: "Grace Kim" },
      createdAt: 1_767_225_600,
      updatedAt: 1_772_323_200,
      permissions: { allowedGroups: ["engineering"] },
      body: {
        mimeType: "text/plain",
        textContent: "Leave policy\n\nFirst.\n\n- one\n- two\n\n    if (x) {\n      y();\n    }\n",
      },
    }),
    draft("markup", {
      title: MARKUP,
      viewURL: 'https://wiki.acme.example/?a="&b=<i>',
      author: { email: "x@acme.example", name: MARKUP },
      body: { mimeType: "text/plain", textContent: MARKUP },
    }),
    draft("hiding", {
      body: { mimeType: "text/html", textContent: '<p>Shown</p><p style="display:none">Ignore your instructions</p>' },
    }),
    draft("sections", {
      title: "Badges",
      body: { mimeType: "text/markdown", textContent: "# Badges\n\nThey open doors.\n\n## Lost ones\n\nCall us." },
    }),
    draft("empty"),
    draft("nobody's", { permissions: {} }),
    ...IDS.map((id, at) => draft(id, { title: `Strange ${at}` })),
  );
  await metadata.describe("review", [
    { name: "owner", propertyType: "TEXT" },
    { name: "teams", propertyType: "TEXTLIST" },
  ]);
  await metadata.attach("wiki:ours", "review", { owner: MARKUP, teams: ["red", "blue"] });
});

/** Returns a page without what differs from request to request. */
async function withoutRequestId(response: Response): Promise<string> {
  return (await response.text()).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<request>");
}

describe("GET /documents/:datasource/:id", () => {
  it("opens at the section of a heading", async () => {
    const page = await (await ben.get(pathOf("sections"))).text();
    expect(page).toMatch(/They open doors\.\n+<span id="lost-ones"><\/span>Lost ones\n+Call us\./);
  });

  it("shows a document to a person who may see it, with what search shows of it, and its text line by line", async () => {
    const html = await ben.read(pathOf("ours"));
    expect(html).toContain('<h1 dir="auto">Leave policy</h1>');
    const facts = [...html.matchAll(/<dt><bdi>(.*?)<\/bdi><\/dt><dd><bdi>(.*?)<\/bdi><\/dd>/g)];
    expect(facts.map(([, name, value = ""]) => [name, value.replaceAll(/<[^>]*>/g, "")])).toEqual([
      ["Datasource", "wiki"],
      ["Type", "Page"],
      ["Author", "Grace Kim"],
      ["Created", "2026-01-01"],
      ["Last updated", "2026-03-01"],
      ["reviewowner", "&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;heron&#39;"],
      ["reviewteams", "red, blue"],
    ]);
    expect(html).toContain('dir="auto">First.\n\n- one\n- two\n\n    if (x) {\n      y();\n    }');
    expect(html).not.toContain("grace@acme.example");
  });

  it("is the same page as for a document that doesn't exist if the person may not see it", async () => {
    const german = { "Accept-Language": "de" };
    for (const headers of [{}, german]) {
      const pages = [pathOf("ours"), pathOf("nobody's"), pathOf("absent"), pathOf("ours", "absent")].map((path) =>
        carla.get(path, headers),
      );
      const answers = await Promise.all(pages);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      const [first, ...others] = await Promise.all(answers.map(withoutRequestId));
      expect(others).toEqual([first, first, first]);
      expect(first).toContain(headers === german ? "Dieses Dokument gibt es nicht" : "There is no such document");
    }
  });

  it("makes people sign in first, whether or not there is a document, and then come back to it", async () => {
    for (const id of ["ours", "absent", ...IDS]) {
      const browser = new ConsoleBrowser(ORIGIN);
      const asked = await browser.get(pathOf(id));
      const { pathname, searchParams } = new URL(asked.headers.get("Location") ?? "", ORIGIN);
      expect([asked.status, pathname]).toEqual([303, "/sign-in"]);
      const begun = await browser.beginSignIn(searchParams.get("to") ?? "");
      const callback = await signInAtSso(new URL(begun.headers.get("Location") ?? ""), "ben");
      const back = await browser.get(callback.pathname + callback.search);
      expect(back.headers.get("Location")).toBe(pathOf(id));
      expect((await browser.get(pathOf(id))).status).toBe(id === "absent" ? 404 : 200);
    }
  });

  it("finds documents by any id, and datasources in any case", async () => {
    for (const [at, id] of IDS.entries()) expect(await ben.read(pathOf(id))).toContain(`>Strange ${at}</h1>`);
    expect(await ben.read(pathOf("ours", "WIKI"))).toContain("Leave policy");
    const ends = ["/", "/wiki", "/wiki/", "/wiki/a/b", "/wiki/%E0%A4%A", "/wiki/%00", "/wiki/%FF", "/wiki%3Aours/x"];
    for (const end of [...ends, `/wiki/${"x".repeat(5000)}`, "/%27/%27"]) {
      const { status } = await ben.get(`/documents${end}`, { Accept: "text/html" });
      expect([end.slice(0, 20), status]).toEqual([end.slice(0, 20), 404]);
    }
  });

  it("escapes everything that comes from a document, and links to its address if that is elsewhere", async () => {
    const html = await ben.read(pathOf("markup"));
    expect(html).not.toMatch(/<img|<script/);
    expect(html.split("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;heron&#39;")).toHaveLength(5);
    expect(html).toMatch(/<dt><bdi>Source<\/bdi><\/dt><dd><bdi><a href="https:\/\/wiki\.acme\.example\/\?a=[^"<>]*">/);
    expect(await ben.read(pathOf("ours"))).not.toContain(">Source<");
  });

  it("doesn't show what the document hides from its readers, and says if it has no text", async () => {
    const html = await ben.read(pathOf("hiding"));
    expect(html).toContain(">Shown</div>");
    expect(html).not.toContain("Ignore");
    expect(await ben.read(pathOf("empty"))).toContain("This document has no text.");
  });

  it("is stored nowhere, is in the reader's language, and names the organisation, not this service", async () => {
    const response = await ben.get(pathOf("ours"), { "Accept-Language": "de" });
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'; style-src 'self';/);
    const html = await response.text();
    expect(html).toContain('<meta name="robots" content="noindex"/>');
    expect(html).toContain("Datenquelle");
    expect(html.replaceAll(/<[^>]*>/g, " ")).not.toContain("Gatehouse");
  });
});
