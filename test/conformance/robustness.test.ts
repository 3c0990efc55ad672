import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, postBody, register, REDIRECT_URI } from "../support/app-client.ts";
import { makeInstance, send } from "../support/world.ts";

/** Strings that break parsers; percent-encoded when sent. */
const HOSTILE: Readonly<Record<string, string>> = {
  "a NUL": "a\u0000b",
  "CR and LF": "a\r\nSet-Cookie: b=c",
  "64 KB": "x".repeat(64 * 1024 - 200),
  "9 KB": "x".repeat(9 * 1024),
  __proto__: "__proto__",
  constructor: "constructor",
  unicode: "ü漢😀\u202e\ufeff\uffff",
  SQL: "' OR 1=1; DROP TABLE clients; --",
  HTML: '"><script>alert(1)</script>',
  JSON: '{"$ne":null}',
  "a path": "../../../../etc/passwd",
  "a number": "1e999",
};

/** Bodies and queries that are malformed or unusual form encoding. */
const MALFORMED = [
  "%",
  "%2",
  "%zz=1",
  "client_id=%",
  "client_id=%ff",
  "client_id=%c0%80",
  "client_id=%ed%a0%80",
  "=",
  "=x",
  "&&&&",
  "client_id",
  "client_id[]=x",
  "client_id[a]=x",
  "client_id=x;client_id=y",
  "a&".repeat(100),
  Array.from({ length: 1000 }, (_, n) => `p${n}=x`).join("&"),
  "x=".padEnd(65_000, "%41"),
];

const CONTENT_TYPES = [
  "application/json",
  "application/xml",
  "multipart/form-data",
  "text/plain;charset=utf-16",
  "application/x-www-form-urlencoded; charset=utf-7",
  "application/x-www-form-urlencoded, application/json",
  "*/*",
  "x".repeat(4000),
  ";",
];

const POSTED = ["/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/consent"];
const VISITED = ["/oauth/authorize", "/oauth/callback", "/oauth/consent"];
// biome-ignore format: a list
const NAMES = [
  "grant_type", "client_id", "client_secret", "code", "code_verifier", "redirect_uri", "refresh_token", "scope",
  "resource", "token", "token_type_hint", "state", "request", "csrf_token", "decision", "response_type", "prompt",
];

