import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { draft, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { makeInstance, ORIGIN } from "../support/world.ts";

const HTML = '<img src=x onerror="alert(1)"> & "heron"';

let ben: ConsoleBrowser;
let carla: ConsoleBrowser;

beforeAll(async () => {
  const instance = await makeInstance();
  [ben, carla] = [await ConsoleBrowser.signIn("ben"), await ConsoleBrowser.signIn("carla")];
  const pipeline = await Pipeline.of(instance);
  await pipeline.index(
    draft("ours", { title: "Plan of engineering", permissions: { allowedGroups: ["engineering"] } }),
    draft("theirs", { title: "Plan of finance", permissions: { allowedGroups: ["finance"] } }),
    draft("nobody's", { title: "Plan of nobody", permissions: {} }),
    draft("secret", { title: "Sums of money", objectType: "Secret", permissions: { allowedGroups: ["finance"] } }),
    draft("markup", { title: HTML, body: { textContent: `A heron says ${HTML} to all` } }),
    ...Array.from({ length: 23 }, (_, at) => draft(`page-${at}`, { title: `Gannet ${at}`, objectType: "Note" })),
    ...[1, 2, 3].map((at) =>
      draft(`copy${at}`, { title: "Dotterel", body: { textContent: `A dotterel nests. ${FILLER}` } }),
    ),
    draft("ticket", { datasource: "tickets", title: "Gannet and petrel", objectType: "Bug" }),
  );
});

/** As much text as a document needs to have copies. */
const FILLER = Array.from({ length: 60 }, (_, at) => `reed${at}`).join(" ");

/** Returns the titles of a page's results. */
function titlesOf(html: string): string[] {
  const [results = ""] = /<ol class="results".*?<\/ol>/s.exec(html) ?? [];
  return [...results.matchAll(/<h2[^>]*><a [^>]*>(.*?)<\/a>/g)].map(([, title = ""]) => title);
}

/** Returns the target of the page's link with these words. */
function linkOf(html: string, words: string): string {
  const links = [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)];
  const [, href] = links.find(([, , text = ""]) => text.replaceAll(/<[^>]*>/g, "") === words) ?? [];
  if (href === undefined) throw new Error(`no link "${words}" in ${html}`);
  return href.replaceAll("&amp;", "&");
}

