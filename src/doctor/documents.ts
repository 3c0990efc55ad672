import { type Language, LANGUAGES } from "#documents/languages.ts";
import type { DocumentKeeping, DocumentStats } from "#documents/upkeep/keeping.ts";
import { type EngineName, shardsOf, whereOf } from "#documents/moving/engines.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { epochSeconds } from "#platform/clock.ts";
import { attempt, failed, type Finding, ok, warning } from "#platform/finding.ts";
import { type SearchedDocuments, trySearch } from "./trial-search.ts";

/** Sizes of an object from which the finding is a warning (there is time to split it) and a failure (there is little time left). */
const BYTES_NEAR = 7_000_000_000;
const BYTES_FULL = 9_500_000_000;

/**
 * A Durable Object has one thread, and a search occupies it for about ten milliseconds: about 6,000 fit into a minute. Every search asks
 * every object, so more objects don't make room for more searches.
 */
const SEARCHES_NEAR = 3000;

/** A clean-up step later than this counts as failed. Normally, a step starts within seconds of being due. */
const LATE_SECONDS = 600;

/** A language is worth choosing if this many of the newest documents are in it. */
const LANGUAGE_DOCUMENTS = 10;

/** The most datasources that the finding lists by name. */
const NAMED_MAX = 10;

const CHECK = "Documents";

/** The documents as they are checked. */
export type CheckedDocuments = SearchedDocuments & Pick<DocumentKeeping, "stats">;

/** Checks an instance's documents, and whether a search finds one. */
export async function checkDocuments(
  documents: CheckedDocuments,
  { instanceId, settings, documents: { engine } }: Pick<PolicySnapshot, "instanceId" | "settings" | "documents">,
): Promise<Finding[]> {
  const others: Finding[] = [];
  const size = await attempt(CHECK, "Check Cloudflare’s status page.", async () => {
    const stats = await documents.stats(instanceId);
    const trial = await trySearch(documents, instanceId, stats);
    others.push(judgeSearches(stats, trial), judgeLanguages(stats, settings.searchLanguages));
    others.push(judgeUploads(stats), judgeCleanUp(stats, epochSeconds()));
    return judgeSize(stats, engine);
  });
  return [size, ...others];
}

function judgeSize({ bytes, fullestBytes, datasources }: DocumentStats, engine: EngineName): Finding {
  const named = datasources
    .toSorted((one, other) => other.documents - one.documents)
    .slice(0, NAMED_MAX)
    .map(({ name, documents }) => `${name} ${documents}`);
  const shards = shardsOf(engine);
  const place = whereOf(engine);
  const size = shards === 1 ? "of 10 GB" : `in ${shards} objects, the fullest with ${sizeOf(fullestBytes)} of 10 GB`;
  const where = place === null ? size : `${size}, in ${place}`;
  const meaning = `${sizeOf(bytes)} ${where}, ${datasources.length} ${datasources.length === 1 ? "datasource" : "datasources"}: ${named.join(", ")}.`;
  if (fullestBytes < BYTES_NEAR) return ok(CHECK, meaning);
  const judge = fullestBytes < BYTES_FULL ? warning : failed;
  return judge(
    CHECK,
    meaning,
    `Split the documents: documents move <instance> --to shards:${shards * 2}. At 10 GB, indexing stops.`,
  );
}

function sizeOf(bytes: number): string {
  return `${(bytes / 1e9).toFixed(2)} GB`;
}

/** @param trial whether a search succeeded; `null`: there was nothing to search for */
function judgeSearches({ searches }: DocumentStats, trial: boolean | null): Finding {
  const check = "Searches";
  if (trial === false) {
    return failed(check, "A search for a stored document fails.", "Look in the log for trial_search_failed.");
  }
  const meaning = `${searches} in the last minute, of about 6,000.`;
  if (searches < SEARCHES_NEAR) return ok(check, meaning);
  return warning(check, meaning, "Find the app that searches so often, under Grants.");
}

/** @param chosen the languages in which search finds other forms of words */
function judgeLanguages({ languages }: DocumentStats, chosen: readonly Language[]): Finding {
  const check = "Languages of documents";
  const missing = LANGUAGES.filter(
    (language) => (languages[language] ?? 0) >= LANGUAGE_DOCUMENTS && !chosen.includes(language),
  );
  if (missing.length === 0) return ok(check, `Other forms of words are found in: ${chosen.join(", ")}.`);
  return warning(
    check,
    `New documents are also in: ${missing.join(", ")}. Of their words, search finds no other forms.`,
    "Under Settings, choose the languages of documents (searchLanguages).",
  );
}

function judgeUploads({ receiving, removing, lastRefusal }: DocumentStats): Finding {
  const check = "Uploads";
  const meaning = `${receiving} under way, ${removing} being completed.`;
  if (!lastRefusal) return ok(check, meaning);
  const { at, datasource, message } = lastRefusal;
  return warning(
    check,
    `${meaning} Last refused: ${datasource}, ${timeOf(at)}: ${message}.`,
    "Fix the pipeline. Its next upload clears this.",
  );
}

function judgeCleanUp({ alarmAt, alarmFailedAt }: DocumentStats, now: number): Finding {
  const check = "Clean-up of documents";
  if (alarmFailedAt === 0 && (alarmAt === null || alarmAt > now - LATE_SECONDS)) {
    return ok(check, alarmAt === null ? "Nothing to do." : `Next: ${timeOf(alarmAt)}.`);
  }
  return failed(check, "A step failed or is overdue.", "Look in the log for documents_upkeep_failed.");
}

function timeOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
