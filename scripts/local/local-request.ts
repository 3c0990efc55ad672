import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface LocalAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Asks the Worker on this machine.
 *
 * `fetch` cannot be told to accept the certificate that wrangler signs for itself under `--https`; here it is accepted,
 * which is safe because the address is loopback: nobody can stand in between who could not read this memory as well.
 */
export function requestLocally(
  url: string,
  { method = "GET", headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<LocalAnswer> {
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = send(url, { method, headers: { ...headers, ...length }, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}
