import { app } from "#app.ts";

/** One method at one address. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const API_BASES = ["/rest/api/", "/api/", "/mcp"];

/** Every address that the router answers, each once; what merely stands before addresses is not among them. */
export function routes(): Route[] {
  const all = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
  return [...new Set(all)].map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path };
  });
}

/** The calls of the two APIs, and the MCP endpoint. */
export function apiRoutes(): Route[] {
  return routes().filter(({ path }) => API_BASES.some((base) => path.startsWith(base)));
}
