import type { SearchLimits } from "#client-api/search/plan.sql.ts";
import { D1SearchIndex } from "#client-api/search/search.d1.ts";
import { Search } from "#client-api/search/search.ts";
import { Keyring } from "#crypto/keyring.ts";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";

/** So few that a handful of documents is a large index. */
const SMALL: SearchLimits = { ranked: 3, walked: 250_000, entries: 15, titleEntries: 1_000_000 };

/** Documents stand this far apart, so that a few of them fill a stripe. */
const STEP = 9000;
const DOCUMENTS = 60;

/** Every second document may be seen, every third has the word in its title, every fifth a second word, all the first one. */
const document = (at: number) => ({
  id: at * STEP,
  title: at % 3 === 0 ? "Heron census" : "Minutes",
  body: `heron ${at % 5 === 0 ? "owl" : "duck"} ${at % 5 === 0 ? "" : "grey"} ${at === 7 ? "unique" : ""}`,
  acl: at % 2 === 0 ? "p1" : "p2",
  updated_at: at * 86_400,
});

function searchWith(limits: SearchLimits): Search {
  return new Search(new D1SearchIndex(env.DB, limits), new Keyring(env.MASTER_KEYS));
}

interface Walked {
  readonly pages: number[][];
  readonly ids: number[];
}

async function walk(
  search: Search,
  query: string,
  pageSize: number,
  between?: () => Promise<unknown>,
): Promise<Walked> {
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    const page = await search.search(1, "ben", { query, pageSize, ...(cursor && { cursor }) });
    pages.push(page.documents.map((found) => Number(found.externalId)));
    cursor = page.cursor;
    await between?.();
  } while (cursor !== undefined && pages.length < 200);
  return { pages, ids: pages.flat() };
}

const visible = Array.from({ length: DOCUMENTS }, (_, at) => at + 1).filter((at) => at % 2 === 0);
const newestFirst = (left: number, right: number) => right - left;

beforeAll(async () => {
  await env.DB.batch([
    env.DB.prepare("INSERT INTO instances (id, name, settings, created_at) VALUES (1, 'acme', '{}', 0)"),
    env.DB.prepare(
      "INSERT INTO people (id, instance_id, email, name, created_at) VALUES ('ben', 1, 'ben@acme.example', 'Ben', 0)",
    ),
    env.DB.prepare(
      "INSERT INTO principals (id, instance_id, kind, name) VALUES (1, 1, 'person', 'ben@acme.example'), (2, 1, 'everyone', 'x')",
    ),
    env.DB.prepare("UPDATE principals SET kind = 'group' WHERE id = 2"),
    ...Array.from({ length: DOCUMENTS }, (_, index) => insert(index + 1)),
  ]);
});

function insert(at: number): D1PreparedStatement {
  const { id, title, body, acl, updated_at } = document(at);
  return env.DB.prepare(
    `INSERT INTO documents (id, instance_id, datasource, external_id, object_type, title, body, url, permissions, acl,
       updated_at, indexed_at)
     VALUES (?1, 1, 'wiki', ?2, 'Page', ?3, ?4, 'https://wiki.example/', '{}', ?5, ?6, 0)`,
  ).bind(id, String(at), title, body, acl, updated_at);
}

