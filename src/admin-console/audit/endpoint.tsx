import { pages } from "#admin-console/http.ts";
import { type AuditFilter, describeReport } from "#audit/audit-log.ts";
import { readQuery } from "#platform/http.ts";
import { AuditCheckedPage, AuditPage } from "./views/audit-page.tsx";

const ENTRIES_PER_PAGE = 50;

/** GET /admin/audit: the newest entries that a filter lets through. */
export const auditPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const { instanceId, settings } = instance.policy;
  const query = readQuery(c);
  const [before = ""] = query.all("before");
  const values = Object.fromEntries(
    ["actor", "event", "from", "until"].map((name) => [name, query.all(name)[0] ?? ""]),
  );
  const { filter, errors } = readFilter(values);
  const named = filter.actor?.includes("@") ? await services.people.findByEmail(instanceId, filter.actor) : null;
  const actor = named?.id ?? filter.actor;
  const place = readPlace(before) ?? Number.MAX_SAFE_INTEGER;
  const entries = await services.audit.read(instanceId, { ...filter, actor }, place, ENTRIES_PER_PAGE + 1);
  const emails = await services.people.emailsOf(
    instanceId,
    entries.map((entry) => entry.actor),
  );
  return c.html(
    <AuditPage
      frame={c.var.console}
      filter={{ values, errors }}
      entries={entries.slice(0, ENTRIES_PER_PAGE)}
      hasOlder={entries.length > ENTRIES_PER_PAGE}
      nameOf={(id) => emails.get(id) ?? id}
      keptDays={Math.round(settings.auditKeptSeconds / 86_400)}
    />,
    Object.keys(errors).length === 0 ? 200 : 422,
  );
});

/** GET /admin/audit/export: all of it, as JSON lines, sent while it is read. */
export const exportAudit = pages.createHandlers((c) => {
  const { instanceId, name } = c.var.instance.policy;
  const lines = c.var.services.audit.export(instanceId);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return c.body(body, 200, {
    "Content-Type": "application/jsonl; charset=utf-8",
    "Content-Disposition": `attachment; filename="audit-${name}.jsonl"`,
  });
});

/** GET /admin/audit/check: walks a part of the chain. */
export const checkAudit = pages.createHandlers(async (c) => {
  const [after = ""] = readQuery(c).all("after");
  const report = await c.var.services.audit.verifyPart(c.var.instance.policy.instanceId, readPlace(after) ?? 0);
  const holds = report.broken === undefined;
  const sentence = holds ? `${describeReport(report, "These")}.` : `The chain is broken: ${report.broken}.`;
  return c.html(<AuditCheckedPage frame={c.var.console} sentence={sentence} holds={holds} next={report.next} />);
});

/** The place of an entry; `undefined` where the text is none. */
function readPlace(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function readFilter(values: Readonly<Record<string, string>>) {
  const errors: Record<string, string> = {};
  const dayOf = (name: string, shiftDays: number): number | undefined => {
    const text = values[name] ?? "";
    if (text === "") return undefined;
    const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
    if (Number.isNaN(at)) errors[name] = "Enter a day as 2026-11-21";
    return Number.isNaN(at) ? undefined : at / 1000 + shiftDays * 86_400;
  };
  const filter: AuditFilter = {
    actor: values["actor"] || undefined,
    event: values["event"] || undefined,
    from: dayOf("from", 0),
    until: dayOf("until", 1),
  };
  return { filter, errors };
}
