import type { DocumentKeeping, ExportLine } from "#documents/upkeep/keeping.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { readJsonObject } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import { createFactory } from "hono/factory";
import * as v from "valibot";

const http = createFactory<InstanceEnv<{ readonly documents: DocumentKeeping }>>();

/** A page of an export, with one document of the largest size beyond it. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

const exportRequest = v.object({ after: v.nullable(v.string()) });

/** What an export wrote; whoever holds the master keys could write it into the database as well. */
const importRequest = v.object({ lines: v.array(v.record(v.string(), v.looseObject({}))) });

/** POST /internal/documents/stats */
export const documentStatsEndpoint = http.createHandlers(async (c) =>
  c.json(await c.var.services.documents.stats(c.var.instance.policy.instanceId)),
);

/** POST /internal/documents/export: the next page of everything that would be lost. */
export const exportDocumentsEndpoint = http.createHandlers(async (c) => {
  const { after } = parse(exportRequest, await readJsonObject(c, BODY_BYTES_MAX));
  c.header("Cache-Control", "no-store");
  return c.json(await c.var.services.documents.exportPage(c.var.instance.policy.instanceId, after));
});

/** POST /internal/documents/import: writes a page of an export. */
export const importDocumentsEndpoint = http.createHandlers(async (c) => {
  const { lines } = parse(importRequest, await readJsonObject(c, BODY_BYTES_MAX));
  await c.var.services.documents.importPage(c.var.instance.policy.instanceId, lines as unknown as ExportLine[]);
  return c.json({ success: true });
});

function parse<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, body, { abortEarly: true });
  if (parsed.success) return parsed.output;
  throw new ApiError("bad_request", { reason: "command_malformed" });
}
