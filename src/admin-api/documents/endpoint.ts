import type { DocumentKeeping } from "#documents/upkeep/keeping.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { isExportPlace } from "#documents/upkeep/export.ts";
import { readJsonObject } from "#platform/http.ts";
import { describeIssue } from "#platform/members.ts";
import { ApiError } from "#protocol/errors.ts";
import { createFactory } from "#platform/handlers.ts";
import * as v from "valibot";
import { type SearchedDocuments, trySearch } from "#doctor/trial-search.ts";
import { readBackupLine } from "./backup-line.ts";

const http = createFactory<InstanceEnv<{ readonly documents: DocumentKeeping & SearchedDocuments }>>();

/** Maximum size of a request: a page of an export, plus one document of the maximum size. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** The position within the engine follows the turn of the placement. */
const isPlace = (text: string) => isExportPlace(text.slice(text.indexOf(" ") + 1));

const exportRequest = v.object({
  after: v.nullable(v.pipe(v.string(), v.check(isPlace, "send the next of another page"))),
});

/** A page of a backup. */
const importRequest = v.object({
  backup: v.string(),
  from: v.number(),
  lines: v.array(v.unknown()),
  isLast: v.boolean(),
});

/** POST /internal/documents/stats: what the instance's documents take, the engine that keeps them, and whether a search succeeds. */
export const documentStatsEndpoint = http.createHandlers(async (c) => {
  const { instanceId, documents } = c.var.instance.policy;
  const stats = await c.var.services.documents.stats(instanceId);
  const trial = await trySearch(c.var.services.documents, instanceId, stats);
  return c.json({ ...stats, engine: documents.engine, trial });
});

/** POST /internal/documents/export: returns the next page of everything that must not be lost. */
export const exportDocumentsEndpoint = http.createHandlers(async (c) => {
  const { after } = parse(exportRequest, await readJsonObject(c, BODY_BYTES_MAX));
  c.header("Cache-Control", "no-store");
  return c.json(await c.var.services.documents.exportPage(c.var.instance.policy.instanceId, after));
});

/**
 * POST /internal/documents/import: writes a page of a backup, and returns how many of the backup's lines were written so far.
 */
export const importDocumentsEndpoint = http.createHandlers(async (c) => {
  const { lines, ...page } = parse(importRequest, await readJsonObject(c, BODY_BYTES_MAX));
  const { name, instanceId } = c.var.instance.policy;
  const taken = await c.var.services.documents.importPage(instanceId, {
    ...page,
    lines: lines.map((line, index) => readBackupLine(line, page.from + index + 1)),
  });
  if (taken !== null) return c.json({ taken });
  throw new ApiError("conflict", {
    reason: "documents_not_empty",
    description: `${name} has documents, users or groups that are not from this backup: restore documents into an empty instance`,
  });
});

function parse<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, body, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const description = describeIssue(parsed.issues[0], "The body");
  throw new ApiError("bad_request", { reason: "command_malformed", description });
}
