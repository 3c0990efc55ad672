import { Badge, ConsoleLayout, DataTable, Facts, Moment, Panel, PrimaryButton } from "#pages/views/console-layout.tsx";
import { t } from "#pages/views/console-frame.ts";
import { grouped } from "#pages/views/count.ts";
import type { Settings } from "#settings/settings.ts";

interface DirectoryShown {
  readonly name: string;
  readonly users: number;
  readonly groups: number;
  /** Number of active tokens. */
  readonly tokens: number;
  /** When its last token expires; `null` if it has none. */
  readonly expiresAt: number | null;
  /** To within an hour. */
  readonly lastCallAt: number | null;
}

const groupSources = (): Readonly<Record<Settings["provisionedGroups"], string>> => ({
  directory: t`Only the directory’s groups count`,
  "sign-in": t`Only the groups of the last sign-in count`,
  both: t`The directory’s groups and those of the last sign-in count`,
});

/** The directories that provision people, and whether their tokens still work. */
export function DirectoriesPage(props: {
  readonly scimUrl: string;
  readonly groupsOf: Settings["provisionedGroups"];
  readonly directories: readonly DirectoryShown[];
}) {
  return (
    <ConsoleLayout
      title={t`Directories`}
      lead={t`Okta, Entra ID or another directory creates, changes and deactivates people and groups here through SCIM 2.0.`}
    >
      <p class="toolbar">
        <PrimaryButton href="/admin/tokens/new?purpose=directory">{t`Connect a directory`}</PrimaryButton>
      </p>
      <DataTable
        caption={t`Directories`}
        headings={[t`Directory`, t`Users`, t`Groups`, t`Token`, t`Last call`]}
        rows={props.directories.map(({ name, users, groups, tokens, expiresAt, lastCallAt }) => [
          <a href={`/admin/tokens?kind=scim&search=${name}`}>{name}</a>,
          grouped(users),
          grouped(groups),
          tokens === 0 ? (
            <Badge tone="warn">{t`No active token`}</Badge>
          ) : (
            <span>{t`expires ${<Moment at={expiresAt} />}`}</span>
          ),
          <Moment at={lastCallAt} />,
        ])}
        empty={t`No directory is connected. People appear after their first sign-in, and you deactivate them yourself.`}
      />
      <Panel title={t`For the directory’s settings`}>
        <Facts
          facts={[
            [t`Base URL`, <code>{props.scimUrl}</code>],
            [t`Groups of provisioned people`, groupSources()[props.groupsOf]],
          ]}
        />
        <p class="hint">{t`To let other groups count, change the setting ${<code class="word">provisionedGroups</code>} with the command ${<code class="word">settings set</code>} or the Admin API.`}</p>
      </Panel>
    </ConsoleLayout>
  );
}
