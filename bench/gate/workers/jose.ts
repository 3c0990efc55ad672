import { WorkerEntrypoint } from "cloudflare:workers";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { importJWK, type JWTVerifyOptions, jwtVerify } from "jose";
import type { VerificationSettings } from "../messages.ts";
import { answerConstant, ROUTE } from "./answer.ts";

let key: Awaited<ReturnType<typeof importJWK>> = new Uint8Array();
let options: JWTVerifyOptions = {};

/** Does what a resource server does that verifies every request, with its key imported once. */
const verified = createMiddleware(async (c, next) => {
  await jwtVerify(c.req.header("authorization")?.slice("Bearer ".length) ?? "", key, options);
  await next();
});

const app = new Hono();
app.post(ROUTE, verified, answerConstant);

export default { fetch: app.fetch };

/** Sets the key and the expected claims. */
export class Control extends WorkerEntrypoint {
  override async fetch(request: Request): Promise<Response> {
    const { publicJwk, issuer, audience } = await request.json<VerificationSettings>();
    key = await importJWK(publicJwk);
    options = { algorithms: [publicJwk.alg ?? ""], issuer, audience };
    return new Response(null, { status: 204 });
  }
}
