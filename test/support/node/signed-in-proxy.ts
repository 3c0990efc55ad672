import { request } from "node:http";
import { openLoopback } from "../../../scripts/local/loopback.ts";

/** Where requests get a person's token on their way, for test suites that cannot sign in. */
export interface SignedInProxy {
  readonly origin: string;
  close(): void;
}

/** Passes requests on as they are, but with a token. */
export async function startSignedInProxy(target: string, token: string): Promise<SignedInProxy> {
  const server = await openLoopback(0);
  const { hostname, port } = new URL(target);
  server.serve((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    // A name of this machine stays a name of the server behind; any other is passed on, for that to refuse.
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