describe("endpoints that get hostile input (OWASP ASVS 5.0 V2)", () => {
  let app: AppClient;

  beforeAll(async () => {
    await makeInstance();
    app = await AppClient.registered();
  });

  async function expectRefused(response: Response, what: string): Promise<void> {
    await response.body?.cancel();
    expect({ what, refused: response.status >= 400 && response.status < 500, status: response.status }).toMatchObject({
      refused: true,
    });
  }

  it.each([
    ["4 KB", "s".repeat(4096)],
    ["4 KB that have to be encoded", "%".repeat(4096)],
    ["unicode", "zürich 漢字 😀 e\u0301 \u202e"],
    ["plus, percent and ampersand", "a+b%2Bc%20d&e=f;g"],
    ["base64", "eyJhIjoiYiJ9+/=="],
    ["JSON", '{"a":["b",null],"c":"\\"<>"}'],
    ["a URL", "https://app.example/?a=b&c=d#e"],
    ["spaces at both ends", "  s  "],
    ["what imitates an answer", "x&code=stolen&iss=https://evil.example"],
  ])("return a state of %s byte for byte, with a code and with an error", async (_, state) => {
    const refused = await send(app.authorizeUrl(CHALLENGE, { state, response_type: "token" }));
    const location = new URL(refused.headers.get("Location") ?? "");
    expect(location.searchParams.getAll("state")).toEqual([state]);
    expect(decodeURIComponent(/[?&]state=([^&]*)/.exec(location.href)?.[1] ?? "")).toBe(state);
    const { callback } = await app.authorize("ben", { state });
    expect(callback.searchParams.getAll("state")).toEqual([state]);
    expect(callback.searchParams.getAll("code")).toHaveLength(1);
  });

  it("refuse a state that no header could carry, without a redirect", async () => {
    for (const state of ["a\u0000b", "a\r\nLocation: https://evil.example", "\u007f", "s".repeat(64 * 1024)]) {
      const response = await send(app.authorizeUrl(CHALLENGE, { state }));
      expect(response.status).toBe(400);
      expect(response.headers.get("Location")).toBeNull();
    }
  });

  it.each(Object.entries(HOSTILE))("refuse %s as the value of any parameter", async (_, value) => {
    for (const path of POSTED) {
      for (const name of NAMES) {
        const body = `${name}=${encodeURIComponent(value)}`;
        await expectRefused(await postBody(path, body), `POST ${path} ${name}`);
      }
    }
    for (const path of VISITED) {
      for (const name of NAMES) {
        await expectRefused(await send(`${path}?${name}=${encodeURIComponent(value)}`), `GET ${path} ${name}`);
      }
    }
  });

  it.each(Object.entries(HOSTILE))("never respond with 5xx to %s in an otherwise valid request", async (_, value) => {
    const { verifier } = { verifier: "v".repeat(43) };
    const good = { code: "c", verifier };
    for (const name of ["client_id", "client_secret", "code", "code_verifier", "redirect_uri", "resource", "scope"]) {
      await expectRefused(await app.redeem(good, { [name]: value }), `redeem ${name}`);
      await expectRefused(await app.refresh("ghr_x", { [name]: value }), `refresh ${name}`);
      const visited = await send(app.authorizeUrl(CHALLENGE, { [name]: value }));
      expect(visited.status).toBeLessThan(500);
    }
  });

  it.each(MALFORMED.map((body) => [body.slice(0, 30), body] as const))(
    "refuse %j as a form and a query",
    async (_, body) => {
      for (const path of POSTED) await expectRefused(await postBody(path, body), `POST ${path}`);
      for (const path of VISITED) await expectRefused(await send(`${path}?${body}`), `GET ${path}`);
    },
  );

  it("refuse bytes that are not UTF-8", async () => {
    for (const bytes of [
      [0xff, 0xfe],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0x22, 0xf8, 0x22],
    ]) {
      for (const path of POSTED) {
        for (const type of ["application/x-www-form-urlencoded", "application/json"]) {
          const response = await postBody(path, new Uint8Array(bytes), { "Content-Type": type });
          await expectRefused(response, `${path} ${type}`);
        }
      }
    }
  });

  it.each(CONTENT_TYPES)("refuse a body of the type %s", async (type) => {
    for (const path of POSTED) {
      await expectRefused(await postBody(path, "client_id=x", { "Content-Type": type }), path);
    }
  });

  it("refuse requests without a body", async () => {
    for (const path of POSTED) await expectRefused(await send(path, { method: "POST" }), path);
  });

  it("refuse bodies of more than 64 KB with 413", async () => {
    for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/consent"]) {
      const response = await postBody(path, `x=${"y".repeat(128 * 1024)}`);
      expect(response.status).toBe(413);
    }
  });

  it("refuse JSON that is deeply nested, repeats members or names prototypes, and accept harmless JSON", async () => {
    const headers = { "Content-Type": "application/json", "CF-Connecting-IP": "203.0.113.1" };
    const deep = (open: string, close: string) => open.repeat(8000) + close.repeat(8000);
    for (const body of [
      deep("[", "]"),
      `{"redirect_uris":${deep("[", "]")}}`,
      `${'{"redirect_uris":'.repeat(2000)}1${"}".repeat(2000)}`,
      '{"redirect_uris":{"length":1,"0":"https://app.example/cb"}}',
      '{"__proto__":{"redirect_uris":["https://app.example/cb"]}}',
      '{"constructor":{"prototype":{"redirect_uris":["https://app.example/cb"]}}}',
      '{"redirect_uris":["https://app.example/cb"],"redirect_uris":["javascript:alert(1)"]}',
      '{"redirect_uris":["https://app.example/cb"],"scope":1e999}',
      '\ufeff{"redirect_uris":[]}',
    ]) {
      await expectRefused(await postBody("/oauth/register", body, headers), body.slice(0, 40));
    }
    const odd = { redirect_uris: [REDIRECT_URI], ["__proto__x"]: {}, toString: "x", hasOwnProperty: 1 };
    expect((await register(odd)).status).toBe(201);
    const names = ["\u0000\u202e", "<script>", "😀".repeat(5000), "\\u0000", "%00"];
    for (const client_name of names) {
      expect((await register({ redirect_uris: [REDIRECT_URI], client_name })).status).toBe(201);
    }
  });

  it.each([
    "Basic",
    "Basic ",
    "Basic =",
    "Basic Og==",
    "Basic Oi8=",
    "Basic JTpi",
    "Basic /////w==",
    "Bearer a, Basic b",
  ])("refuse the Authorization header %j", async (authorization) => {
    const response = await postBody("/oauth/token", "grant_type=refresh_token&refresh_token=x", {
      Authorization: authorization,
    });
    await expectRefused(response, authorization);
  });

  it.each(["gatehouse-browser", "gatehouse-browser=", "=;=;=", "gatehouse-browser=%ff", "x".repeat(16_000)])(
    "set a new cookie for a browser with the cookies %j",
    async (cookie) => {
      const response = await send(app.authorizeUrl(CHALLENGE), { headers: { Cookie: cookie } });
      expect(response.status).toBe(302);
      expect(response.headers.getSetCookie()).toHaveLength(1);
    },
  );
});
