import type { Language } from "#messages/locale.ts";
import type { RecordedEntry } from "#audit/audit.ts";
import type { AuditEvent } from "#audit/audit-events.ts";
import { ButtonLink, ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { SelectField, TextField } from "#pages/views/fields.tsx";
import { filterOptions, ListFoot, type ListView } from "#pages/views/list-view.tsx";
import { Clock, dayOf } from "#pages/views/time.tsx";
import { known, t, useFrame } from "#pages/views/console-frame.ts";
import type { FormState } from "#platform/described-members.ts";

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

const subjects = (): Readonly<Record<Subject<AuditEvent>, string>> => ({
  signed_: t`Sign-ins`,
  app_: t`Access of apps`,
  access_: t`Refusals`,
  request_: t`Refusals of unknown callers`,
  client_: t`Apps`,
  grants_: t`Ended access`,
  service_: t`Tokens`,
  role_: t`Roles`,
  person_: t`People`,
  directory_: t`Users and groups of directories`,
  documents_: t`Documents`,
  sessions_: t`Sign-outs`,
  signal_: t`Sign-out signals`,
  settings_: t`Settings`,
  logo_: t`Logo`,
  single_: t`Single sign-on`,
  external_: t`Identity providers`,
  signing_: t`Signing keys`,
  secret_: t`Master keys`,
  glossary_: t`The glossary`,
  metadata_: t`Custom metadata`,
  removal_: t`Removals by uploads`,
  audit_: t`Audit retention`,
  instance_: t`Instance`,
});

/** Returns a formatter of days, such as "Saturday 28 November 2026". */
function dayFormat(language: Language) {
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { dateStyle: "full", timeZone: "UTC" });
}

/** The audit log, newest entries first. */
export function AuditPage({ filter, list, entries, csv, keptDays }: AuditPageProps) {
  const day = dayFormat(useFrame().locale.language);
  return (
    <ConsoleLayout
      title={t`Audit log`}
      lead={t`Who decided what, who signed in, and what was refused. Entries are chained, so changes and gaps are detected. They are kept for ${keptDays} days. Times are in UTC.`}
    >
      <form method="get" action="/admin/audit" class="toolbar" role="search">
        <TextField name="actor" label={t`Who`} state={filter} placeholder={t`email or token`} />
        <SelectField name="event" label={t`About`} options={filterOptions(subjects())} state={filter} />
        <TextField name="search" label={t`Details contain`} type="search" state={filter} />
        <TextField name="from" label={t`From`} type="date" state={filter} />
        <TextField name="until" label={t`Until`} type="date" state={filter} />
        <button type="submit">{t`Filter`}</button>
        <ButtonLink href="/admin/audit">{t`Reset`}</ButtonLink>
      </form>
      {entries.length === 0 ? <p class="empty">{t`No matching entries.`}</p> : null}
      {[...Map.groupBy(entries, ({ at }) => dayOf(at)).values()].map((ofDay) => (
        <Panel title={day.format((ofDay[0]?.at ?? 0) * 1000)}>
          <ol class="entries">
            {ofDay.map((entry) => (
              <Entry entry={entry} />
            ))}
          </ol>
        </Panel>
      ))}
      <ListFoot list={list} />
      <p class="toolbar">
        <a class="button" href={csv} download>{t`Export these as CSV`}</a>
        <a class="button" href="/admin/audit/export" download>{t`Export all as JSON Lines`}</a>
        <ButtonLink href="/admin/audit/check">{t`Check the chain`}</ButtonLink>
        <ButtonLink href="/admin/audit/receiver">{t`Send to a SIEM`}</ButtonLink>
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
              <bdi>{known(who)}</bdi>
            </strong>{" "}
            <bdi>{known(sentence)}</bdi>.
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
      title={
        !holds ? t`The audit is not intact` : next === null ? t`The audit is intact` : t`The audit is intact so far`
      }
    >
      <Panel title={t`Result`}>
        <p>{known(sentence)}</p>
        {holds ? null : (
          <p>{t`Compare it with an export or a backup, and with the log, which has each entry’s hash.`}</p>
        )}
        <p class="toolbar">
          {next === null ? null : (
            <a class="button primary" href={`/admin/audit/check?after=${next}`}>{t`Check the next entries`}</a>
          )}
          <ButtonLink href="/admin/audit">{t`Back to the log`}</ButtonLink>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}
