import type { ListedGroup } from "#custom-metadata/group-directory.ts";
import { ConsoleLayout, DataTable, Moment, PrimaryButton } from "#pages/views/console-layout.tsx";
import { known, t } from "#pages/views/console-frame.ts";
import { countedDocuments } from "#pages/views/count.ts";

/** All groups of custom metadata. */
export function GroupsPage({ groups }: { readonly groups: readonly ListedGroup[] }) {
  return (
    <ConsoleLayout
      title={t`Custom metadata`}
      lead={t`Extra fields that pipelines add to documents, such as a status or an owner. People can search and filter by them. A group is a set of keys.`}
    >
      <p class="toolbar">
        <PrimaryButton href="/admin/metadata/new">{t`Create a group`}</PrimaryButton>
      </p>
      <DataTable
        caption={t`Groups`}
        headings={[t`Name`, t`Keys`, t`Values on`, t`Created`]}
        rows={groups.map((group) => [
          <a href={`/admin/metadata/groups/${group.name}`}>{group.display}</a>,
          group.keys,
          known(countedDocuments(group.documents)),
          <Moment at={group.createdAt} />,
        ])}
        empty={t`No groups yet. Create one here, or let a pipeline create it with its own token.`}
      />
    </ConsoleLayout>
  );
}
