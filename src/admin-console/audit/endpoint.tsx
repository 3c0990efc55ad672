import { type ConsolePaths, listView, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { statusOf } from "#admin-console/form-values.ts";
import { AUDIT_LIST } from "#audit/audit-list.ts";
import { ENTRIES_PER_EXPORT } from "#audit/audit-log.ts";
import { describeReport } from "#audit/chain-verification.ts";
import { toOcsf } from "#audit/ocsf.ts";
import { csvLine } from "#platform/csv.ts";
import { epochSeconds, isoTime } from "#platform/clock.ts";
import { readQuery } from "#platform/http.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { type ListQuery, readListQuery } from "#platform/listing.ts";
import { ApiError } from "#protocol/errors.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import { told } from "./told-entries.ts";
import { AuditCheckedPage, AuditPage } from "./views/audit-page.tsx";

const FIELDS = ["actor", "event", "from", "until", "search"];

/** The audit log: its entries as sentences, its exports, and the check of its chain. */
export const AUDIT_PATHS: ConsolePaths = {
  "/audit": { page: showEntries },
  "/audit/export": { page: exportEntries },
  "/audit/check": { page: checkChain },
};

/** Shows the newest entries that match a filter, each as a sentence. */
async function showEntries(c: ConsoleContext): Promise<Response> {
  const { instanceId, settings } = c.var.instance.policy;
  const { values, errors, query } = await readFilter(c, readQuery(c).all("cursor")[0]);
  const { items, ...page } = await c.var.services.audit.list(instanceId, query);
  return render(
    c,
    <AuditPage
      filter={{ values, errors }}
      list={listView(c, AUDIT_LIST, page, values)}
      csv={`/admin/audit/export?${new URLSearchParams({ ...values, format: "csv" }).toString()}`}
      entries={await told(c, items)}
      keptDays={Math.round(settings.auditKeptSeconds / 86_400)}
    />,
    statusOf({ errors }),
  );
}

/**
 * Streams the audit log as JSON Lines, starting after the entry `after`. With `format=ocsf`, entries are OCSF events. With
 * `format=csv`, it is a CSV file of the entries that match the filter.
 */
async function exportEntries(c: ConsoleContext): Promise<Response> {
  const { instanceId, name } = c.var.instance.policy;
  const [format = ""] = readQuery(c).all("format");
  const isCsv = format === "csv";
  const { errors, query } = await readFilter(c, undefined);
  const [problem] = isCsv ? Object.values(errors) : [];
  if (problem !== undefined)
    throw new ApiError("bad_request", { reason: "list_query_unreadable", description: problem });
  const lines = isCsv
    ? csvOf(c, query)
    : c.var.services.audit.export(
        instanceId,
        readPlace(readQuery(c).all("after")[0] ?? ""),
        format === "ocsf" ? (entry) => toOcsf(entry, name, c.env.SERVICE_NAME) : undefined,
      );
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return c.body(body, 200, {
    "Content-Type": isCsv ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
    "Content-Disposition": `attachment; filename="audit-${name}.${isCsv ? "csv" : "jsonl"}"`,
  });
}

/** Verifies a part of the chain. */
async function checkChain(c: ConsoleContext): Promise<Response> {
  const [after = ""] = readQuery(c).all("after");
  const report = await c.var.services.auditVerification.verifyPart(
    c.var.instance.policy.instanceId,
    readPlace(after) ?? 0,
  );
  const holds = report.broken === undefined;
  const sentence = holds ? `${describeReport(report, "These")}.` : `The chain is broken: ${report.broken}.`;
  return render(c, <AuditCheckedPage sentence={sentence} holds={holds} next={report.next} />);
}

/** Reads the sequence number of an entry. @returns `undefined` if the text is not one */
function readPlace(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

async function* csvOf(c: ConsoleContext, query: ListQuery): AsyncGenerator<string> {
  yield csvLine(["sequence", "at", "who", "actor", "event", "what", "detail", "hash"]);
  let written = 0;
  for await (const entries of c.var.services.audit.matching(c.var.instance.policy.instanceId, query)) {
    written += entries.length;
    const lines = (await told(c, entries)).map(({ sequence, at, who, actor, event, sentence, detail, seal }) =>
      csvLine([sequence, isoTime(at), who, actor, event, sentence, JSON.stringify(detail), seal?.hash ?? ""]),
    );
    yield lines.join("");
  }
  if (written === ENTRIES_PER_EXPORT)
    yield csvLine([`These are the newest ${written} entries. To export older ones, choose their days.`]);
}

/** Reads the filter from the address: days as `YYYY-MM-DD`, and an actor by email, token name or id. */
async function readFilter(c: ConsoleContext, cursor: string | undefined) {
  const parameters = readQuery(c);
  const values: Record<string, string> = {};
  for (const name of FIELDS) {
    const value = parameters.all(name)[0]?.trim();
    if (value) values[name] = value;
  }
  const errors: Record<string, string> = {};
  const dayOf = (name: string, shiftDays: number): string | undefined => {
    const text = values[name];
    if (text === undefined) return undefined;
    const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
    if (Number.isNaN(at)) errors[name] = "Enter a day as 2026-11-21";
    return Number.isNaN(at) ? undefined : String(at / 1000 + shiftDays * 86_400);
  };
  const { actor, event, search } = values;
  const asked = {
    actor: actor === undefined ? undefined : await idOf(c, actor),
    event,
    search,
    from: dayOf("from", 0),
    until: dayOf("until", 1),
    cursor: cursor || undefined,
  };
  const given = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { values, errors, query: readListQuery(AUDIT_LIST, new Map(given)) };
}

async function idOf(c: ConsoleContext, who: string): Promise<string> {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  const email = parseEmailAddress(who);
  const person = email === undefined ? null : await services.people.findByEmail(instanceId, email);
  if (person) return person.id;
  const named = readListQuery(TOKEN_LIST, new Map([["search", who]]));
  const { items } = await services.issuedTokens.list(instanceId, named, epochSeconds());
  return items.find(({ name }) => name === who)?.id ?? who;
}
