import type { Client } from "./client.ts";

/** Finds clients for authorization, which passes over disabled ones: to its rules they do not exist. */
export interface ClientReader {
  findEnabled(instanceId: number, clientId: string): Promise<Client | null>;
}
