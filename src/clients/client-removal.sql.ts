import type { Statement } from "#platform/d1.ts";

/** Whose grants to a client: people's, or those of service accounts that it is bound to. */
export type GrantsOfClient = "own" | "bound";

/** The statements that end grants of clients, for the batch that removes or disables them. */
export type EndGrantsOfClients = (
  which: GrantsOfClient,
  instanceId: number,
  clientIds: readonly string[],
  actor: string,
  now: number,
) => readonly Statement[];
