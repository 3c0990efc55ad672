import type { RecordedEntry } from "#audit/audit.ts";
import { type ConsoleFrame, ConsoleLayout, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";
import { TextField } from "#pages/views/fields.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface AuditPageProps {
  readonly frame: ConsoleFrame;
  readonly filter: FormState;
  readonly entries: readonly RecordedEntry[];
  readonly hasOlder: boolean;
  /** What to call an actor: a person's email, or the id itself. */
  readonly nameOf: (actor: string) => string;
  readonly keptDays: number;
}

/** Who decided what, newest first. */
export function AuditPage({ frame, filter, entries, hasOlder, nameOf, keptDays }: AuditPageProps) {
  const last = entries.at(-1);
  const older = new URLSearchParams(
    Object.entries(filter.values).flatMap(([name, value]) =>
      typeof value === "string" && value !== "" ? [[name, value]] : [],
    ),
  );
  if (last) older.set("before", String(last.sequence));
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/audit"
      title="Audit log"
      lead={`Who decided what, and when. Entries are chained, so changes and gaps are detected. They are kept for ${keptDays} days.`}
    >
      <form method="get" action="/admin/audit" class="toolbar" role="search">
        <TextField name="actor" label="Who" state={filter} placeholder="email or command" />
        <TextField name="event" label="Event starts with" state={filter} placeholder="client_" />
        <TextField name="from" label="From" type="date" state={filter} />
        <TextField name="until" label="Until" type="date" state={filter} />
        <button type="submit">Filter</button>
      </form>
      <DataTable
        caption="Audit entries"
        headings={["When", "Who", "What", "Details"]}
        rows={entries.map((entry) => [
          <>
            <Moment at={entry.at} />
            <span class="quiet">No. {entry.sequence}</span>
          </>,
          nameOf(entry.actor),
          <code>{entry.event}</code>,
          <pre class="detail">{JSON.stringify(entry.detail, null, 1)}</pre>,
        ])}
        empty="No matching entries."
      />
      <p class="toolbar">
        {hasOlder ? (
          <a class="button" href={`/admin/audit?${older.toString()}`}>
            Older
          </a>
        ) : null}
        <a class="button" href="/admin/audit/export" download>
          Export all as JSON lines
        </a>
        <a class="button" href="/admin/audit/check">
          Check the chain
        </a>
      </p>
    </ConsoleLayout>
  );
}

/** What a walk along the chain found. */
export function AuditCheckedPage({
  frame,
  sentence,
  holds,
  next,
}: {
  readonly frame: ConsoleFrame;
  readonly sentence: string;
  readonly holds: boolean;
  /** Where the next part begins; `null` where nothing is left to check. */
  readonly next: number | null;
}) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/audit"
      title={!holds ? "The audit is not intact" : next === null ? "The audit is intact" : "The audit is intact so far"}
    >
      <Panel title="Result">
        <p>{sentence}</p>
        {holds ? null : <p>Compare it with an export or a backup, and with the log, which has each entry’s hash.</p>}
        <p class="toolbar">
          {next === null ? null : (
            <a class="button primary" href={`/admin/audit/check?after=${next}`}>
              Check the next entries
            </a>
          )}
          <a class="button" href="/admin/audit">
            Back to the log
          </a>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}
