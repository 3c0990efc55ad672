import type { Bindings } from "#platform/bindings.ts";
import { headersOf, type SendToWorker } from "../../../scripts/admin/worker-request.ts";

/** Imported by a variable, because the Worker's types are those of its own runtime, which differ from Node's. */
const ROUTER: string = "#app.ts";

interface Router {
  fetch(request: Request, bindings: Bindings, context: unknown): Promise<Response>;
}

/**
 * Runs the Worker with some bindings in this process, so that commands use its router and rules without starting anything.
 */
export function workerInProcess(bindings: Bindings): SendToWorker {
  return async (url, request) => {
    const { method, body } = request;
    const underway: Promise<unknown>[] = [];
    const context = {
      waitUntil: (work: Promise<unknown>) => void underway.push(work),
      passThroughOnException: () => undefined,
      props: {},
    };
    const asked = new Request(url, { method, headers: headersOf(request), ...(body === undefined ? {} : { body }) });
    const { app } = (await import(ROUTER)) as { readonly app: Router };
    const response = await app.fetch(asked, bindings, context);
    const answer = { status: response.status, text: await response.text() };
    await Promise.allSettled(underway);
    return { ...answer, version: response.headers.get("ETag") ?? undefined };
  };
}
