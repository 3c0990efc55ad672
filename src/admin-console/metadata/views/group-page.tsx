import type { FoundGroup, ListedKey } from "#custom-metadata/group-directory.ts";
import {
  ActButton,
  ButtonLink,
  ConsoleLayout,
  DangerButton,
  DataTable,
  Facts,
  Moment,
  Panel,
} from "#pages/views/console-layout.tsx";
import { countedDocuments } from "#pages/views/count.ts";

export interface WritingToken {
  readonly name: string;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface GroupPageProps {
  readonly path: string;
  readonly group: FoundGroup;
  readonly typeInWords: (type: ListedKey["propertyType"]) => string;
  readonly tokens: readonly WritingToken[];
}

/** One group: its keys, the tokens that can write it, and how to change or delete it. */
export function GroupPage({ path, group, typeInWords, tokens }: GroupPageProps) {
  const example = group.keys[0]?.facetName ?? "";
  return (
    <ConsoleLayout title={group.display} lead={<a href="/admin/metadata">All groups</a>}>
      <Panel title="About this group">
        <Facts
          facts={[
            ["Values on", countedDocuments(group.documents)],
            ["Created", <Moment at={group.createdAt} />],
          ]}
        />
      </Panel>
      <Panel
        title="Keys"
        lead={
          <>
            In a query, write the name, a colon and a value: <code>{`${example}:approved`}</code> finds documents with
            the value “approved” of {group.keys[0]?.display}.
          </>
        }
      >
        <DataTable
          caption="Keys"
          headings={["Key", "Type", "In queries", "Found by free text", "Values on"]}
          rows={group.keys.map((key) => [
            key.display,
            typeInWords(key.propertyType),
            <code>{`${key.facetName}:`}</code>,
            key.skipIndexing ? "no" : "yes",
            countedDocuments(key.documents),
          ])}
          empty="No keys."
        />
      </Panel>
      <p class="toolbar">
        <ActButton href={`${path}/schema`}>Change the keys</ActButton>
      </p>
      <Panel title="Tokens" lead="Active tokens that can write values of this group and change its keys.">
        <DataTable
          caption="Tokens"
          headings={["Name", "Expires", "Last used"]}
          rows={tokens.map((token) => [
            <bdi>{token.name}</bdi>,
            <Moment at={token.expiresAt} />,
            <Moment at={token.lastUsedAt} />,
          ])}
          empty="No tokens: nothing can write values of this group."
        />
      </Panel>
      <p class="toolbar">
        <ButtonLink
          href={`/admin/tokens/new?${new URLSearchParams({ purpose: "metadata", target: group.display }).toString()}`}
        >
          Create a token for this group
        </ButtonLink>
      </p>
      <Panel isDangerous title="Delete this group">
        <p class="toolbar">
          <DangerButton href={`${path}/delete`}>Delete…</DangerButton>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}
