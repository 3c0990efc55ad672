import type { InspectedDocument } from "#documents/inspection/inspection.ts";
import { PrincipalName } from "#pages/views/principal-name.tsx";
import { grouped } from "#pages/views/count.ts";
import { ConsoleLayout, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";

export interface DocumentPageProps {
  readonly datasource: string;
  readonly document: InspectedDocument;
}

/**
 * What is stored about a document: its origin, who may see it, and its metadata. Its text is left out, because administrators may not
 * be allowed to read it.
 */
export function DocumentPage({ datasource, document }: DocumentPageProps) {
  const { principals, principalCount } = document;
  const id = `${datasource}:${document.externalId}`;
  return (
    <ConsoleLayout
      title={document.title === "" ? id : document.title}
      lead={
        <>
          A document of <a href={`/admin/content/${datasource}`}>{datasource}</a>.
        </>
      }
    >
      <Panel title="Document">
        <Facts
          facts={[
            ["Id", <code class="id">{id}</code>],
            ["URL", <a href={document.url}>{document.url}</a>],
            ["Type", <bdi>{document.objectType}</bdi>],
            [
              "Author",
              <bdi>{[document.authorName, document.authorEmail].filter(Boolean).join(", ") || "unknown"}</bdi>,
            ],
            ["Created", <Moment at={document.createdAt} never="unknown" />],
            ["Updated", <Moment at={document.updatedAt} never="unknown" />],
            ["Indexed", <Moment at={document.indexedAt} />],
            ["Last sent by", document.uploadId === null ? "a single call" : <>bulk upload {document.uploadId}</>],
            ["Text", `${grouped(document.characters)} characters`],
            ["Tags", <bdi>{document.tags.length === 0 ? "none" : document.tags.join(", ")}</bdi>],
          ]}
        />
      </Panel>
      <Panel
        title="Who can see it"
        lead={
          <>
            To check one person, open them under <a href="/admin/people">People</a> and enter <code>{id}</code>
          </>
        }
      >
        {principals.length === 0 ? <p class="empty">Nobody: its permissions name no one.</p> : null}
        <ul>
          {principals.map((principal) => (
            <li>
              <PrincipalName principal={principal} />
            </li>
          ))}
        </ul>
        {principals.length < principalCount ? (
          <p class="hint">
            The first {principals.length} of {principalCount}.
          </p>
        ) : null}
      </Panel>
      <Panel title="Custom metadata">
        {document.customData.length === 0 ? (
          <p class="empty">None.</p>
        ) : (
          <Facts facts={document.customData.map(({ key, values }) => [key, <bdi>{values.join(", ")}</bdi>])} />
        )}
      </Panel>
    </ConsoleLayout>
  );
}
