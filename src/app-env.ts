import type { InstanceEnv } from "#instance/middleware.ts";
import type { McpEnv } from "#mcp/endpoint.ts";
import type { McpCall } from "#mcp/refused-call.ts";
import type { Caller } from "#resource-server/authentication/caller.ts";
import type { ContextOf } from "#platform/http.ts";
import type { RouteEnv } from "#platform/route-env.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { ClientApiEnv, IndexingEnv } from "#resource-server/authentication/gate-middleware.ts";
import type { BrowserEnv } from "#single-sign-on/browser-middleware.ts";
import type { OwnFormEnv, SignedInEnv } from "#session/session-middleware.tsx";
import type { Services } from "./services.ts";

/** The environments of the groups of routes, in the order of the router. */
export type OpenRoutes = InstanceEnv<Services>;
export type BrowserRoutes = BrowserEnv<Services>;
export type OwnPages = SignedInEnv<Services>;
export type OwnForms = OwnFormEnv<Services>;
export type ClientApiRoutes = ClientApiEnv<Services>;
export type McpRoutes = McpEnv<Services>;
export type IndexingRoutes = IndexingEnv<Services>;

/** The context of a refusal, which may have happened before the instance was found, even in the first middleware. */
export type AnyContext = Pick<
  ContextOf<
    RouteEnv<
      Services,
      {
        instance: RequestInstance | undefined;
        mcpCall?: McpCall;
        caller?: Caller;
        actor?: string;
        directory?: string;
        indexingTokenId?: string;
        session?: { readonly person: { readonly id: string } };
      }
    >
  >,
  "req" | "env" | "executionCtx" | "var" | "header" | "json" | "html" | "body"
>;
