import { randomInt } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const IPV4 = "127.0.0.1";
const IPV6 = "::1";

/** Error codes of a machine without IPv6, where `localhost` can only mean 127.0.0.1. */
const NO_SUCH_ADDRESS = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"]);

/** The most attempts to find a port that is free on both addresses. */
const FREE_PORT_ATTEMPTS = 10;

/**
 * Ports below those that the system assigns by itself: it could assign one of those before the program that it was found for
 * takes it.
 */
const GIVEN_TO_NOBODY = [16_000, 32_000] as const;

export interface LoopbackServer {
  readonly port: number;
  serve(listener: RequestListener): void;
  close(): void;
}

/**
 * Opens a port on both loopback addresses and on nothing else.
 *
 * `localhost` means 127.0.0.1 to some clients and ::1 to others; which comes first depends on the machine. Requests wait until
 * `serve` sets their listener, because the listener may depend on the port.
 *
 * @param port 0 takes a free port.
 * @throws `EADDRINUSE` if the port is taken on one of the two addresses.
 */
export async function openLoopback(port: number): Promise<LoopbackServer> {
  for (let attempt = 1; ; attempt++) {
    const first = await listen(port, IPV4);
    const chosenPort = (first.address() as AddressInfo).port;
    try {
      const second = await listen(chosenPort, IPV6).catch(unlessNoSuchAddress);
      return together(chosenPort, second === undefined ? [first] : [first, second]);
    } catch (error) {
      first.close();
      if (port !== 0 || attempt === FREE_PORT_ATTEMPTS) throw error;
    }
  }
}

/** Whether nothing listens on this port of either loopback address. */
export async function isPortFree(port: number): Promise<boolean> {
  try {
    (await openLoopback(port)).close();
    return true;
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE" || codeOf(error) === "EACCES") return false;
    throw error;
  }
}

/**
 * Returns a port that was free on both loopback addresses a moment ago, for a program that takes its port as an argument.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...GIVEN_TO_NOBODY);
    if (await isPortFree(port)) return port;
  }
}

function listen(port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host }, () => resolve(server.off("error", reject)));
  });
}

function together(port: number, servers: readonly Server[]): LoopbackServer {
  return {
    port,
    serve: (listener) => servers.forEach((server) => server.on("request", listener)),
    close: () => servers.forEach((server) => server.close()),
  };
}

function unlessNoSuchAddress(error: unknown): undefined {
  if (!NO_SUCH_ADDRESS.has(codeOf(error) ?? "")) throw error;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
