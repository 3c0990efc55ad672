import type { Client } from "#clients/client.ts";

/**
 * Checks whether an error may send the browser to this redirect URI before the person has signed in and answered.
 *
 * Anybody can register an app, or publish a client metadata document, with their own https redirect URI, and make a request that
 * fails at once: a link to this service would then lead wherever they like (RFC 9700 §4.11.2). Loopback and private-use URIs lead
 * to a program on the person's own device, and an administrator chose the redirect URIs of a static client.
 */
export function mayRedirectUnasked(client: Pick<Client, "kind">, redirectUri: string): boolean {
  return client.kind === "static" || !redirectUri.startsWith("https:");
}
