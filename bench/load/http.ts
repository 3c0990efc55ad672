import { Agent, request } from "node:http";

/** A response, and how long it took. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly milliseconds: number;
}

/** Sends requests for one host to a Worker's address, on persistent connections. */
export class LoadClient {
  readonly #agent: Agent;
  readonly #target: URL;
  readonly #host: string;

  /** @param host the host that requests name if their headers name no other, which selects the instance */
  constructor(target: URL, host: string, connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#target = target;
    this.#host = host;
  }

  send(path: string, method: string, headers: Readonly<Record<string, string>> = {}, body = ""): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { hostname, port } = this.#target;
    const startedAt = performance.now();
    const length = body === "" ? {} : { "Content-Length": Buffer.byteLength(body) };
    const all = { Host: this.#host, ...headers, ...length };
    const sent = request({ agent: this.#agent, hostname, port, path, method, headers: all }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const given = new Headers();
        for (const [name, values] of Object.entries(response.headersDistinct)) {
          for (const value of values ?? []) given.append(name, value);
        }
        const { statusCode: status = 0 } = response;
        const milliseconds = performance.now() - startedAt;
        resolve({ status, headers: given, body: Buffer.concat(parts).toString(), milliseconds });
      });
    });
    sent.on("error", reject);
    sent.end(body);
    return promise;
  }

  postJson(path: string, content: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send(path, "POST", { ...headers, "Content-Type": "application/json" }, JSON.stringify(content));
  }

  close(): void {
    this.#agent.destroy();
  }
}
