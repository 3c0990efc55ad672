import type { Client } from "./client.ts";

/** Somebody who asked administrators to approve an app. */
export interface AppRequest {
  readonly email: string;
  /** What they need it for, as they typed it; may be empty. */
  readonly purpose: string;
  readonly askedAt: number;
}

/** An app as lists show it: one of its installs. */
export interface ListedClient extends Client {
  /** When it was last authorized or got tokens; `null` if it never did. */
  readonly lastUsedAt: number | null;
  /** How many installs it has: one, unless it registers itself again and again. */
  readonly installs: number;
  /** How many of them administrators denied or disabled. */
  readonly deniedInstalls: number;
  /** Who asked for it: the latest five. */
  readonly requests: readonly AppRequest[];
}