describe("GET /search", () => {
  it("shows a person only what they may see, as the API does", async () => {
    expect(titlesOf(await ben.read("/search?q=plan"))).toEqual(["Plan of engineering"]);
    expect(titlesOf(await carla.read("/search?q=plan"))).toEqual(["Plan of finance"]);
    const { access_token } = await (await AppClient.registered()).tokens("ben");
    const { results } = await searchAnswer(access_token, { query: "gannet" });
    expect(titlesOf(await ben.read("/search?q=gannet"))).toEqual(results.map(({ title }) => title));
  });

  it("suggests documents while somebody types: only those that they may see, with the last word unfinished, and no answer", async () => {
    const suggested = async (person: ConsoleBrowser, q: string) => {
      const response = await person.get(`/search/suggestions?q=${encodeURIComponent(q)}`);
      return (await response.json<{ suggestions: { title: string }[] }>()).suggestions.map(({ title }) => title);
    };
    expect(await suggested(ben, "plan of")).toEqual(["Plan of engineering"]);
    expect(await suggested(carla, "pla")).toEqual(["Plan of finance"]);
    expect(await suggested(ben, "gann")).toHaveLength(6);
    expect(await suggested(ben, "")).toEqual([]);
    expect((await new ConsoleBrowser(ORIGIN).get("/search/suggestions?q=plan")).status).toBe(303);
  });

  it("loads its script from here only", async () => {
    const { headers } = await ben.get("/search");
    expect(headers.get("Content-Security-Policy")).toMatch(
      /^default-src 'none'; .*; script-src 'self'; connect-src 'self'; form-action 'self'$/,
    );
    expect((await ben.get("/account")).headers.get("Content-Security-Policy")).not.toContain("script-src");
  });

  it("answers a question above the results, from documents that the person may see", async () => {
    const answered = await ben.read("/search?q=what+is+the+plan+of+engineering%3F");
    expect(answered).toMatch(/<h2 id="answer">Answer<\/h2>.*Plan of engineering.*<ol class="results"/s);
    const question = "/search?q=what+is+the+plan+of+finance%3F";
    expect(await carla.read(question)).toContain("Plan of finance");
    expect(await ben.read(question)).not.toMatch(/Answer<\/h2>|Plan of finance/);
    for (const query of ["plan+of+engineering", "what", "what+is+the+plan+of+engineering%3F&since=2026-01-01"]) {
      expect(await ben.read(`/search?q=${query}`)).not.toContain('id="answer"');
    }
  });

  it("says which spelling it searched for instead of a word that no document has", async () => {
    const html = await ben.read("/search?q=gannte+petrel");
    expect(titlesOf(html)[0]).toBe("Gannet and petrel");
    expect(html).toContain("Showing results for <bdi>gannet</bdi> instead of <bdi>gannte</bdi>.");
    expect(await ben.read("/search?q=gannet+petrel")).not.toContain("Showing results for");
  });

  it("is in the reader's language, including its refusals, and has no text in another", async () => {
    const german = { "Accept-Language": "de-AT, en;q=0.5" };
    const read = async (query: string) => (await ben.get(`/search${query}`, german)).text();
    const pages = await Promise.all(
      ["", "?q=gannet+petrel+", "?q=zzzzzz", "?q=gannet&page=x", "?q=gannet&since=soon"].map(read),
    );
    const said = [
      "Sie finden nur Dokumente, die Sie sehen dürfen",
      "Ergebnisse 1 bis 10 von 24.",
      "Keine Dokumente gefunden",
      "Diese Ergebnisseite ist nicht mehr verfügbar",
      "Diesen Tag gibt es nicht",
    ];
    for (const [at, html] of pages.entries()) {
      expect(html).toContain('<html lang="de"');
      expect(html).toContain(said[at]);
      expect(html.replaceAll(/<[^>]*>/g, " ")).not.toMatch(/\b(the|your|results|next|signed|updated|author)\b/i);
    }
    expect(linkOf(pages[1] ?? "", "Weiter")).toMatch(/page=/);
  });

  it("makes people sign in first, and keeps their search", async () => {
    const answer = await new ConsoleBrowser(ORIGIN).get("/search?q=plan");
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/sign-in?to=%2Fsearch%3Fq%3Dplan"]);
    expect(await new ConsoleBrowser(ORIGIN).read("/sign-in?to=%2Fsearch%3Fq%3Dplan")).toContain('"/search?q=plan"');
  });

  it("escapes the contents of documents and queries", async () => {
    const html = await ben.read(`/search?q=${encodeURIComponent(`heron ${HTML}`)}`);
    expect(titlesOf(html)).toEqual(["&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &quot;heron&quot;"]);
    expect(html).toContain("<mark>heron</mark>");
    expect(html).not.toContain("<img");
  });

  it("can't link to an address that would be relative to the instance, because no document may have one", async () => {
    const pipeline = await Pipeline.of(await makeInstance("links"), undefined, "http://links.localhost");
    const document = draft("relative", { viewURL: "http:oauth/authorize?client_id=x" });
    expect((await pipeline.post("/api/index/v1/indexdocument", { document })).status).toBe(400);
  });

  it("has results on several pages, which can be read in both directions", async () => {
    const first = await ben.read("/search?q=gannet");
    const second = await ben.read(linkOf(first, "Next"));
    const third = await ben.read(linkOf(second, "Next"));
    const pages = [first, second, third].map(titlesOf);
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 4]);
    expect(new Set(pages.flat()).size).toBe(24);
    expect(third).toContain('start="21"');
    expect(third).not.toContain(">Next<");
    const back = await ben.read(linkOf(third, "Previous"));
    expect(titlesOf(back)).toEqual(pages[1]);
    expect(titlesOf(await ben.read(linkOf(back, "Previous")))).toEqual(pages[0]);
    expect(first).not.toContain(">Previous<");
  });

  it("narrows results by facets and time, and can remove each filter", async () => {
    const all = await ben.read("/search?q=gannet");
    const bugs = await ben.read(linkOf(all, "Bug"));
    expect(titlesOf(bugs)).toEqual(["Gannet and petrel"]);
    expect(bugs).toContain('aria-label="Remove the filter Type: Bug"');
    expect(titlesOf(await ben.read(linkOf(bugs, "Type: Bug")))).toEqual(titlesOf(all));
    expect(titlesOf(await ben.read(linkOf(all, "tickets")))).toEqual(["Gannet and petrel"]);
    expect(await ben.read(linkOf(all, "Past week"))).toContain("Updated since");
  });

  it("shows one of several documents that are nearly the same, and links to the others", async () => {
    const html = await ben.read("/search?q=dotterel+nests+");
    expect(titlesOf(html)).toEqual(["Dotterel"]);
    const others = await ben.read(linkOf(html, "2 more like this"));
    expect(titlesOf(others)).toEqual(["Dotterel", "Dotterel"]);
    expect(titlesOf(await ben.read(linkOf(others, "Nearly the same as wiki:copy3")))).toEqual(["Dotterel"]);
  });

  it("says which words some results lack, and can require them", async () => {
    const html = await ben.read("/search?q=gannet+petrel+");
    expect(titlesOf(html)[0]).toBe("Gannet and petrel");
    expect(html).toContain("Missing from some results: ");
    expect(html).toContain("Results 1 to 10 of 24.");
    expect(titlesOf(await ben.read(linkOf(html, "petrel")))).toEqual(["Gannet and petrel"]);
  });

  it("says for which author, type or datasource there is nothing, whether or not somebody else may see some", async () => {
    const told = async (query: string) =>
      [...(await ben.read(`/search?q=${query}`)).matchAll(/<p class="quiet">(You can see .*?)<\/p>/g)].map(
        ([, text = ""]) => text.replaceAll(/<\/?bdi>/g, ""),
      );
    expect(await told("plan+type:memo+from:zoe")).toEqual([
      "You can see no document of the type “memo”.",
      "You can see no document by anyone called “zoe”.",
    ]);
    expect(await told("plan&filter=datasource:nowhere")).toEqual([
      "You can see no document of the datasource “nowhere”.",
    ]);
    expect(await told("plan+type:secret")).toEqual(["You can see no document of the type “secret”."]);
    expect(await told("plan+type:note")).toEqual([]);
    expect(await told("plan+-type:memo")).toEqual([]);
  });

  it("shows the words of a search as they were typed", async () => {
    const html = await ben.read(`/search?q=${encodeURIComponent("Möwe GANNET petrel ")}`);
    expect(linkOf(html, "Möwe")).toContain(encodeURIComponent('"Möwe"'));
    expect(html).not.toContain("mowe");
    expect(await ben.read("/search?q=GANNTE+petrel")).toContain("instead of <bdi>GANNTE</bdi>.");
  });

  it("counts in facets what a page shows: results without some of the words, too", async () => {
    const html = await ben.read("/search?q=gannet+petrel+");
    expect(titlesOf(await ben.read(linkOf(html, "Note")))).toHaveLength(10);
    expect(html).toMatch(/>Note<\/a>\s*<span class="quiet">23<\/span>/);
  });

  it("refuses another person's cursor, another search's and an invalid one with a page that leads on", async () => {
    const next = linkOf(await ben.read("/search?q=gannet"), "Next");
    const others = [
      next.replace("gannet", "gannets"),
      "/search?q=gannet&page=x",
      `/search?q=gannet&page=${"x".repeat(2000)}`,
    ];
    const answers = [await carla.get(next), ...(await Promise.all(others.map((address) => ben.get(address))))];
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      const html = await answer.text();
      expect(html).toContain("This page of results is no longer available.");
      expect(linkOf(html, "Start this search again")).toMatch(/^\/search\?q=gannets?$/);
    }
  });

  it.each([
    ["q=last_updated_at:2026-02-30", 400],
    ["q=gannet&since=soon", 400],
    ["q=gannet&since=-271821-04-20", 400],
    [`q=${"a".repeat(2001)}`, 400],
    [`q=gannet&${Array.from({ length: 30 }, (_, at) => `filter=type:${at}&filter=f${at}:x`).join("&")}`, 400],
    ["q=%ff", 400],
    ["q=-gannet", 200],
    ["q=zzzzzz", 200],
    ["q=&filter=none", 200],
    ["q=&filter=type:Bug", 200],
  ])("responds to %s with %d and a page", async (query, status) => {
    const answer = await ben.get(`/search?${query}`);
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([status, "text/html; charset=UTF-8"]);
    expect(await answer.text()).toContain("</html>");
  });
});
