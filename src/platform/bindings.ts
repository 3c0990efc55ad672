import type { RateLimitBinding } from "./rate-limits.ts";

/** What the Worker is bound to; `wrangler.toml` and the deployment's secrets give it. */
export interface Bindings extends Readonly<Record<RateLimitBinding, RateLimit>> {
  readonly DB: D1Database;
  readonly CACHE: KVNamespace;
  readonly DOCUMENTS: DurableObjectNamespace;
  /** The files of `public/`. */
  readonly ASSETS: { fetch(url: string): Promise<Response> };
  /** Workers AI, where the deployment binds it; chat uses it where `CHAT_MODEL` is set too. */
  readonly AI?: TextModels;
  /** The text model that words chat's answers. */
  readonly CHAT_MODEL?: string;
  /** The name in `X-<Service>-Auth-Type` and on pages. */
  readonly SERVICE_NAME: string;
  /** Where the instance's name is in the host: `{instance}-be.example.com`. */
  readonly INSTANCE_HOST: string;
  /** Secret: `id:key` pairs, the current one first. */
  readonly MASTER_KEYS?: string;
  /** `"true"` on a developer's machine only: loopback hosts answer over http, error pages show the reason. */
  readonly LOCAL_DEVELOPMENT?: string;
}

/** What is used of Workers AI. Its own type holds models to a list that is older than the models. */
export interface TextModels {
  run(model: string, input: object, options: { readonly signal: AbortSignal }): Promise<unknown>;
}
