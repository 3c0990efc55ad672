import { InstanceDocuments } from "#documents/documents-object.ts";
import type { Bindings } from "#platform/bindings.ts";
import { app } from "./app.ts";
import { servicesOfWorker } from "./services.ts";

/** An instance's documents. Its alarm continues a move with the Worker's services. */
export class DocumentsObject extends InstanceDocuments {
  protected override goOnMoving(instanceId: number) {
    return servicesOfWorker(this.env).documentMoves.goOn(instanceId, MOVE_MILLISECONDS);
  }
}

/** How long one alarm continues a move. Other requests run between its steps, and the next alarm continues. */
const MOVE_MILLISECONDS = 10_000;

/** Responds to HEAD as to GET, without the body (RFC 9110 §9.3.2). Handlers that look at the method see a GET. */
async function answerHead(request: Request, bindings: Bindings, context: ExecutionContext): Promise<Response> {
  const answer = await app.fetch(new Request(request, { method: "GET" }), bindings, context);
  await answer.body?.cancel();
  return new Response(null, answer);
}

/**
 * The trigger in wrangler.toml for tasks that can't wait. The other one runs all tasks, so that it may be the only one.
 */
const EVERY_MINUTE = "* * * * *";

/**
 * The Worker: requests go to the router; the cron triggers run the maintenance. A trigger throws if a task failed, because the
 * platform reports the run as failed only then.
 */
export default {
  fetch: (request: Request, bindings, context) =>
    request.method === "HEAD" ? answerHead(request, bindings, context) : app.fetch(request, bindings, context),
  async scheduled({ cron }, bindings): Promise<void> {
    const { eachHour, eachMinute, requireServable } = servicesOfWorker(bindings);
    await requireServable();
    await (cron === EVERY_MINUTE ? eachMinute() : eachHour());
  },
} satisfies ExportedHandler<Bindings>;
