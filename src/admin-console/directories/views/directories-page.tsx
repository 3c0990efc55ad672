import { Badge, ConsoleLayout, DataTable, Facts, Moment, Panel, PrimaryButton } from "#pages/views/console-layout.tsx";
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

const GROUPS_OF: Readonly<Record<Settings["provisionedGroups"], string>> = {
  directory: "Only the directory’s groups count",
  "sign-in": "Only the groups of the last sign-in count",
  both: "The directory’s groups and those of the last sign-in count",
};

/** The directories that provision people, and whether their tokens still work. */
export function DirectoriesPage(props: {
  readonly scimUrl: string;
  readonly groupsOf: Settings["provisionedGroups"];
  readonly directories: readonly DirectoryShown[];
}) {
  return (
    <ConsoleLayout
      title="Directories"
      lead="Okta, Entra ID or another directory creates, changes and deactivates people and groups here through SCIM 2.0."
    >
      <p class="toolbar">
        <PrimaryButton href="/admin/tokens/new?purpose=directory">Connect a directory</PrimaryButton>
      </p>
      <DataTable
        caption="Directories"
        headings={["Directory", "Users", "Groups", "Token", "Last call"]}
        rows={props.directories.map(({ name, users, groups, tokens, expiresAt, lastCallAt }) => [
          <a href={`/admin/tokens?kind=scim&search=${name}`}>{name}</a>,
          grouped(users),
          grouped(groups),
          tokens === 0 ? (
            <Badge tone="warn">No active token</Badge>
          ) : (
            <span>
              expires <Moment at={expiresAt} />
            </span>
          ),
          <Moment at={lastCallAt} />,
        ])}
        empty="No directory is connected. People appear after their first sign-in, and you deactivate them yourself."
      />
      <Panel title="For the directory’s settings">
        <Facts
          facts={[
            ["Base URL", <code>{props.scimUrl}</code>],
            ["Groups of provisioned people", GROUPS_OF[props.groupsOf]],
          ]}
        />
        <p class="hint">
          To let other groups count, change the setting <code class="word">provisionedGroups</code> with the command{" "}
          <code class="word">settings set</code> or the Admin API.
        </p>
      </Panel>
    </ConsoleLayout>
  );
}
