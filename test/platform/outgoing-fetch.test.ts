import { createOutgoingFetch, OutgoingRequestsTooMany, STRANGERS } from "#platform/outgoing-fetch.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

describe("an outgoing request to a URL that somebody else chose (SSRF)", () => {
  const asked: string[] = [];
  let answer: () => Response;

  beforeEach(() => {
    asked.length = 0;
    answer = () => new Response("{}");
    vi.stubGlobal("fetch", async (url: string) => {
      asked.push(url);
      return answer();
    });
  });
  afterEach(() => void vi.unstubAllGlobals());

  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://0x7f000001/",
    "https://2130706433/",
    "https://0177.0.0.1:8443/",
    "https://10.1.2.3/",
    "https://10.1.2.3./",
    "https://172.31.0.1/",
    "https://192.168.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.100.100.200/",
    "https://192.0.0.192/",
    "https://198.18.0.1/",
    "https://0.0.0.0/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[fd00::1]/",
    "https://[2001:db8::1]/",
    "https://localhost/",
    "https://localhost.:8787/",
    "https://acme.localhost/",
    "https://metadata.google.internal/",
    "https://metadata.google.internal./",
    "https://printer.local/",
    "https://router.home.arpa/",
    "https://\u2460\u2461\u2466.0.0.1/",
    "http://public.example/",
    "ftp://public.example/",
  ])("is not sent to %s", async (url) => {
    await expect(createOutgoingFetch(false)(url)).rejects.toThrow(/not a public address|not reached by https/);
    expect(asked).toEqual([]);
  });

  it("is sent to a public address, but doesn't follow redirects", async () => {
    const send = createOutgoingFetch(false);
    expect((await send("https://public.example:8443/a")).status).toBe(200);
    expect((await send("https://8.8.8.8/")).status).toBe(200);
    answer = () => new Response(null, { status: 302, headers: { Location: "https://169.254.169.254/" } });
    await expect(send("https://public.example/")).rejects.toThrow(/redirect/);
    expect(asked).toEqual(["https://public.example:8443/a", "https://8.8.8.8/", "https://public.example/"]);
  });

  it.each([
    ["members", (parts: number) => `{${Array.from({ length: parts }, (_, at) => `"${at}":1`).join(",")}}`],
    ["elements", (parts: number) => `[${"1,".repeat(parts - 1)}1]`],
    ["arrays in an array", (parts: number) => `{"pad":[${"[],".repeat(parts / 2 - 1)}1]}`],
  ])("refuses JSON with too many parts before anybody parses it, whatever its type: %s", async (_which, make) => {
    const send = createOutgoingFetch(false, "refuse", { bytesMax: 100_000, partsMax: 1000 });
    for (const [parts, isAccepted] of [
      [998, true],
      [1000, true],
      [1002, false],
    ] as const) {
      answer = () => new Response(make(parts), { headers: { "Content-Type": "text/html" } });
      const asking = send("https://public.example/");
      if (isAccepted) expect((await asking).status).toBe(200);
      else await expect(asking).rejects.toThrow("an answer with too many parts");
    }
  });

  it("reads pages of any shape, which nobody parses", async () => {
    answer = () => new Response(`<p>${"[,".repeat(50_000)}`);
    expect(await createOutgoingFetch(false, "refuse", STRANGERS)("https://public.example/", {}).catch(String)).toMatch(
      /more than 32768 bytes/,
    );
    expect((await createOutgoingFetch(false)("https://public.example/")).status).toBe(200);
  });

  it("takes no larger answer than strangers may send, whatever the reader would accept", async () => {
    const send = createOutgoingFetch(false, "refuse", STRANGERS);
    for (const [more, isAccepted] of [
      [-1, true],
      [0, true],
      [1, false],
    ] as const) {
      answer = () => new Response("x".repeat(STRANGERS.bytesMax + more));
      const asking = send("https://public.example/", {}, 256 * 1024);
      if (isAccepted) expect((await asking).status).toBe(200);
      else await expect(asking).rejects.toThrow("an answer of more than 32768 bytes");
    }
  });

  it("is refused while too many others are under way, and not because of one that was cut off", async () => {
    vi.useFakeTimers();
    const send = createOutgoingFetch(false, "refuse", { bytesMax: 10, partsMax: 10, atOnceMax: 2 });
    const { promise: hanging, resolve } = Promise.withResolvers<void>();
    vi.stubGlobal("fetch", async () => {
      await hanging;
      return new Response("{}");
    });
    const underway = send("https://slow.example/");
    void send("https://slow.example/");
    await expect(send("https://public.example/")).rejects.toThrow(OutgoingRequestsTooMany);
    vi.setSystemTime(Date.now() + 8001);
    void send("https://slow.example/");
    resolve();
    expect((await underway).status).toBe(200);
    vi.stubGlobal("fetch", async () => new Response("{}"));
    for (let time = 0; time < 5; time += 1) expect((await send("https://public.example/")).status).toBe(200);
    vi.useRealTimers();
  });

  it("says whether a host that doesn't respond is late or can't be reached, with the platform's error as the cause", async () => {
    for (const [error, expected] of [
      [new Error("internal error; reference = x"), "public.example can’t be reached"],
      [new DOMException("The operation was aborted", "TimeoutError"), "public.example didn’t respond in time"],
    ] as const) {
      answer = () => {
        throw error;
      };
      const asking = createOutgoingFetch(false)("https://public.example/");
      await expect(asking).rejects.toMatchObject({ message: expected, cause: error });
    }
  });
});
