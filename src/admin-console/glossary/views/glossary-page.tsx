import type { GlossaryEntry } from "#glossary/glossary.ts";
import { ButtonLink, ConsoleLayout, DataTable, Panel } from "#pages/views/console-layout.tsx";
import { LinesField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { t } from "#pages/views/console-frame.ts";
import type { FormState } from "#platform/described-members.ts";

export interface GlossaryPageProps {
  /** Each with what its checkbox sends. */
  readonly entries: readonly (GlossaryEntry & { readonly key: string })[];
  /** Words that several people searched for and that found nothing. */
  readonly suggestions: readonly string[];
  /** Whether search knows abbreviations that everybody uses. */
  readonly knowsCommon: boolean;
  readonly state: FormState;
}

/** What words are also called in search. */
export function GlossaryPage({ entries, suggestions, knowsCommon, state }: GlossaryPageProps) {
  const settings = <a href="/admin/settings">{t`settings`}</a>;
  return (
    <ConsoleLayout
      title={t`Glossary`}
      lead={
        <>
          {knowsCommon
            ? t`What people type, and what documents call it. The next search uses it. Common abbreviations, such as k8s and db, are known (${settings}).`
            : t`What people type, and what documents call it. The next search uses it. Common abbreviations, such as k8s and db, are switched off (${settings}).`}
        </>
      }
    >
      <Panel title={t`Add entries`}>
        <Form action="/admin/glossary/add" state={state}>
          <LinesField
            name="entries"
            label={t`Entries`}
            rows={6}
            placeholder={"PTO,paid time off\nk8s,the cluster,one way\nUrlaub,Ferien,both,de"}
            hint={t`One per line: a term, a comma and its meaning, of up to six words each. Search works both ways, unless you add “one way”: then whoever types the meaning doesn’t find the term. To use an entry only for questions in one language, add the language. You can paste from a spreadsheet.`}
            state={state}
          />
          <SubmitRow button={t`Add the entries`} />
        </Form>
      </Panel>
      {suggestions.length === 0 ? null : (
        <Panel title={t`Words that found nothing`}>
          <p>{t`At least three people searched for each of these in the last 30 days. What do documents call them?`}</p>
          <ul>
            {suggestions.map((word) => (
              <li>
                <bdi>{word}</bdi>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title={t`Entries`}>
        <Form action="/admin/glossary/remove">
          <DataTable
            caption={t`Entries`}
            headings={[t`Term`, t`Meaning`, t`Direction`, t`Language`, t`Remove`]}
            rows={entries.map((entry) => [
              <bdi>{entry.term}</bdi>,
              <bdi>{entry.meaning}</bdi>,
              entry.isTwoWay ? t`both ways` : t`one way`,
              entry.language ?? "all",
              <input type="checkbox" name="remove" value={entry.key} aria-label={t`Remove ${entry.term}`} />,
            ])}
            empty={t`No entries yet.`}
          />
          {entries.length === 0 ? null : <SubmitRow button={t`Remove the selected entries`} />}
        </Form>
        {entries.length === 0 ? null : (
          <p class="toolbar">
            <ButtonLink href="/admin/glossary/export">{t`Export as CSV`}</ButtonLink>
          </p>
        )}
      </Panel>
    </ConsoleLayout>
  );
}
