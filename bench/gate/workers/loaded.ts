import worker, { DocumentsObject as Genuine } from "#index.ts";
import type { Bindings } from "#platform/bindings.ts";
import { env, WorkerEntrypoint } from "cloudflare:workers";
import { memoryCounters } from "../../../test/support/memory-bindings.ts";
import type { LoadedQuestion, TableRows, TriggerRun } from "../messages.ts";
import { countedBindings, countedObjects, countSql, operations } from "./operations.ts";

/** The documents object, which also counts its calls and the rows that its statements read and write. */
export class DocumentsObject extends Genuine {
  constructor(context: DurableObjectState, bindings: Cloudflare.Env) {
    countSql(context.storage.sql);
    super(context, bindings);
  }
}

let counted: Bindings | undefined;

/**
 * The Worker as deployed, with its rate limits, which also counts its round trips to D1, but not to KV, which is a cache. Rate
 * limits are counted in memory, because Miniflare's take longer than some of what is measured.
 */
export default {
  fetch(request, bindings, context) {
    counted ??= {
      ...countedBindings(bindings),
      ...memoryCounters(),
      CACHE: bindings.CACHE,
      DOCUMENTS: countedObjects(bindings.DOCUMENTS),
    };
    return worker.fetch(request, counted, context);
  },
} satisfies ExportedHandler<Bindings>;

/** Returns what this isolate has done so far or what its database contains, or runs a cron trigger. */
export class Control extends WorkerEntrypoint {
  override async fetch(request: Request): Promise<Response> {
    if (request.method === "GET") return Response.json(operations);
    const question = await request.json<LoadedQuestion>();
    return Response.json(question.act === "count rows" ? await countRows() : await runTrigger(question.cron));
  }
}

async function countRows(): Promise<TableRows> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
  ).all<{ name: string }>();
  const counts = results.map(({ name }) => env.DB.prepare(`SELECT count(*) AS rows FROM ${name}`));
  const answers = await env.DB.batch<{ rows: number }>(counts);
  return Object.fromEntries(results.map(({ name }, at) => [name, answers[at]?.results[0]?.rows ?? 0]));
}

/** Runs a cron trigger as the platform does. Its calls of D1 belong to no request and are not counted. */
async function runTrigger(cron: string): Promise<TriggerRun> {
  const controller = { cron, scheduledTime: Date.now(), noRetry: () => undefined };
  try {
    await worker.scheduled(controller, env);
    return {};
  } catch (error) {
    return { failure: String(error) };
  }
}
