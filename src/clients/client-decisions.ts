import type { Client } from "./client.ts";
import type { ClientKeys } from "./client-keys.ts";

/**
 * What an administrator may change: keys only of a client that has keys, token exchange only of one that an administrator created; of a
 * document's client, only its requirements.
 */
export type ClientChanges = Partial<
  Pick<Client, "name" | "redirectUris" | "scopes" | "requirements" | "mayExchangeTokens">
> & {
  readonly keys?: ClientKeys;
};

/** The version of a client that somebody looked at. */
export type ClientVersion = Pick<Client, "id" | "changedAt">;

/** The decisions about a client as a whole, named by their audit events. */
export type DecisionEvent =
  | "client_approved"
  | "client_denied"
  | "client_disabled"
  | "client_enabled"
  | "client_removed";

/** The most apps that administrators of one instance create; far more than one organisation has. */
export const MADE_PER_INSTANCE = 1000;
