import { app, router } from "#app.ts";
import { MCP_PATH } from "#protocol/resource-indicator.ts";

/** A method and a path. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const API_BASES = ["/rest/api/", "/api/"];

router.open();

/** Everything that the router has, in its order: routes, and the middleware before them. */
export const mounted: readonly Route[] = app.routes;

/** Returns every route once, without middleware. */
export function routes(): Route[] {
  const all = mounted.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
  return [...new Set(all)].map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path };
  });
}

/** Returns the calls of the APIs, and the MCP endpoint, without the routes that only publish metadata. */
export function apiRoutes(): Route[] {
  return routes().filter(({ path }) => path === MCP_PATH || API_BASES.some((base) => path.startsWith(base)));
}

/**
 * Each route with a pattern for its paths. Those without parameters come first, because a parameter could match them too.
 */
const PATTERNS = routes()
  .map(({ method, path }) => ({ method, path, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`) }))
  .sort((one, other) => Number(one.path.includes(":")) - Number(other.path.includes(":")));

/** Returns the route of a request, as `GET /path`; `none` if there is none. */
export function routeOf(method = "GET", pathname = "/"): string {
  const asked = method === "HEAD" ? "GET" : method;
  const found = PATTERNS.find((each) => each.method === asked && each.pattern.test(pathname));
  return found ? `${found.method} ${found.path}` : "none";
}
