import type { Client } from "./client.ts";

/** Finds clients for authorization. Disabled clients are not found: for the rules of authorization, they do not exist. */
export interface ClientReader {
  findEnabled(instanceId: number, clientId: string): Promise<Client | null>;
}
