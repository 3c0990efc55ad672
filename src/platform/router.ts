import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * A router that walks its tree once for each literal route, and then answers with one look-up: what is remembered is bounded by the
 * routes, whatever callers ask for. Hono's own choice, RegExpRouter, cannot hold these routes, and says so after having tried.
 */
export class LiteralFirstRouter<Handler> implements Router<Handler> {
  readonly name = "LiteralFirstRouter";
  readonly #tree = new TrieRouter<Handler>();
  /** By method and path. */
  readonly #routes = new Set<string>();
  readonly #found = new Map<string, Result<Handler>>();

  add(method: string, path: string, handler: Handler): void {
    this.#tree.add(method, path, handler);
    this.#routes.add(`${method} ${path}`);
    this.#found.clear();
  }

  match(method: string, path: string): Result<Handler> {
    const key = `${method} ${path}`;
    const known = this.#found.get(key);
    if (known) return known;
    const found = this.#tree.match(method, path);
    if (this.#routes.has(key)) this.#found.set(key, found);
    return found;
  }
}
