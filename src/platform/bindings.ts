import type { RateLimitBinding } from "./rate-limits.ts";

/** The bindings of the Worker, from `wrangler.toml` and the deployment's secrets. */
export interface Bindings extends Readonly<Record<RateLimitBinding, RateLimit>> {
  readonly DB: D1Database;
  readonly CACHE: KVNamespace;
  readonly DOCUMENTS: DurableObjectNamespace;
  /** The files of `public/`. */
  readonly ASSETS: { fetch(url: string): Promise<Response> };
  /** A data set of Analytics Engine, if the deployment binds it. Each refusal is a data point. */
  readonly METRICS?: MetricsDataset;
  /** Workers AI, if the deployment binds it. Chat uses it if `CHAT_MODEL` is set too. */
  readonly AI?: TextModels;
  /** The text model that writes chat's answers. */
  readonly CHAT_MODEL?: string;
  /** Sends email, if the deployment binds it. Alerts use it if `ALERT_SENDER` is set too. */
  readonly EMAIL?: Mailer;
  /** The address that alerts by email come from, of a domain that may send. */
  readonly ALERT_SENDER?: string;
  /** The product's name, as pages show it. The header `X-<Service>-Auth-Type` has a word that is derived from it. */
  readonly SERVICE_NAME: string;
  /** The pattern of instances' hosts, with `{instance}` in place of the name: `{instance}-be.example.com`. */
  readonly INSTANCE_HOST: string;
  /** Secret: `id:key` pairs, the current one first. */
  readonly MASTER_KEYS?: string;
  /** `"true"` on a developer's machine only: loopback hosts are served over http, and error pages show the reason. */
  readonly LOCAL_DEVELOPMENT?: string;
}

/**
 * The part of Workers AI that is used. Its own type allows only listed models, and the list is older than the models.
 */
export interface TextModels {
  run(model: string, input: object, options: { readonly signal: AbortSignal }): Promise<unknown>;
}

/** The part of Cloudflare Email Service that is used. */
export interface Mailer {
  send(message: {
    readonly from: string;
    readonly to: string;
    readonly subject: string;
    readonly text: string;
  }): Promise<unknown>;
}

/** The part of a data set of Analytics Engine that is used. */
export interface MetricsDataset {
  writeDataPoint(point: { readonly indexes: [string]; readonly blobs: string[]; readonly doubles: number[] }): void;
}
