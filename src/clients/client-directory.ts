import type { Client } from "./client.ts";

/** An app as lists show it: one of its installs. */
export interface ListedClient extends Client {
  /** When it was last authorized or got tokens; `null` if it never did. */
  readonly lastUsedAt: number | null;
  /** How many installs it has: one, unless it registers itself again and again. */
  readonly installs: number;
  /** How many of them administrators denied or disabled. */
  readonly deniedInstalls: number;
}
