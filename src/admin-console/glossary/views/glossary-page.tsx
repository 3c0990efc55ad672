import type { GlossaryEntry } from "#glossary/glossary.ts";
import { ButtonLink, ConsoleLayout, DataTable, Panel } from "#pages/views/console-layout.tsx";
import { LinesField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";

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
  return (
    <ConsoleLayout
      title="Glossary"
      lead={
        <>
          What people type, and what documents call it. The next search uses it. Common abbreviations, such as k8s and
          db, are {knowsCommon ? "known" : "switched off"} (<a href="/admin/settings">settings</a>).
        </>
      }
    >
      <Panel title="Add entries">
        <Form action="/admin/glossary/add" state={state}>
          <LinesField
            name="entries"
            label="Entries"
            rows={6}
            placeholder={"PTO,paid time off\nk8s,the cluster,one way\nUrlaub,Ferien,both,de"}
            hint="One per line: a term, a comma and its meaning, of up to six words each. Search works both ways, unless you add “one way”: then whoever types the meaning doesn’t find the term. To use an entry only for questions in one language, add the language. You can paste from a spreadsheet."
            state={state}
          />
          <SubmitRow button="Add the entries" />
        </Form>
      </Panel>
      {suggestions.length === 0 ? null : (
        <Panel title="Words that found nothing">
          <p>At least three people searched for each of these in the last 30 days. What do documents call them?</p>
          <ul>
            {suggestions.map((word) => (
              <li>
                <bdi>{word}</bdi>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="Entries">
        <Form action="/admin/glossary/remove">
          <DataTable
            caption="Entries"
            headings={["Term", "Meaning", "Direction", "Language", "Remove"]}
            rows={entries.map((entry) => [
              <bdi>{entry.term}</bdi>,
              <bdi>{entry.meaning}</bdi>,
              entry.isTwoWay ? "both ways" : "one way",
              entry.language ?? "all",
              <input type="checkbox" name="remove" value={entry.key} aria-label={`Remove ${entry.term}`} />,
            ])}
            empty="No entries yet."
          />
          {entries.length === 0 ? null : <SubmitRow button="Remove the selected entries" />}
        </Form>
        {entries.length === 0 ? null : (
          <p class="toolbar">
            <ButtonLink href="/admin/glossary/export">Export as CSV</ButtonLink>
          </p>
        )}
      </Panel>
    </ConsoleLayout>
  );
}
