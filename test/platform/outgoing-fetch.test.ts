import { createOutgoingFetch } from "#platform/outgoing-fetch.ts";
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
