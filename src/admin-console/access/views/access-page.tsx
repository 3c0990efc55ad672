import type { AccessCheck, PersonStanding } from "#people/access-check.ts";
import type { PersonRecord } from "#people/person.ts";
import { Badge, ConsoleLayout, DataTable, Facts, Panel } from "#pages/views/console-layout.tsx";
import { type Option, SelectField, TextField } from "#pages/views/fields.tsx";
import type { FormState } from "#platform/described-members.ts";
import { t } from "#pages/views/console-frame.ts";
import { cellsOf, Way } from "./rule.tsx";

export interface AccessPageProps {
  readonly person: Pick<PersonRecord, "id" | "name" | "email">;
  readonly question: FormState;
  /** The apps that may not search everything. */
  readonly apps: readonly Option[];
  /** `null`: no document was asked about, or there is no such document. */
  readonly explained: Awaited<ReturnType<AccessCheck["explain"]>> | null;
  /** `null`: the person is deactivated. */
  readonly standing: PersonStanding | null;
}

/** What a person can see: whether and why they can see one document, and their groups. */
export function AccessPage({ person, question, apps, explained, standing }: AccessPageProps) {
  return (
    <ConsoleLayout
      title={t`What can ${person.name} see?`}
      lead={t`Uses the same checks as a search by ${<a href={`/admin/people/${person.id}`}>{person.email}</a>}.`}
    >
      <form method="get" class="toolbar" role="search">
        <TextField
          name="document"
          label={t`Document (URL, or datasource:id)`}
          required
          maxlength={2000}
          state={question}
        />
        {apps.length === 0 ? null : (
          <SelectField
            name="app"
            label={t`Through`}
            options={[{ value: "", label: t`any app that may search everything` }, ...apps]}
            state={question}
          />
        )}
        <button type="submit" class="primary">{t`Check`}</button>
      </form>
      {explained === null ? null : <Explained person={person} explained={explained} />}
      {standing === null ? (
        <p class="notice">{t`This person is deactivated and sees no documents.`}</p>
      ) : (
        <Groups standing={standing} />
      )}
    </ConsoleLayout>
  );
}

function Explained({
  person,
  explained,
}: {
  readonly person: AccessPageProps["person"];
  readonly explained: NonNullable<AccessPageProps["explained"]>;
}) {
  const { isAllowed, isWithheld, isDeactivated, rules, ruleCount, datasource, externalId, title, url } = explained;
  return (
    <Panel
      title={
        <>
          <Badge tone={isAllowed ? "good" : "bad"}>{isAllowed ? t`Can see` : t`Can’t see`}</Badge> <bdi>{title}</bdi>
        </>
      }
      lead={
        isDeactivated
          ? t`${person.name} is deactivated. The table shows what would count if they were reactivated.`
          : isAllowed
            ? t`${person.name} can see this document because a rule below lets them in.`
            : isWithheld
              ? t`This app may not search it. ${person.name} can see this document elsewhere, because a rule below lets them in.`
              : ruleCount === 0
                ? t`The document’s permissions name nobody, so nobody can see it.`
                : t`None of the document’s rules lets ${person.name} in.`
      }
    >
      <Facts
        facts={[
          [t`Document`, <code>{`${datasource}:${externalId}`}</code>],
          ["URL", <a href={url}>{url}</a>],
        ]}
      />
      <DataTable
        caption={t`Rules of the document`}
        headings={[t`Rule`, t`Lets them in`, t`Why`]}
        rows={rules.map((rule) => cellsOf({ rule, email: person.email }))}
        empty={t`No rules.`}
      />
      {rules.length < ruleCount ? <p class="hint">{t`The first ${rules.length} of ${ruleCount} rules.`}</p> : null}
    </Panel>
  );
}

function Groups({ standing }: { readonly standing: PersonStanding }) {
  const { directoryGroups, datasources, groups, groupCount } = standing;
  return (
    <Panel
      title={t`Groups`}
      lead={t`Directory groups from single sign-on are as of the last sign-in; those from a directory are current.`}
    >
      <Facts
        facts={[
          [
            t`Directory groups (from your directory or single sign-on)`,
            directoryGroups.length === 0 ? t`no groups` : <Names names={directoryGroups} />,
          ],
          [
            t`Known to datasources`,
            datasources.length === 0 ? (
              t`none`
            ) : (
              <Names names={datasources.map(({ name, isActive }) => (isActive ? name : t`${name} (inactive)`))} />
            ),
          ],
        ]}
      />
      <DataTable
        caption={t`Groups of datasources`}
        headings={[t`Group`, t`Datasource`, t`Member as`]}
        rows={groups.map(({ name, datasource, source }) => [
          <bdi>{name}</bdi>,
          datasource,
          <Way source={source} datasource={datasource} />,
        ])}
        empty={t`No groups of datasources.`}
      />
      {groups.length < groupCount ? <p class="hint">{t`The first ${groups.length} of ${groupCount} groups.`}</p> : null}
    </Panel>
  );
}

/**
 * The most names that are listed; more would fill the page. The groups that decide about a document are listed with its rules.
 */
const NAMES_SHOWN = 100;

function Names({ names }: { readonly names: readonly string[] }) {
  return (
    <span class="links-in-row">
      {names.slice(0, NAMES_SHOWN).map((name) => (
        <bdi>{name}</bdi>
      ))}
      {names.length > NAMES_SHOWN ? <span class="quiet">{t`and ${names.length - NAMES_SHOWN} more`}</span> : null}
    </span>
  );
}
