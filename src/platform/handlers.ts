import type { Env, MiddlewareHandler } from "hono";
import type { Factory } from "hono/factory";

/**
 * Hono's `createFactory`, reduced to typing handlers. Hono's own file also creates apps, and so brings all its routers into the
 * Worker, none of which is used.
 */
export function createFactory<Given extends Env = Env>(): Pick<Factory<Given>, "createHandlers"> {
  return { createHandlers: ((...handlers: unknown[]) => handlers) as Factory<Given>["createHandlers"] };
}

/** Hono's `createMiddleware`: gives a function the type of a middleware. */
export function createMiddleware<Given extends Env = any>(
  middleware: MiddlewareHandler<Given>,
): MiddlewareHandler<Given> {
  return middleware;
}
