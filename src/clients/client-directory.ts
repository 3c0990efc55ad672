import type { Client } from "./client.ts";

/** A client as lists show it. */
export interface ListedClient extends Client {
  /** When it was last authorized or got tokens; `null` if it never did. */
  readonly lastUsedAt: number | null;
}
