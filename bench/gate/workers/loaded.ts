import worker, { DocumentsObject as Genuine } from "#index.ts";
import type { Bindings } from "#platform/bindings.ts";
import { WorkerEntrypoint } from "cloudflare:workers";
import { countedBindings, countedObjects, countSql, operations } from "./operations.ts";

/** The object of documents, with its calls and the rows that its statements read and write counted. */
export class DocumentsObject extends Genuine {
  constructor(context: DurableObjectState, bindings: Cloudflare.Env) {
    countSql(context.storage.sql);
    super(context, bindings);
  }
}

let counted: Bindings | undefined;

/** The Worker as it is deployed, with its round trips to D1 counted; KV is a cache, and not counted. */
export default {
  fetch(request, bindings, context) {
    counted ??= { ...countedBindings(bindings), CACHE: bindings.CACHE, DOCUMENTS: countedObjects(bindings.DOCUMENTS) };
    return worker.fetch(request, counted, context);
  },
} satisfies ExportedHandler<Bindings>;

/** What this isolate has done so far. */
export class Control extends WorkerEntrypoint {
  override fetch(): Response {
    return Response.json(operations);
  }
}
