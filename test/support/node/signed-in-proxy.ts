import { request } from "node:http";
import { openLoopback } from "../../../scripts/local/loopback.ts";

/** A proxy that adds a person's token to requests, for test suites that cannot sign in. */
export interface SignedInProxy {
  readonly origin: string;
  close(): void;
}

/** Forwards requests unchanged, except for a token. */
export async function startSignedInProxy(target: string, token: string): Promise<SignedInProxy> {
  const server = await openLoopback(0);
  const { hostname, port } = new URL(target);
  server.serve((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    // The proxy's own name is replaced by the target's. Any other name is forwarded, so that the target refuses it.
    if (incoming.headers.host === `127.0.0.1:${server.port}`) headers.host = new URL(target).host;
    const outgoing = request({ hostname, port, method: incoming.method, path: incoming.url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    outgoing.on("error", () => answer.destroy());
    incoming.pipe(outgoing);
  });
  return { origin: `http://127.0.0.1:${server.port}`, close: () => server.close() };
}
