import type { RecordedEntry } from "#audit/audit.ts";
import { type ConsoleFrame, ConsoleLayout, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";
import { type Option, SelectField, TextField } from "#pages/views/fields.tsx";
import { ListFoot, type ListView } from "#pages/views/list-view.tsx";
import type { FormState } from "#platform/form-state.ts";

/** An entry with names in place of ids. */
interface ToldEntry extends RecordedEntry {
  readonly who: string;
  readonly sentence: string;
}

export interface AuditPageProps {
  readonly frame: ConsoleFrame;
  readonly filter: FormState;
  readonly list: ListView;
  readonly entries: readonly ToldEntry[];
  /** Where these entries are a CSV file. */
  readonly csv: string;
  readonly keptDays: number;
}

/** Events by how they begin. */
const EVENTS: readonly Option[] = [
  { value: "", label: "Any" },
  { value: "client_", label: "Apps" },
  { value: "grants_", label: "Ended access" },
  { value: "service_token", label: "Tokens" },
  { value: "role_", label: "Roles" },
  { value: "person_", label: "People" },
  { value: "sessions_", label: "Sign-outs" },
  { value: "settings_", label: "Settings" },
  { value: "single_sign_on_", label: "Single sign-on" },
  { value: "external_issuer_", label: "Identity providers" },
  { value: "signing_key_", label: "Signing keys" },
  { value: "metadata_group_", label: "Custom metadata" },
];

/** Who decided what, newest first. */
export function AuditPage({ frame, filter, list, entries, csv, keptDays }: AuditPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/audit"
      title="Audit log"
      lead={`Who decided what, and when. Entries are chained, so changes and gaps are detected. They are kept for ${keptDays} days.`}
    >
      <form method="get" action="/admin/audit" class="toolbar" role="search">
        <TextField name="actor" label="Who" state={filter} placeholder="email, token or command" />
        <SelectField name="event" label="About" options={EVENTS} state={filter} />
        <TextField name="search" label="Details contain" type="search" state={filter} />
        <TextField name="from" label="From" type="date" state={filter} />
        <TextField name="until" label="Until" type="date" state={filter} />
        <button type="submit">Filter</button>
        <a class="button" href="/admin/audit">
          Reset
        </a>
      </form>
      <DataTable
        caption="Audit entries"
        headings={["When", "What", "Details"]}
        rows={entries.map((entry) => [
          <>
            <Moment at={entry.at} />
            <span class="quiet">No. {entry.sequence}</span>
          </>,
          <>
            <strong>
              <bdi>{entry.who}</bdi>
            </strong>{" "}
            <bdi>{entry.sentence}</bdi>.
          </>,
          <details>
            <summary>
              <code>{entry.event}</code>
            </summary>
            <pre class="detail">{JSON.stringify({ actor: entry.actor, ...entry.detail }, null, 1)}</pre>
          </details>,
        ])}
        empty="No matching entries."
      />
      <ListFoot list={list} one="entry" many="entries" />
      <p class="toolbar">
        <a class="button" href={csv} download>
          Export these as CSV
        </a>
        <a class="button" href="/admin/audit/export" download>
          Export all as JSON Lines
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
