import { requestFrame } from "#platform/frame-middleware.ts";
import { answerJson, readJson } from "#platform/http.ts";
import type { RouteEnv } from "#platform/route-env.ts";
import { Refusal } from "#protocol/errors.ts";
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";
import { describe, expect, it } from "vitest";

const BODY_BYTES_MAX = 64;

const app = new HonoBase<RouteEnv>({ router: new TrieRouter() });
app.use(requestFrame(() => ({})));
app.onError((error) => new Response((error as Refusal).reason, { status: (error as Refusal).status }));
app.post("/", async (c) => answerJson(c, { read: await readJson(c, BODY_BYTES_MAX) }));

/** Returns how a JSON string of these bytes is read. @param stated the Content-Length that its sender states */
async function read(bytes: readonly number[], stated: number | undefined): Promise<unknown> {
  const headers = {
    "Content-Type": "application/json",
    ...(stated === undefined ? {} : { "Content-Length": `${stated}` }),
  };
  const body = Uint8Array.from([0x22, ...bytes, 0x22]);
  const answer = await app.request("/", { method: "POST", headers, body });
  return answer.ok ? (await answer.json<{ read: unknown }>()).read : answer.text();
}

/** Bytes at the edges of the ranges of well-formed UTF-8 (Unicode 3.9, table 3-7), and the bytes of U+FFFD. */
const FIRST = [
  0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
];
const LONG = [0xe0, 0xed, 0xef, 0xf0, 0xf1, 0xf4];
const SECOND = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf];

function strictly(bytes: readonly number[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return "utf8_broken";
  }
}

/** Checks whether bytes are a character of four bytes without the last one. */
function isCutOff([first = 0, second = 0, third = 0, ...more]: readonly number[]): boolean {
  const [least, most] = [first === 0xf0 ? 0x90 : 0x80, first === 0xf4 ? 0x8f : 0xbf];
  const begins = first >= 0xf0 && first <= 0xf4 && second >= least && second <= most;
  return begins && third >= 0x80 && third <= 0xbf && more.length === 0;
}

describe("the text of a request body", () => {
  const pairs = FIRST.flatMap((first) => [[first], ...SECOND.map((second) => [first, second])]);
  const sequences = [
    ...pairs,
    ...pairs
      .filter(([first = 0, second]) => LONG.includes(first) && second !== undefined)
      .flatMap((pair) => [0x41, 0x80, 0xbd].map((third) => [...pair, third])),
  ];

  it("must be valid UTF-8; only a four-byte character without its last byte may be read as U+FFFD", async () => {
    for (const bytes of sequences) {
      const [inPieces, atOnce] = [await read(bytes, undefined), await read(bytes, bytes.length + 2)];
      const strict = strictly(bytes);
      expect({ bytes, inPieces, atOnce }).toEqual({
        bytes,
        inPieces: strict,
        atOnce: isCutOff(bytes) ? "\uFFFD" : strict,
      });
    }
  });

  it("may contain U+FFFD if it was sent, but no invalid byte next to it", async () => {
    const bytes = [...new TextEncoder().encode("a\uFFFD\u{1F600}ü")];
    expect(await read(bytes, bytes.length + 2)).toBe("a\uFFFD\u{1F600}ü");
    expect(await read([...bytes, 0xff], bytes.length + 3)).toBe("utf8_broken");
  });

  it("is refused beyond the limit, whatever Content-Length says", async () => {
    const long = Array<number>(BODY_BYTES_MAX).fill(0x41);
    for (const stated of [undefined, 2, BODY_BYTES_MAX + 2]) expect(await read(long, stated)).toBe("body_too_large");
  });
});
