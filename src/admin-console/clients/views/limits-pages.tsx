import type { AppRule } from "#app-access/app-rules.ts";
import { ConsoleLayout, DataTable, Panel } from "#pages/views/console-layout.tsx";
import { Choices, LinesField, type Option, TextField } from "#pages/views/fields.tsx";
import { Form, HiddenFields, said, SubmitRow } from "#pages/views/form.tsx";
import { known, knownList, t } from "#pages/views/console-frame.ts";
import type { FormState } from "#platform/described-members.ts";

interface RulesPageProps {
  readonly app: string;
  readonly name: string;
  /** Whether these are the rules of all apps that no administrator created. */
  readonly isAll: boolean;
  /** For an app that no administrator created: the address of the rules for all such apps. */
  readonly allHref: string | undefined;
  readonly rules: readonly (AppRule & { readonly who: string; readonly may: string })[];
  readonly scopes: readonly Option[];
  readonly state: FormState;
}

/** Returns the address of the page with an app's rules. */
export function rulesHref(app: string): string {
  return `/admin/clients/rules?app=${encodeURIComponent(app)}`;
}

/** Who may use one app: its rules, and a form for a new rule. */
export function RulesPage({ app, name, isAll, allHref, rules, scopes, state }: RulesPageProps) {
  return (
    <ConsoleLayout
      title={t`Who may use ${isAll ? t`apps that no administrator created` : name}`}
      lead={<a href="/admin/clients">{t`All apps`}</a>}
    >
      <Panel
        title={t`Rules`}
        lead={
          rules.length === 0
            ? leadWithout(isAll, allHref)
            : isAll
              ? t`Only people in these groups may use these apps, unless an app has rules of its own. A person in several groups gets the scopes of all of them.`
              : t`Only people in these groups may use this app. A person in several groups gets the scopes of all of them.`
        }
      >
        {rules.length === 0 ? null : (
          <DataTable
            caption={t`Rules`}
            headings={[t`Group`, t`Scopes`, t`Actions`]}
            rows={rules.map(({ group, who, may }) => [
              <bdi>{who === group ? group : known(who)}</bdi>,
              knownList(may),
              <Form action="/admin/clients/rules">
                <HiddenFields values={{ app }} />
                <button type="submit" name="remove" value={group}>{t`Remove`}</button>
              </Form>,
            ])}
            empty={t`No rules.`}
          />
        )}
      </Panel>
      {allHref === undefined ? null : (
        <p class="notice">{t`No administrator created this app. If it registers under another name, it has none of these rules. ${<a href={allHref}>{t`Add rules for all apps that no administrator created`}</a>}, or let apps register only with your approval.`}</p>
      )}
      <Panel
        title={t`Add a rule`}
        lead={
          isAll
            ? t`If you remove the last rule, everybody may use the apps again.`
            : t`If you remove the last rule, everybody may use the app again.`
        }
      >
        <Form action="/admin/clients/rules" state={state}>
          <HiddenFields values={{ app }} />
          <TextField
            name="group"
            label={t`Group`}
            required
            state={state}
            hint={t`The name in your directory or single sign-on. * is everybody; https://issuer|group is a group of another identity provider.`}
          />
          <Choices
            name="scopes"
            label={t`What people in this group may do`}
            type="checkbox"
            options={scopes.map(said)}
            state={state}
          />
          <SubmitRow button={t`Add rule`} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

function leadWithout(isAll: boolean, allHref: string | undefined): string {
  if (isAll) return t`There are no rules: everybody may use these apps, with all of their scopes.`;
  return allHref === undefined
    ? t`There are no rules: everybody may use this app, with all of its scopes.`
    : t`The app has no rules of its own: those of all apps that no administrator created apply. Without any, everybody may use it, with all of its scopes.`;
}

/** The part of the console that a page belongs to: apps, or machines. */
export type Searcher = "clients" | "service-accounts";

interface ContentPageProps {
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
