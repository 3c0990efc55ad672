import { readFileSync } from "node:fs";
import { RATE_LIMIT_BINDINGS } from "#platform/rate-limits.ts";
import { unstable_readConfig as readConfig } from "wrangler";
import { describe, expect, it } from "vitest";

interface Config {
  readonly d1_databases: readonly { readonly binding: string }[];
  readonly kv_namespaces: readonly { readonly binding: string }[];
  readonly durable_objects: { readonly bindings: readonly { readonly name: string }[] };
  readonly ratelimits: readonly { readonly name: string }[];
  readonly vars: Readonly<Record<string, string>>;
  readonly assets?: { readonly binding?: string };
}

const config = readConfig({ config: "wrangler.toml" }) as Config;

const TYPES = readFileSync("src/platform/bindings.ts", "utf8");

/** Secrets, and bindings that a deployment may leave out. */
const OPTIONAL = new Set([...TYPES.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name = ""]) => name));

/** Bindings that the Worker's types require, with their types. */
const DECLARED = Object.fromEntries([
  ...[...TYPES.matchAll(/^ {2}readonly (\w+): (.+);$/gm)].map(([, name, type]) => [name, type]),
  ...RATE_LIMIT_BINDINGS.map((name) => [name, "RateLimit"]),
]);

/** Bindings of wrangler.toml, with the type that each has in the Worker. */
const BOUND = Object.fromEntries(
  [
    ...config.d1_databases.map(({ binding }) => [binding, "D1Database"]),
    ...config.kv_namespaces.map(({ binding }) => [binding, "KVNamespace"]),
    ...config.durable_objects.bindings.map(({ name }) => [name, "DurableObjectNamespace"]),
    ...config.ratelimits.map(({ name }) => [name, "RateLimit"]),
    ...Object.keys(config.vars).map((name) => [name, "string"]),
    [config.assets?.binding ?? "", "{ fetch(url: string): Promise<Response> }"],
  ].filter(([name]) => !OPTIONAL.has(name ?? "")),
);

describe("the types of the Worker's bindings", () => {
  it("match the bindings of wrangler.toml by name and type", () => {
    expect(Object.keys(BOUND).length).toBeGreaterThan(8);
    expect(DECLARED).toEqual(BOUND);
  });
});
