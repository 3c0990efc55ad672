import type { RecordedEntry } from "#audit/audit.ts";
import type { AuditEvent } from "#audit/audit-events.ts";
import { ButtonLink, ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { SelectField, TextField } from "#pages/views/fields.tsx";
import { filterOptions, ListFoot, type ListView } from "#pages/views/list-view.tsx";
import { Clock, dayOf } from "#pages/views/time.tsx";
import type { FormState } from "#platform/form-state.ts";

/** An entry with names in place of ids, and a sentence that describes it. */
interface ToldEntry extends RecordedEntry {
  readonly who: string;
  readonly sentence: string;
}

export interface AuditPageProps {
  readonly filter: FormState;
  readonly list: ListView;
  readonly entries: readonly ToldEntry[];
  /** The address of these entries as a CSV file. */
  readonly csv: string;
  readonly keptDays: number;
}

/** The first word of an event's name, which says what the event is about. */
type Subject<Event extends string> = Event extends `${infer Word}_${string}` ? `${Word}_` : never;

const SUBJECTS: Readonly<Record<Subject<AuditEvent>, string>> = {
  signed_: "Sign-ins",
  app_: "Access of apps",
  access_: "Refusals",
  request_: "Refusals of unknown callers",
  client_: "Apps",
  grants_: "Ended access",
  service_: "Tokens",
  role_: "Roles",
  person_: "People",
  directory_: "Users and groups of directories",
  documents_: "Documents",
  sessions_: "Sign-outs",
  signal_: "Sign-out signals",
  settings_: "Settings",
  logo_: "Logo",
  single_: "Single sign-on",
  external_: "Identity providers",
  signing_: "Signing keys",
  secret_: "Master keys",
  glossary_: "The glossary",
  metadata_: "Custom metadata",
  removal_: "Removals by uploads",
  audit_: "Audit retention",
  instance_: "Instance",
};

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });

const ABOUT = filterOptions(SUBJECTS);

/** The audit log, newest entries first. */
export function AuditPage({ filter, list, entries, csv, keptDays }: AuditPageProps) {
  return (
    <ConsoleLayout
      title="Audit log"
      lead={`Who decided what, who signed in, and what was refused. Entries are chained, so changes and gaps are detected. They are kept for ${keptDays} days. Times are in UTC.`}
    >
      <form method="get" action="/admin/audit" class="toolbar" role="search">
        <TextField name="actor" label="Who" state={filter} placeholder="email or token" />
        <SelectField name="event" label="About" options={ABOUT} state={filter} />
        <TextField name="search" label="Details contain" type="search" state={filter} />
        <TextField name="from" label="From" type="date" state={filter} />
        <TextField name="until" label="Until" type="date" state={filter} />
        <button type="submit">Filter</button>
        <ButtonLink href="/admin/audit">Reset</ButtonLink>
      </form>
      {entries.length === 0 ? <p class="empty">No matching entries.</p> : null}
      {[...Map.groupBy(entries, ({ at }) => dayOf(at)).values()].map((ofDay) => (
        <Panel title={DAY.format((ofDay[0]?.at ?? 0) * 1000)}>
          <ol class="entries">
            {ofDay.map((entry) => (
              <Entry entry={entry} />
            ))}
          </ol>
        </Panel>
      ))}
      <ListFoot list={list} />
      <p class="toolbar">
        <a class="button" href={csv} download>
          Export these as CSV
        </a>
        <a class="button" href="/admin/audit/export" download>
          Export all as JSON Lines
        </a>
        <ButtonLink href="/admin/audit/check">Check the chain</ButtonLink>
        <ButtonLink href="/admin/audit/receiver">Send to a SIEM</ButtonLink>
      </p>
    </ConsoleLayout>
  );
}

/** One entry: when, who and what, and the record itself on a click. */
function Entry({ entry }: { readonly entry: ToldEntry }) {
  const { at, who, sentence, sequence, event, actor, detail } = entry;
  return (
    <li>
      <details>
        <summary>
          <Clock at={at} />
          <span>
            <strong>
              <bdi>{who}</bdi>
            </strong>{" "}
            <bdi>{sentence}</bdi>.
          </span>
        </summary>
        <pre class="detail">{JSON.stringify({ sequence, event, actor, ...detail }, null, 1)}</pre>
      </details>
    </li>
  );
}

/** The result of verifying a part of the chain. */
export function AuditCheckedPage({
  sentence,
  holds,
  next,
}: {
  readonly sentence: string;
  readonly holds: boolean;
  /** The entry after which the next part starts; `null` if nothing is left to check. */
  readonly next: number | null;
}) {
  return (
    <ConsoleLayout
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
          <ButtonLink href="/admin/audit">Back to the log</ButtonLink>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}
