import type { InstanceEnv } from "#instance/middleware.ts";
import { openToBrowserApps } from "#platform/cors-middleware.ts";
import { joinedBy } from "#platform/chain-middleware.ts";
import { LiteralFirstRouter } from "#platform/router.ts";
import { requestFrame } from "#platform/frame-middleware.ts";
import { answerRefusal } from "#refusal-answer.tsx";
import { type Services, servicesOf } from "#services.ts";
import { HonoBase } from "hono/hono-base";
import { answerFramed, ROUTE } from "./answer.ts";

/** The bare route, without a gate, but with what every response of the APIs has, even a refusal: an id and headers. */
const app = new HonoBase<InstanceEnv<Services>>({ router: new LiteralFirstRouter(joinedBy(answerRefusal)) });
app.onError(answerRefusal);
app.use(requestFrame(servicesOf));
app.use("/rest/api/v1/*", openToBrowserApps);
app.post(ROUTE, answerFramed);

export default { fetch: app.fetch };
