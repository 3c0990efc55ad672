import { ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { LinesField } from "#pages/views/fields.tsx";
import { Form, HiddenFields, SubmitRow } from "#pages/views/form.tsx";
import { known, t } from "#pages/views/console-frame.ts";
import type { FormState } from "#platform/form-state.ts";

/** The part of the console that a page belongs to: apps, or machines. */
export type Searcher = "clients" | "service-accounts";

export interface ContentPageProps {
  readonly of: Searcher;
  readonly app: string;
  readonly name: string;
  /** What it may search now, in words. */
  readonly now: string;
  /** What is wrong with the stored conditions. */
  readonly warnings: readonly string[];
  /** Whether this is about all apps that no administrator created. */
  readonly isShared: boolean;
  readonly state: FormState;
}

/** Returns the address of the page about what an app or a machine may search. */
export function contentHref(of: Searcher, app: string): string {
  return `/admin/${of}/content?app=${encodeURIComponent(app)}`;
}

/** What one app may search, whoever uses it. */
export function ContentPage({ of, app, name, now, warnings, isShared, state }: ContentPageProps) {
  return (
    <ConsoleLayout
      title={t`What ${isShared ? known(name) : name} may search`}
      lead={
        of === "clients" ? (
          <a href="/admin/clients">{t`All apps`}</a>
        ) : (
          <a href="/admin/service-accounts">{t`All service accounts`}</a>
        )
      }
    >
      <Panel
        title={t`Conditions`}
        lead={
          isShared
            ? t`Now: ${known(now)}. Documents that don’t meet all conditions don’t exist for it, whoever uses it. An app with conditions of its own follows those instead.`
            : t`Now: ${known(now)}. Documents that don’t meet all conditions don’t exist for it, whoever uses it.`
        }
      >
        {warnings.map((warning) => (
          <p class="notice">
            <bdi>{known(warning)}</bdi>
          </p>
        ))}
        <Form action={`/admin/${of}/content`} state={state}>
          <HiddenFields values={{ app }} />
          <LinesField
            name="content"
            label={t`One condition per line`}
            rows={5}
            placeholder="datasource: wiki, handbook"
            state={state}
            hint={t`A field and its values: datasource, type, or the group and key of custom metadata in one word. Begin a line with “not” for everything else: not datasource: hr. Put a value with a comma into quotation marks. No lines: everything that the person may see.`}
          />
          <SubmitRow button={t`Save what it may search`} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}
