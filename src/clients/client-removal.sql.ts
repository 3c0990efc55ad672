import type { Statement } from "#platform/d1.ts";

/** The statements that end grants of clients, for the batch that removes or disables them: people's, or those of service accounts. */
export type EndGrantsOfClients = (
  which: "own" | "bound",
  instanceId: number,
  clientIds: readonly string[],
  actor: string,
  now: number,
) => readonly Statement[];
