import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";

/**
 * Has sockets that this process opens carry what it says as it is. Miniflare's client offers compression for the one between vitest and
 * workerd, and Miniflare's entry accepts, whatever the Worker behind it is configured to do: to compress what never leaves this machine
 * took a fifth of vitest's own time.
 */
export function uncompressedSockets(): void {
  subscribe("http.client.request.created", (message) => {
    (message as { request: ClientRequest }).request.removeHeader("Sec-WebSocket-Extensions");
  });
}
