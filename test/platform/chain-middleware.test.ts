import { chained, joinedBy } from "#platform/chain-middleware.ts";
import { LiteralFirstRouter } from "#platform/router.ts";
import * as fc from "fast-check";
import type { Context, Next } from "hono";
import { HonoBase } from "hono/hono-base";
import type { H, RouterRoute } from "hono/types";
import { TrieRouter } from "hono/router/trie-router";
import { describe, expect, it } from "vitest";
import { runs } from "../support/properties.ts";

const KINDS = [
  "pass",
  "return the next",
  "wait",
  "late header",
  "answer",
  "answer late",
  "throw",
  "throw late",
  "answer after",
] as const;

type Kind = (typeof KINDS)[number];

/** Returns a handler of a kind, which records when it runs. */
function stepOf(kind: Kind, at: number, notes: string[]): H {
  const answer = () => new Response(`${at}`, { headers: { [`x-of-${at}`]: "answered" } });
  const fail = () => {
    throw new Error(`${kind} ${at}`);
  };
  const steps: Record<Kind, (c: Context, next: Next) => unknown> = {
    pass: async (_c, next) => {
      await next();
      notes.push(`${at} after`);
    },
    "return the next": (_c, next) => next(),
    wait: async (_c, next) => {
      await Promise.resolve();
      await next();
    },
    "late header": async (c, next) => {
      await next();
      c.res.headers.set(`x-late-${at}`, String(c.error?.message ?? c.finalized));
    },
    answer,
    "answer late": async () => Promise.resolve().then(answer),
    throw: fail,
    "throw late": async () => Promise.resolve().then(fail),
    "answer after": async (_c, next) => {
      await next();
      return answer();
    },
  };
  return (c, next) => {
    notes.push(`${at} ${kind}`);
    return steps[kind](c, next);
  };
}

/** Returns the response of a route with these handlers, and the order in which they ran. */
async function answered(kinds: readonly Kind[], isJoined: boolean) {
  const notes: string[] = [];
  const answerError = (error: Error) => new Response(error.message, { status: 500, headers: { "x-error": "yes" } });
  const router = isJoined
    ? new LiteralFirstRouter<[H, RouterRoute]>(joinedBy(answerError))
    : new TrieRouter<[H, RouterRoute]>();
  const app = new HonoBase({ router });
  app.onError(answerError);
  app.notFound(() => new Response("nothing here", { status: 404 }));
  for (const [at, kind] of kinds.entries()) app.on("POST", ["/route"], stepOf(kind, at, notes));
  const response = await app.request("/route", { method: "POST" });
  return { status: response.status, headers: [...response.headers], body: await response.text(), notes };
}

describe("handlers of a route that are joined into one", () => {
  it("run in the same order and give the same response as Hono's own chain", async () => {
    const kinds = fc.array(fc.constantFrom(...KINDS), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(kinds, async (chosen) => {
        expect(await answered(chosen, true)).toEqual(await answered(chosen, false));
      }),
      { numRuns: runs(100) },
    );
  });

  it("rethrow a thrown value that is not an Error", async () => {
    const thrown: unknown = { not: "an error" };
    const chain = chained(
      [
        () => {
          throw thrown;
        },
      ],
      () => new Response(),
    );
    const context = { finalized: false } as Context;
    await expect(chain(context, async () => undefined)).rejects.toBe(thrown);
  });

  it("are joined only if they have no path parameters", async () => {
    const router = new LiteralFirstRouter<string>((handlers) => handlers.join("+"));
    router.add("ALL", "*", "frame");
    router.add("GET", "/clients", "list");
    router.add("GET", "/:room/clients", "other");
    router.add("GET", "/rooms/clients", "own");
    const found = (path: string) => router.match("GET", path)[0].map(([handler]) => handler);
    expect([found("/clients"), found("/rooms/clients")]).toEqual([["frame+list"], ["frame", "other", "own"]]);
  });
});
