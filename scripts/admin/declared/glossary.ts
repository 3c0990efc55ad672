import { changedEntries, type GlossaryEntry, requireEntries } from "#glossary/glossary.ts";
import { UsageError } from "../failures.ts";
import type { AdminApi } from "../admin-api.ts";
import { accepted, type Json, type PlannedChange } from "./difference.ts";

const PATH = "/glossary";

export async function exportGlossary(api: AdminApi): Promise<Json> {
  return { entries: (await api.get<{ readonly entries: readonly GlossaryEntry[] }>(PATH)).entries };
}

/** @param declared its `entries` are all that there will be @throws {UsageError} for entries that the rules refuse */
export async function planGlossary(api: AdminApi, declared: Json): Promise<PlannedChange[]> {
  const entries = accepted("glossary", () => requireEntries(entriesIn(declared)));
  const { body, version } = await api.send("GET", PATH);
  const { added, removed } = changedEntries((body as { readonly entries: readonly GlossaryEntry[] }).entries, entries);
  const lines = [...removed.map((one) => `glossary: remove ${one}`), ...added.map((one) => `glossary: add ${one}`)];
  return lines.length === 0 ? [] : [{ lines, method: "PUT", path: PATH, body: { entries }, version }];
}

function entriesIn({ entries }: Json): GlossaryEntry[] {
  const isEntry = (one: Partial<GlossaryEntry> | null) =>
    typeof one?.term === "string" && typeof one.meaning === "string";
  if (!Array.isArray(entries) || !entries.every(isEntry)) {
    throw new UsageError('glossary must have entries, such as [{"term": "PTO", "meaning": "paid time off"}]');
  }
  return (entries as GlossaryEntry[]).map((one) => ({
    ...one,
    isTwoWay: one.isTwoWay ?? true,
    language: one.language ?? null,
  }));
}
