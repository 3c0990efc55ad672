import { once } from "node:events";
import { connect, type Socket } from "node:net";

const END_OF_HEAD = "\r\n\r\n";

/** What ends a response that is sent in chunks (RFC 9112 §7.1). */
const LAST_CHUNK = "\r\n0\r\n\r\n";

/**
 * Clients with persistent connections that leave the CPU to the server: requests are prepared bytes, and only the status and
 * length of a response are read.
 */
export class Load {
  readonly #sockets: readonly Socket[];

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  /** @param connections each has one request in progress at a time */
  static async open(target: URL, connections: number): Promise<Load> {
    const sockets = Array.from({ length: connections }, () => connect(Number(target.port), target.hostname));
    await Promise.all(sockets.map((socket) => once(socket.setNoDelay(), "connect")));
    return new Load(sockets);
  }

  /**
   * Sends this many requests and waits for all responses.
   *
   * @throws for any response but 200: a bench that measures refusals measures nothing
   */
  async send(count: number, next: () => Buffer): Promise<void> {
    let unsent = count;
    const take = () => (unsent-- > 0 ? next() : undefined);
    await Promise.all(this.#sockets.map((socket) => exchangeAll(socket, take)));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Returns the bytes of a request that searches with a token. */
export function searchRequest(url: URL, headers: Readonly<Record<string, string>>): Buffer {
  return jsonRequest(url, headers, { query: "roadmap", pageSize: 10 });
}

/** Returns the bytes of a request that posts JSON. */
export function jsonRequest(url: URL, headers: Readonly<Record<string, string>>, content: unknown): Buffer {
  return postRequest(url, headers, "application/json", JSON.stringify(content));
}

/** Returns the bytes of a request that posts a form. */
export function formRequest(url: URL, fields: Readonly<Record<string, string>>): Buffer {
  return postRequest(url, {}, "application/x-www-form-urlencoded", new URLSearchParams(fields).toString());
}

function postRequest(url: URL, headers: Readonly<Record<string, string>>, type: string, body: string): Buffer {
  const all = { Host: url.host, "Content-Type": type, "Content-Length": body.length, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST ${url.pathname} HTTP/1.1\r\n${lines.join("\r\n")}${END_OF_HEAD}${body}`);
}

async function exchangeAll(socket: Socket, take: () => Buffer | undefined): Promise<void> {
  const done = Promise.withResolvers<void>();
  let received = "";
  const sendNext = () => {
    const request = take();
    if (request) socket.write(request);
    else done.resolve();
  };
  const onData = (chunk: Buffer) => {
    received += chunk.toString("latin1");
    const length = answerLength(received);
    if (length === undefined || received.length < length) return;
    if (received.length > length || !received.startsWith("HTTP/1.1 200 ")) done.reject(new Error(received));
    received = "";
    sendNext();
  };
  const onClose = () => done.reject(new Error("workerd closed a connection"));
  socket.on("data", onData).on("close", onClose);
  try {
    if (socket.destroyed) onClose();
    sendNext();
    await done.promise;
  } finally {
    socket.off("data", onData).off("close", onClose);
  }
}

/** @returns `undefined` until enough was received to tell */
function answerLength(received: string): number | undefined {
  const head = received.indexOf(END_OF_HEAD);
  if (head < 0) return undefined;
  const headers = received.slice(0, head + 2);
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(headers)?.[1];
  if (length !== undefined) return head + END_OF_HEAD.length + Number(length);
  if (!/\r\ntransfer-encoding: chunked\r\n/i.test(headers)) throw new Error(`an answer without a length: ${received}`);
  const end = received.indexOf(LAST_CHUNK, head);
  return end < 0 ? undefined : end + LAST_CHUNK.length;
}
