import type { Context, Env, Handler, Hono, MiddlewareHandler } from "hono";

type AnyHandler = Handler<any, any, any> | MiddlewareHandler<any, any, any, any>;

/** What a handler reads of its context. */
type NeedsOf<OneHandler> = OneHandler extends (c: Context<infer Needs, any, any>, next: any) => unknown ? Needs : never;

/** Handlers that read only what is given; any other makes the call that mounts it an error that names what is missing. */
type Satisfied<Given extends Env, Handlers extends readonly AnyHandler[]> = {
  readonly [Index in keyof Handlers]: Given extends NeedsOf<Handlers[Index]>
    ? Handlers[Index]
    : { readonly notSetOnThisRoute: NeedsOf<Handlers[Index]> };
};

type Mount<Given extends Env> = <const Handlers extends readonly AnyHandler[]>(
  path: string,
  ...handlers: Handlers & Satisfied<Given, Handlers>
) => void;

/** One group of a router's routes: those on which the same is set before a handler runs. */
export interface Routes<Given extends Env, Posted extends Given> {
  readonly get: Mount<Given>;
  readonly post: Mount<Posted>;
  readonly put: Mount<Given>;
  readonly delete: Mount<Given>;
}

/**
 * Mounts handlers on a group of routes. Hono itself mounts a handler anywhere, and leaves what it reads `undefined` where no middleware
 * has set it; here that does not compile.
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
