import { app, router } from "#app.ts";
import { MCP_PATH } from "#protocol/resource-indicator.ts";

/** One method at one address. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const API_BASES = ["/rest/api/", "/api/"];

router.open();

/** All that the router holds, in its order: addresses, and what stands before them. */
export const mounted: readonly Route[] = app.routes;

/** Every address that the router answers, each once; what merely stands before addresses is not among them. */
export function routes(): Route[] {
  const all = mounted.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
  return [...new Set(all)].map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path };
  });
}

/** The calls of the APIs, and the MCP endpoint; what stands beside that only says where it is. */
export function apiRoutes(): Route[] {
  return routes().filter(({ path }) => path === MCP_PATH || API_BASES.some((base) => path.startsWith(base)));
}

/** Each route with a pattern for its addresses, the plain ones first: they stand for themselves where a parameter could, too. */
const PATTERNS = routes()
  .map(({ method, path }) => ({ method, path, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`) }))
  .sort((one, other) => Number(one.path.includes(":")) - Number(other.path.includes(":")));

/** The route that answers a request, as `GET /path`; `none` where there is none. */
export function routeOf(method = "GET", pathname = "/"): string {
  const asked = method === "HEAD" ? "GET" : method;
  const found = PATTERNS.find((each) => each.method === asked && each.pattern.test(pathname));
  return found ? `${found.method} ${found.path}` : "none";
}
