import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";

type Route<Handler> = readonly [method: string, path: string, handler: Handler];

/**
 * A router that walks a tree once for each literal route, and then finds it with one look-up. The number of routes limits the cache,
 * whatever callers request. RegExpRouter, Hono's own choice, can't represent these routes, and finds that out only after trying.
 *
 * Adding a route only stores it. A literal route is looked up in a tree of the few routes that may apply to it, so that a Worker
 * that starts need not build the tree of all routes, which takes longer than its first response.
 */
export class LiteralFirstRouter<Handler> implements Router<Handler> {
  readonly name = "LiteralFirstRouter";
  readonly #join: ((handlers: Handler[]) => Handler) | undefined;
  readonly #routes: Route<Handler>[] = [];
  /** Method and path. */
  readonly #literals = new Set<string>();
  #found = new Map<string, Result<Handler>>();
  #tree: TrieRouter<Handler> | undefined;
  readonly #sections = new Map<string, () => void>();

  /** @param join joins the handlers of a literal route into one, once; without it, they are found one by one */
  constructor(join?: (handlers: Handler[]) => Handler) {
    this.#join = join;
  }

  /**
   * Adds routes at and below a base when one of them is first requested, after all routes that were added until then.
   */
  section(base: string, addRoutes: () => void): void {
    this.#sections.set(base, addRoutes);
  }

  /** Adds the routes of the sections that match, by default of all. */
  open(matches: (base: string) => boolean = () => true): void {
    for (const [base, addRoutes] of this.#sections) {
      if (!matches(base)) continue;
      this.#sections.delete(base);
      addRoutes();
    }
  }

  add(method: string, path: string, handler: Handler): void {
    this.#routes.push([method, path, handler]);
    this.#literals.add(`${method} ${path}`);
    this.#tree = undefined;
    if (this.#found.size > 0) this.#found = new Map();
  }

  match(method: string, path: string): Result<Handler> {
    const key = `${method} ${path}`;
    const known = this.#found.get(key);
    if (known) return known;
    this.open((base) => path === base || path.startsWith(`${base}/`));
    if (!this.#literals.has(key)) return (this.#tree ??= treeOf(this.#routes)).match(method, path);
    const found = this.#joined(treeOf(this.#routes.filter((route) => mayApply(route[1], path))).match(method, path));
    this.#found.set(key, found);
    return found;
  }

  /** Joins handlers, unless they have path parameters: each handler reads its own. */
  #joined(found: Result<Handler>): Result<Handler> {
    const handlers = found[0].map(([handler]) => handler);
    const haveParameters = found[0].some(([, parameters]) => Object.keys(parameters).length > 0);
    return !this.#join || handlers.length < 2 || haveParameters ? found : [[[this.#join(handlers), {}]]];
  }
}

function treeOf<Handler>(routes: readonly Route<Handler>[]): TrieRouter<Handler> {
  const tree = new TrieRouter<Handler>();
  for (const route of routes) tree.add(...route);
  return tree;
}

/**
 * Checks whether the path begins with the part of a pattern before its first parameter or wildcard. `/account/*` applies to
 * `/account` too.
 */
function mayApply(pattern: string, path: string): boolean {
  const variable = pattern.search(/\/?[:*]/);
  return variable < 0 ? pattern === path : path.startsWith(pattern.slice(0, variable));
}
