import type { ListedGroup } from "#custom-metadata/group-directory.ts";
import { ConsoleLayout, type ConsoleFrame, DataTable, Moment } from "#pages/views/console-layout.tsx";
import { countedDocuments } from "./counted-documents.ts";

export interface GroupsPageProps {
  readonly frame: ConsoleFrame;
  readonly done: string | undefined;
  readonly groups: readonly ListedGroup[];
}

/** The groups of metadata. */
export function GroupsPage({ frame, done, groups }: GroupsPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/metadata"
      title="Custom metadata"
      done={done}
      lead="Facts that pipelines attach to documents, such as a status or an owner. People filter and search by them. A group is a set of keys that is written together."
    >
      <p class="toolbar">
        <a class="button primary" href="/admin/metadata/new">
          Make a group
        </a>
      </p>
      <DataTable
        caption="Groups"
        headings={["Name", "Keys", "Values on", "Made"]}
        rows={groups.map((group) => [
          <a href={`/admin/metadata/groups/${group.name}`}>{group.display}</a>,
          group.keys,
          countedDocuments(group.documents),
          <Moment at={group.createdAt} />,
        ])}
        empty="There are none yet. Make one here, or let a pipeline describe it with a token of its own."
      />
    </ConsoleLayout>
  );
}
