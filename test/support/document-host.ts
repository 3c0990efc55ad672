import { vi } from "vitest";

/**
 * Another server's host, `app.example`, which publishes documents by path. Until the test ends, it responds to everything that
 * the Worker fetches, except from this machine.
 */
export class DocumentHost {
  /** Every URL that was requested. */
  readonly asked: string[] = [];
  readonly #answers = new Map<string, () => Response | Promise<Response>>();

  constructor() {
    const real = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (/^http:\/\/(127\.0\.0\.1|localhost):/.test(url)) return real(input, init);
      this.asked.push(url);
      return (this.#answers.get(url) ?? notFound)();
    });
  }

  /** Sets the response of a URL from now on. */
  answer(url: string, response: () => Response | Promise<Response>): void {
    this.#answers.set(url, response);
  }

  /** Publishes JSON at a URL. */
  publish(url: string, document: unknown, headers: Record<string, string> = {}): void {
    const all = { "Content-Type": "application/json", ...headers };
    this.answer(url, () => new Response(JSON.stringify(document), { headers: all }));
  }

  /** Makes requests of a URL fail as if the host didn't exist. */
  goDown(url: string): void {
    this.answer(url, () => Promise.reject(new TypeError("Network connection lost.")));
  }
}

function notFound(): Response {
  return new Response("{}", { status: 404, headers: { "Content-Type": "application/json" } });
}
