import { createRequire } from "node:module";
import { join } from "node:path";
import type { HasBinding } from "#platform/configuration.ts";

/** What commands read of one environment's configuration, with the values that it inherits. */
export interface WranglerConfig {
  readonly name: string;
  readonly compatibility_date: string;
  readonly targetEnvironment?: string;
  readonly definedEnvironments?: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly routes?: readonly (string | { readonly pattern: string; readonly zone_name?: string })[];
  readonly workers_dev?: boolean;
  readonly d1_databases: readonly Named<"binding" | "database_id" | "database_name">[];
  readonly kv_namespaces: readonly Named<"binding" | "id">[];
  readonly ratelimits: readonly Named<"name" | "namespace_id">[];
  readonly durable_objects: { readonly bindings: readonly Named<"name">[] };
  readonly assets?: { readonly binding?: string };
  readonly ai?: { readonly binding?: string };
  readonly triggers: { readonly crons?: readonly string[] };
  readonly observability?: {
    readonly redact_query_string?: boolean;
    readonly logs?: { readonly invocation_logs?: boolean };
    readonly traces?: { readonly enabled?: boolean };
  };
}

type Named<Member extends string> = Readonly<Record<Member, string>>;

/**
 * Loads wrangler only when it is needed: it takes longer than everything else, and a mistyped command is refused before. With
 * `import`, Node would parse its 16 MB a second time to find out which kind of module it is.
 */
export const loadWrangler = () => createRequire(import.meta.url)("wrangler") as typeof import("wrangler");

/**
 * Reads the `wrangler.toml` of a folder as wrangler does.
 *
 * @param env the environment, `""` for the one at the top; absent: the one that CLOUDFLARE_ENV names
 */
export function readWranglerConfig(folder: string, env?: string): WranglerConfig {
  const config = join(folder, "wrangler.toml");
  return loadWrangler().unstable_readConfig({ config, ...(env === undefined ? {} : { env }) }) as WranglerConfig;
}

/** Finds the bindings that `wrangler.toml` declares. A command itself gets only some of them. */
export function hasDeclared(config: WranglerConfig): HasBinding {
  const { ai, assets, d1_databases, durable_objects, kv_namespaces, ratelimits } = config;
  const named = [...durable_objects.bindings, ...ratelimits].map(({ name }) => name);
  const bound = [...d1_databases, ...kv_namespaces, assets, ai].map((each) => each?.binding);
  const declared = new Set<string | undefined>([...named, ...bound]);
  return (name) => declared.has(name);
}
