import type { Deed } from "#audit/audit.ts";
import type { Statement } from "#platform/d1.ts";

/** Whose grants to a client: people's, or those of service accounts that it is bound to. */
export type GrantsOfClient = "own" | "bound";

/** A query of clients' ids, with its values. */
export interface ChosenClients {
  /** Returns the SQL, whose parameters are numbered from `first`. */
  readonly sql: (first: number) => string;
  readonly values: readonly (string | number | null)[];
}

/** The decision that ends grants, and about which client. */
export interface EndingOfClient extends Deed {
  readonly clientId: string;
}

/** The statements that end grants of clients, for the batch that removes or disables them. They come before the decision's own. */
export type EndGrantsOfClients = (
  which: GrantsOfClient,
  clients: ChosenClients,
  ending: EndingOfClient,
) => readonly Statement[];
