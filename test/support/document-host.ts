import { vi } from "vitest";

/**
 * Another server's host, `app.example`, which publishes documents by path. Until the test ends, what the Worker fetches from
 * anywhere but the machine itself is answered here.
 */
export class DocumentHost {
  /** Every URL that was asked for. */
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

  /** Answers an address from now on. */
  answer(url: string, response: () => Response | Promise<Response>): void {
    this.#answers.set(url, response);
  }

  /** Answers an address with JSON. */
  publish(url: string, document: unknown, headers: Record<string, string> = {}): void {
    const all = { "Content-Type": "application/json", ...headers };
    this.answer(url, () => new Response(JSON.stringify(document), { headers: all }));
  }

  /** Lets an address fail as a host does that is not there. */
  goDown(url: string): void {
    this.answer(url, () => Promise.reject(new TypeError("Network connection lost.")));
  }
}

function notFound(): Response {
  return new Response("{}", { status: 404, headers: { "Content-Type": "application/json" } });
}
