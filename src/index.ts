import { InstanceDocuments } from "#documents/documents-object.ts";
import type { Bindings } from "#platform/bindings.ts";
import { describeError, log } from "#platform/log.ts";
import { app } from "./app.ts";
import { servicesOf } from "./services.ts";

/** An instance's documents. Its alarm goes on with a move by what the whole Worker is made of. */
export class DocumentsObject extends InstanceDocuments {
  protected override goOnMoving(instanceId: number) {
    return servicesOf(this.env).documentMoves.goOn(instanceId, MOVE_MILLISECONDS);
  }
}

/** Of one alarm: others come in between its steps, and the next alarm goes on. */
const MOVE_MILLISECONDS = 10_000;

/** HEAD answers as GET does, without the body (RFC 9110 §9.3.2): whatever asks for the method sees a GET. */
async function answerHead(request: Request, bindings: Bindings, context: ExecutionContext): Promise<Response> {
  const answer = await app.fetch(new Request(request, { method: "GET" }), bindings, context);
  await answer.body?.cancel();
  return new Response(null, answer);
}

/** The trigger of wrangler.toml that does what cannot wait. The other one does everything, so that it may be the only one. */
const EVERY_MINUTE = "* * * * *";

/** The Worker: requests go to the router; the cron triggers do the maintenance. */
export default {
  fetch: (request: Request, bindings, context) =>
    request.method === "HEAD" ? answerHead(request, bindings, context) : app.fetch(request, bindings, context),
  async scheduled({ cron }, bindings): Promise<void> {
    try {
      const { eachMinute, maintenance } = servicesOf(bindings);
      await (cron === EVERY_MINUTE ? eachMinute() : maintenance.run());
    } catch (error) {
      log({ level: "error", event: "maintenance_failed", detail: describeError(error) });
    }
  },
} satisfies ExportedHandler<Bindings>;
