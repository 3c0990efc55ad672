import type { Context, Env, Handler, Hono, MiddlewareHandler } from "hono";

type AnyHandler = Handler<any, any, any> | MiddlewareHandler<any, any, any, any>;

/** The environment that a handler needs. */
type NeedsOf<OneHandler> = OneHandler extends (c: Context<infer Needs, any, any>, next: any) => unknown ? Needs : never;

/**
 * The handlers, if they need only what is set. Any other handler makes the call that mounts it a type error, which shows what is missing.
 */
type Satisfied<Given extends Env, Handlers extends readonly AnyHandler[]> = {
  readonly [Index in keyof Handlers]: Given extends NeedsOf<Handlers[Index]>
    ? Handlers[Index]
    : { readonly notSetOnThisRoute: NeedsOf<Handlers[Index]> };
};

type Mount<Given extends Env> = <const Handlers extends readonly AnyHandler[]>(
  path: string,
  ...handlers: Handlers & Satisfied<Given, Handlers>
) => void;

/** A group of a router's routes on which the middleware sets the same variables. */
export interface Routes<Given extends Env, Posted extends Given> {
  readonly get: Mount<Given>;
  readonly post: Mount<Posted>;
  readonly put: Mount<Given>;
  readonly delete: Mount<Given>;
}

/**
 * Mounts handlers on a group of routes. Hono itself mounts a handler anywhere, and variables that no middleware has set are
 * `undefined` there; here that does not compile.
 *
 * @template Given what the middleware before this group sets
 * @template Posted what it sets for a POST
 */
export function routes<Given extends Env, Posted extends Given = Given>(router: Hono<any>): Routes<Given, Posted> {
  return {
    get: (path, ...handlers) => void router.on("GET", [path], ...handlers),
    post: (path, ...handlers) => void router.on("POST", [path], ...handlers),
    put: (path, ...handlers) => void router.on("PUT", [path], ...handlers),
    delete: (path, ...handlers) => void router.on("DELETE", [path], ...handlers),
  };
}
