import worker, { DocumentsObject as Genuine } from "#index.ts";
import type { Bindings } from "#platform/bindings.ts";
import { env, WorkerEntrypoint } from "cloudflare:workers";
import { countedDatabase, noCost } from "../../../test/support/counted-database.ts";
import { memoryCounters } from "../../../test/support/memory-bindings.ts";
import type { LoadedQuestion, TableRows, TriggerRun } from "../messages.ts";
import { countedBindings, countedObjects, countLines, countStorage, operations } from "./operations.ts";

/** The documents object, which also counts its calls and the rows that its statements read and write. */
export class DocumentsObject extends Genuine {
  constructor(context: DurableObjectState, bindings: Cloudflare.Env) {
    countStorage(context.storage);
    super(context, bindings);
  }

  override alarm(): Promise<void> {
    operations.alarms += 1;
    return super.alarm();
  }

  /** Begins the clean-up that would be due within an hour. */
  async beginCleanUp(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now());
  }

  /** Returns when the next alarm is due. */
  nextAlarm(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }
}

countLines();

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
    return Response.json(await answerTo(question));
  }
}

async function answerTo(question: LoadedQuestion): Promise<unknown> {
  switch (question.act) {
    case "count rows":
      return countRows();
    case "database bytes":
      return (await env.DB.prepare("SELECT 1").run()).meta.size_after;
    case "clean up":
      return cleanUp();
    case "run trigger":
      return runTrigger(question.cron);
    default:
      return question satisfies never;
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

/** Cleans up the documents of each instance. */
async function cleanUp(): Promise<null> {
  const { results } = await env.DB.prepare("SELECT id FROM instances").all<{ id: number }>();
  for (const { id } of results) {
    const object = env.DOCUMENTS.getByName(String(id)) as unknown as DocumentsObject;
    await object.beginCleanUp();
    for (let due: number | null = 0; due !== null && due < Date.now() + 1000; due = await object.nextAlarm()) {
      await scheduler.wait(10);
    }
  }
  return null;
}

/** Runs a cron trigger as the platform does. Its calls of D1 belong to no request and are not counted with theirs. */
async function runTrigger(cron: string): Promise<TriggerRun> {
  const controller = { cron, scheduledTime: Date.now(), noRetry: () => undefined };
  const cost = noCost();
  const DB = countedDatabase(
    () => env.DB,
    () => cost,
  );
  const failure = await worker.scheduled(controller, { ...env, DB }).then(() => undefined, String);
  return { ...cost, ...(failure === undefined ? {} : { failure }) };
}