describe("a search whose words are all common", () => {
  it("finds the same as one that ranks, on pages of any size, each document once", async () => {
    const rankAll = searchWith({ ...SMALL, ranked: 1000 });
    for (const query of [
      "heron ",
      "heron grey ",
      "heron -owl ",
      '"heron owl"',
      "her",
      "heron last_updated_at:1970-01-31",
    ])
      for (const pageSize of [4, 100])
        for (const limits of [SMALL, { ...SMALL, titleEntries: 0 }, { ...SMALL, entries: 1e9 }]) {
          const ranked = (await walk(rankAll, query, 100)).ids.sort(newestFirst);
          const { ids } = await walk(searchWith(limits), query, pageSize);
          expect(ranked.length).toBeGreaterThan(0);
          expect([query, pageSize, limits, ids.toSorted(newestFirst)]).toEqual([query, pageSize, limits, ranked]);
        }
  });

  it("gives titles before the rest and newer before older, where its window is the whole index", async () => {
    const { ids } = await walk(searchWith({ ...SMALL, entries: 1e9 }), "heron ", 7);
    const titles = visible.filter((at) => at % 3 === 0).sort(newestFirst);
    const rest = visible.filter((at) => at % 3 !== 0).sort(newestFirst);
    expect(ids).toEqual([...titles, ...rest]);
  });

  it("gives newer before older alone, where telling titles would read too much", async () => {
    const { ids } = await walk(searchWith({ ...SMALL, titleEntries: 0 }), "heron ", 7);
    expect(ids).toEqual(visible.toSorted(newestFirst));
  });

  it("reads window by window: what is far down comes later, and no page reads the whole index", async () => {
    const search = searchWith({ ...SMALL, entries: 1, titleEntries: 0 });
    const { pages } = await walk(search, "heron ", 100);
    expect(pages.length).toBeGreaterThan(10);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(4);
    expect(pages.flat()).toEqual(visible.toSorted(newestFirst));
  });

  it("ranks as soon as one of its words is rare", async () => {
    const { pages } = await walk(searchWith({ ...SMALL, entries: 1 }), "heron unique ", 100);
    expect(pages).toEqual([[]]);
  });

  it("shows on later pages nothing that came after the first, and nothing twice", async () => {
    let added = DOCUMENTS;
    const add = async () => {
      added += 2;
      await insert(added).run();
    };
    for (const limits of [SMALL, { ...SMALL, ranked: 1000 }]) {
      const before = Array.from({ length: added }, (_, at) => at + 1).filter((at) => at % 2 === 0);
      const { ids } = await walk(searchWith(limits), "heron ", 4, add);
      expect(ids.toSorted(newestFirst)).toEqual(before.sort(newestFirst));
    }
    await env.DB.prepare("DELETE FROM documents WHERE id > ?1")
      .bind(DOCUMENTS * STEP)
      .run();
  });

  it("skips nothing where the last document of a page is gone, ranked or not", async () => {
    for (const limits of [SMALL, { ...SMALL, ranked: 1000 }]) {
      const search = searchWith(limits);
      const first = await search.search(1, "ben", { query: "heron ", pageSize: 4 });
      const seen = first.documents.map((found) => Number(found.externalId));
      const gone = seen.at(-1) ?? 0;
      const whole = (await walk(search, "heron ", 100)).ids.filter((id) => !seen.includes(id));
      await env.DB.prepare("DELETE FROM documents WHERE external_id = ?1").bind(String(gone)).run();
      const rest: number[] = [];
      for (let cursor = first.cursor; cursor !== undefined; ) {
        const page = await search.search(1, "ben", { query: "heron ", pageSize: 4, cursor });
        rest.push(...page.documents.map((found) => Number(found.externalId)));
        cursor = page.cursor;
      }
      await insert(gone).run();
      expect(rest.toSorted(newestFirst)).toEqual(whole.toSorted(newestFirst));
    }
  });
});

describe("a search by a value that few documents hold", () => {
  it("says by no next page whether there are any that the person may not see", async () => {
    await env.DB.prepare("INSERT INTO filter_terms (id, instance_id, field, value) VALUES (1, 1, 'from', 'zoe')").run();
    const search = searchWith(SMALL);
    const facetFilters = [
      { fieldName: "last_updated_at", values: [{ value: "1960-01-01", relationType: "GT" }] },
      { fieldName: "from", values: [{ value: "Zoe" }] },
    ];
    for (let hidden = 0; hidden <= SMALL.ranked; hidden += 1) {
      const page = await search.search(1, "ben", { query: '-"zz yy"', requestOptions: { facetFilters } });
      expect([hidden, page.documents, page.cursor]).toEqual([hidden, [], undefined]);
      await env.DB.prepare("UPDATE documents SET filters = 'f1' WHERE external_id = ?1")
        .bind(String(2 * hidden + 1))
        .run();
    }
    await env.DB.prepare("UPDATE documents SET filters = ''").run();
  });
});
