import type { Client } from "#clients/client.ts";
import type { Scope } from "#protocol/scopes.ts";

/** What a person allowed one client at one of its redirect URIs. */
export interface ConsentKey {
  readonly instanceId: number;
  readonly personId: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

/** The scopes that the person left ticked. */
export type RememberedScopes = readonly Scope[];

/** Beyond that many, answers are not remembered: the person is asked each time. */
export const CONSENTS_PER_PERSON = 200;

export interface RememberedConsents {
  /** The scopes that this person has allowed this client at this redirect URI; none where nothing is remembered. */
  scopesOf(key: ConsentKey): Promise<string[]>;
}

/** Nothing is remembered for clients that nobody vouches for, nor where the answer goes to a program that could be any. */
export function isRemembering(client: Pick<Client, "kind">, redirectUri: string): boolean {
  return client.kind === "static" && redirectUri.startsWith("https:");
}
