import { mounted } from "../support/routes.ts";
import { LiteralFirstRouter } from "#platform/router.ts";
import { TrieRouter } from "hono/router/trie-router";
import { describe, expect, it } from "vitest";

describe("the router", () => {
  it("finds the same handlers as Hono's TrieRouter for every route, also the second time", () => {
    const ours = new LiteralFirstRouter<number>();
    const tree = new TrieRouter<number>();
    for (const [index, { method, path }] of mounted.entries()) {
      ours.add(method, path, index);
      tree.add(method, path, index);
    }
    for (const { path } of mounted) {
      const paths = [path, path.replaceAll(/:\w+/g, "given"), `${path}/further`];
      for (const asked of paths.flatMap((one) => ["GET", "POST", "PURGE"].map((method) => [method, one] as const))) {
        const expected = tree.match(...asked);
        expect(ours.match(...asked)).toEqual(expected);
        expect(ours.match(...asked)).toEqual(expected);
      }
    }
  });

  it("returns the path parameters of this request, never of an earlier one", () => {
    const router = new LiteralFirstRouter<string>();
    router.add("GET", "/clients/:id", "client");
    const parameters = (path: string) => router.match("GET", path)[0].map(([, given]) => ({ ...given }));
    expect([parameters("/clients/a"), parameters("/clients/c"), parameters("/clients/b")]).toEqual([
      [{ id: "a" }],
      [{ id: "c" }],
      [{ id: "b" }],
    ]);
  });

  it("finds handlers that are mounted after its first match", () => {
    const router = new LiteralFirstRouter<string>();
    router.add("GET", "/account", "page");
    expect(router.match("GET", "/account")[0]).toHaveLength(1);
    router.add("ALL", "*", "frame");
    expect(router.match("GET", "/account")[0]).toHaveLength(2);
  });

  it("adds a section when a path at or below its base is first matched", () => {
    const router = new LiteralFirstRouter<string>();
    router.section("/admin", () => router.add("GET", "/admin/keys", "keys"));
    const found = (path: string) => router.match("GET", path)[0].map(([handler]) => handler);
    expect([found("/admins"), found("/admin/keys"), found("/admin/keys")]).toEqual([[], ["keys"], ["keys"]]);
    router.section("/later", () => router.add("ALL", "/admin/*", "gate"));
    router.open();
    expect(found("/admin/keys")).toEqual(["keys", "gate"]);
  });
});
