import type { Client } from "openapi-fetch";
import type { paths } from "./schema.d.ts";

export interface ClientOptions {
  /** The instance's origin, such as `https://acme-be.example.com`. */
  readonly baseUrl: string;
  /** An access token, or what gives one for each call: refresh it there. */
  readonly token: string | (() => string | Promise<string>);
  /** Instead of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * A client of an instance. `client.POST("/rest/api/v1/search", { body: { query: "travel" } })` gives `{ data, error, response }`: `data`
 * of a 200, else `error` with a `message` that says what to do.
 */
export function createClient(options: ClientOptions): Client<paths>;
