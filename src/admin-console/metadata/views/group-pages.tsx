import type { FoundGroup, ListedGroup, ListedKey } from "#custom-metadata/group-directory.ts";
import {
  ActButton,
  ButtonLink,
  ConsoleLayout,
  DangerButton,
  DataTable,
  Facts,
  Moment,
  Panel,
  PrimaryButton,
} from "#pages/views/console-layout.tsx";
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

interface WritingToken {
  readonly name: string;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

interface GroupPageProps {
  readonly path: string;
  readonly group: FoundGroup;
  readonly typeInWords: (type: ListedKey["propertyType"]) => string;
  readonly tokens: readonly WritingToken[];
}

/** One group: its keys, the tokens that can write it, and how to change or delete it. */
export function GroupPage({ path, group, typeInWords, tokens }: GroupPageProps) {
  const example = group.keys[0]?.facetName ?? "";
  return (
    <ConsoleLayout title={group.display} lead={<a href="/admin/metadata">{t`All groups`}</a>}>
      <Panel title={t`About this group`}>
        <Facts
          facts={[
            [t`Values on`, known(countedDocuments(group.documents))],
            [t`Created`, <Moment at={group.createdAt} />],
          ]}
        />
      </Panel>
      <Panel
        title={t`Keys`}
        lead={t`In a query, write the name, a colon and a value: ${<code>{`${example}:approved`}</code>} finds documents with the value “approved” of ${group.keys[0]?.display}.`}
      >
        <DataTable
          caption={t`Keys`}
          headings={[t`Key`, t`Type`, t`In queries`, t`Found by free text`, t`Values on`]}
          rows={group.keys.map((key) => [
            key.display,
            known(typeInWords(key.propertyType)),
            <code>{`${key.facetName}:`}</code>,
            key.skipIndexing ? t`no` : t`yes`,
            known(countedDocuments(key.documents)),
          ])}
          empty={t`No keys.`}
        />
      </Panel>
      <p class="toolbar">
        <ActButton href={`${path}/schema`}>{t`Change the keys`}</ActButton>
      </p>
      <Panel title={t`Tokens`} lead={t`Active tokens that can write values of this group and change its keys.`}>
        <DataTable
          caption={t`Tokens`}
          headings={[t`Name`, t`Expires`, t`Last used`]}
          rows={tokens.map((token) => [
            <bdi>{token.name}</bdi>,
            <Moment at={token.expiresAt} />,
            <Moment at={token.lastUsedAt} />,
          ])}
          empty={t`No tokens: nothing can write values of this group.`}
        />
      </Panel>
      <p class="toolbar">
        <ButtonLink
          href={`/admin/tokens/new?${new URLSearchParams({ purpose: "metadata", target: group.display }).toString()}`}
        >{t`Create a token for this group`}</ButtonLink>
      </p>
      <Panel isDangerous title={t`Delete this group`}>
        <p class="toolbar">
          <DangerButton href={`${path}/delete`}>{t`Delete…`}</DangerButton>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}
