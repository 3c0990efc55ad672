import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DocumentKind, Fault, IssuerCounts, IssuerState } from "../provided.d.ts";

const HUGE_BYTES = 10 * 1024 * 1024;
const SLOW_MILLISECONDS = 300;

/** An address inside a network, which no request may be redirected to. */
const INSIDE = "http://169.254.169.254/latest/meta-data/";

/** Marks the target of a redirect, which responds without a fault. */
const MOVED = "?moved";

interface Issuer {
  state: IssuerState;
  counts: IssuerCounts;
  /** Sends the responses that are held until the issuer's state changes. */
  readonly held: (() => void)[];
}

/**
 * Any number of identity providers on one port, each under its own name: `http://127.0.0.1:<port>/<name>`. `PUT /control/<name>`
 * creates or changes one, with what it publishes and how it fails. `GET` returns how often each document was requested.
 */
export class IssuerServer {
  readonly #server: Server;
  readonly #issuers = new Map<string, Issuer>();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<IssuerServer> {
    const started = new IssuerServer();
    started.#server.listen(0, "127.0.0.1");
    await once(started.#server, "listening");
    return started;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, search } = new URL(request.url ?? "/", this.origin);
    const control = /^\/control\/([^/]+)$/.exec(path)?.[1];
    if (control !== undefined) return this.#control(control, request, response);
    const [name, document] = whatIsAsked(path);
    const issuer = name === undefined ? undefined : this.#issuers.get(name);
    if (name === undefined || document === undefined || !issuer) return json(response, {}, 404);
    issuer.counts[document] += 1;
    const own = `${this.origin}/${name}`;
    const documents = {
      discovery: { issuer: own, jwks_uri: `${own}/keys`, ...issuer.state.discovery },
      metadata: { issuer: own, jwks_uri: `${own}/keys`, ...issuer.state.discovery },
      keys: { keys: issuer.state.keys },
    };
    const fault = issuer.state.faults[document];
    if (fault === undefined || search === MOVED) json(response, documents[document]);
    else if (fault === "held until it is mended") issuer.held.push(() => json(response, documents[document]));
    else fail(fault, request, response, JSON.stringify(documents[document]));
  }

  async #control(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const issuer = this.#issuers.get(name) ?? {
      state: { keys: [], discovery: {}, faults: {} },
      counts: { discovery: 0, metadata: 0, keys: 0 },
      held: [],
    };
    if (request.method === "PUT") {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const changes = JSON.parse(Buffer.concat(chunks).toString()) as Partial<IssuerState>;
      issuer.state = { ...issuer.state, ...changes };
      this.#issuers.set(name, issuer);
      for (const answer of issuer.held.splice(0)) answer();
    }
    json(response, issuer.counts);
  }
}

function whatIsAsked(path: string): [name?: string | undefined, document?: DocumentKind] {
  const byName = /^\/([^/]+)\/(\.well-known\/openid-configuration|keys)$/.exec(path);
  if (byName) return [byName[1], byName[2] === "keys" ? "keys" : "discovery"];
  const metadata = /^\/\.well-known\/(?:oauth-authorization-server|ssf-configuration)\/([^/]+)$/.exec(path);
  return metadata ? [metadata[1], "metadata"] : [];
}

function json(response: ServerResponse, document: unknown, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(document));
}

/**
 * @param text what a healthy issuer would send. Several faults include it, so that only the rule under test refuses the response
 */
function fail(
  fault: Exclude<Fault, "held until it is mended">,
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
): void {
  const type = { "Content-Type": "application/json" };
  switch (fault) {
    case "down":
      request.socket.destroy();
      break;
    case "absent":
      json(response, {}, 404);
      break;
    case "error":
      response.writeHead(500, type).end(text);
      break;
    case "slow":
      setTimeout(() => response.writeHead(200, type).end(text), SLOW_MILLISECONDS);
      break;
    case "silent":
      break;
    case "trickling": {
      response.writeHead(200, type).write(" ");
      const trickle = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(trickle));
      break;
    }
    case "huge":
      response.writeHead(200, type).end(" ".repeat(HUGE_BYTES) + text);
      break;
    case "redirecting to itself":
      response.writeHead(302, { Location: request.url }).end();
      break;
    case "redirecting inside":
      response.writeHead(302, { Location: INSIDE }).end();
      break;
    case "redirecting to the document":
      response.writeHead(307, { Location: `${request.url ?? ""}${MOVED}` }).end(text);
      break;
    case "HTML":
      response.writeHead(200, { "Content-Type": "text/html" }).end(`<!doctype html><title>Sign in</title>${text}`);
      break;
    case "truncated":
      response.writeHead(200, type).end(text.slice(0, -2));
      break;
    default:
      throw new Error(`unknown fault ${String(fault satisfies never)}`);
  }
}
