import { readFileSync } from "node:fs";
import { RATE_LIMIT_BINDINGS } from "#platform/rate-limits.ts";
import { unstable_readConfig as readConfig } from "wrangler";
import { describe, expect, it } from "vitest";

interface Config {
  readonly d1_databases: readonly { readonly binding: string; readonly database_name: string }[];
  readonly kv_namespaces: readonly { readonly binding: string }[];
  readonly durable_objects: { readonly bindings: readonly { readonly name: string }[] };
  readonly ratelimits: readonly { readonly name: string; readonly namespace_id: string }[];
  readonly vars: Readonly<Record<string, string>>;
  readonly secrets: { readonly required: readonly string[] };
  readonly assets?: { readonly binding?: string };
}

const read = (env?: string) =>
  readConfig({ config: "wrangler.toml", ...(env === undefined ? {} : { env }) }) as unknown as Config;

const PRODUCTION = read("");
const STAGING = read("staging");

const TYPES = readFileSync("src/platform/bindings.ts", "utf8");

/** Secrets, and bindings that a deployment may leave out. */
const OPTIONAL = new Set([...TYPES.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name = ""]) => name));

/** Bindings that the Worker's types require, with their types. */
const DECLARED = Object.fromEntries([
  ...[...TYPES.matchAll(/^ {2}readonly (\w+): (.+);$/gm)].map(([, name, type]) => [name, type]),
  ...RATE_LIMIT_BINDINGS.map((name) => [name, "RateLimit"]),
]);

/** Returns the bindings of an environment of wrangler.toml, with the type that each has in the Worker. */
function boundIn(config: Config): Record<string, string> {
  const bound = [
    ...config.d1_databases.map(({ binding }) => [binding, "D1Database"]),
    ...config.kv_namespaces.map(({ binding }) => [binding, "KVNamespace"]),
    ...config.durable_objects.bindings.map(({ name }) => [name, "DurableObjectNamespace"]),
    ...config.ratelimits.map(({ name }) => [name, "RateLimit"]),
    ...Object.keys(config.vars).map((name) => [name, "string"]),
    [config.assets?.binding ?? "", "{ fetch(url: string): Promise<Response> }"],
  ];
  return Object.fromEntries(bound.filter(([name]) => !OPTIONAL.has(name ?? ""))) as Record<string, string>;
}

describe("the types of the Worker's bindings", () => {
  it.each([PRODUCTION, STAGING])(
    "match the bindings of each environment of wrangler.toml by name and type",
    (config) => {
      expect(Object.keys(DECLARED).length).toBeGreaterThan(8);
      expect(DECLARED).toEqual(boundIn(config));
    },
  );
});

describe("the environment for staging", () => {
  it("has the same settings as production, and shares no database, counter or host with it", () => {
    const shared = ({ d1_databases, ratelimits, vars }: Config) => [
      ...d1_databases.map((database) => database.database_name),
      ...ratelimits.map((counter) => counter.namespace_id),
      vars["INSTANCE_HOST"],
    ];
    expect(shared(STAGING).filter((value) => shared(PRODUCTION).includes(value))).toEqual([]);
    const settings = ({ ratelimits, durable_objects, secrets, vars }: Config) => ({
      durable_objects,
      secrets,
      ratelimits: ratelimits.map((counter) => ({ ...counter, namespace_id: "" })),
      vars: { ...vars, INSTANCE_HOST: "" },
    });
    expect(settings(STAGING)).toEqual(settings(PRODUCTION));
  });
});
