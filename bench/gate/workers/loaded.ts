import worker, { DocumentsObject } from "#index.ts";
import type { Bindings } from "#platform/bindings.ts";
import { WorkerEntrypoint } from "cloudflare:workers";
import { countedBindings, operations } from "./operations.ts";

export { DocumentsObject };

let counted: Bindings | undefined;

/** The Worker as it is deployed, with its round trips to D1 counted; KV is a cache, and not counted. */
export default {
  fetch(request, bindings, context) {
    counted ??= { ...countedBindings(bindings), CACHE: bindings.CACHE };
    return worker.fetch(request, counted, context);
  },
} satisfies ExportedHandler<Bindings>;

/** What this isolate has done so far. */
export class Control extends WorkerEntrypoint {
  override fetch(): Response {
    return Response.json(operations);
  }
}
