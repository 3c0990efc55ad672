import type { Statement } from "#platform/d1.ts";

/** The statements that end all grants of clients, for the batch that removes them. */
export type EndGrantsOfClients = (
  instanceId: number,
  clientIds: readonly string[],
  actor: string,
  now: number,
) => readonly Statement[];
