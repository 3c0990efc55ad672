import { openLoopback } from "../../../scripts/local/loopback.ts";

/** An app on the person's own computer, which waits for the browser to return (RFC 8252 §7.3). */
export interface LoopbackApp {
  readonly redirectUri: string;
  /** Every authorization response that a browser brought, in order. */
  readonly answers: readonly URL[];
  close(): void;
}

export async function startLoopbackApp(): Promise<LoopbackApp> {
  const server = await openLoopback(0);
  const redirectUri = `http://127.0.0.1:${server.port}/callback`;
  const answers: URL[] = [];
  server.serve((request, response) => {
    const url = new URL(request.url ?? "/", redirectUri);
    if (url.pathname === "/callback") answers.push(url);
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
    response.end("<!doctype html><title>App</title><p>Back in the app.");
  });
  return { redirectUri, answers, close: () => server.close() };
}
