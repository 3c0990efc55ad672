import { type InstanceEnv, instanceMiddleware } from "#instance/middleware.ts";
import type { Bindings } from "#platform/bindings.ts";
import { openToBrowserApps } from "#platform/cors-middleware.ts";
import { joinedBy } from "#platform/chain-middleware.ts";
import { LiteralFirstRouter } from "#platform/router.ts";
import { requestFrame } from "#platform/frame-middleware.ts";
import { answerRefusal } from "#refusal-answer.tsx";
import { clientApiGate } from "#resource-server/authentication/gate-middleware.ts";
import { type Services, servicesOf } from "#services.ts";
import { WorkerEntrypoint } from "cloudflare:workers";
import { HonoBase } from "hono/hono-base";
import { answerFramed, ROUTE } from "./answer.ts";
import { countedBindings, countGlobals, operations } from "./operations.ts";
import { stopClock } from "./standing-clock.ts";

/** What src/app.ts runs before a route of the Client API, and a constant response. */
const app = new HonoBase<InstanceEnv<Services>>({ router: new LiteralFirstRouter(joinedBy(answerRefusal)) });
app.onError(answerRefusal);
app.use(requestFrame(servicesOf));
app.use("/rest/api/v1/*", openToBrowserApps);
app.use(instanceMiddleware);
app.post(ROUTE, clientApiGate("POST /rest/api/v1/search"), answerFramed);

stopClock();
countGlobals();
let bindings: Bindings | undefined;

export default {
  fetch(request: Request, env: Bindings, context: ExecutionContext): Response | Promise<Response> {
    bindings ??= countedBindings(env);
    return app.fetch(request, bindings, context);
  },
};

/** Returns what this isolate has done so far. */
export class Control extends WorkerEntrypoint {
  override fetch(): Response {
    return Response.json(operations);
  }
}
