import type { InspectedDocument } from "#documents/inspection/inspection.ts";
import { PrincipalName } from "#pages/views/principal-name.tsx";
import { t } from "#pages/views/console-frame.ts";
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
      lead={t`A document of ${<a href={`/admin/content/${datasource}`}>{datasource}</a>}.`}
    >
      <Panel title={t`Document`}>
        <Facts
          facts={[
            [t`Id`, <code class="id">{id}</code>],
            ["URL", <a href={document.url}>{document.url}</a>],
            [t`Type`, <bdi>{document.objectType}</bdi>],
            [
              t`Author`,
              <bdi>{[document.authorName, document.authorEmail].filter(Boolean).join(", ") || t`unknown`}</bdi>,
            ],
            [t`Created`, <Moment at={document.createdAt} never={t`unknown`} />],
            [t`Updated`, <Moment at={document.updatedAt} never={t`unknown`} />],
            [t`Indexed`, <Moment at={document.indexedAt} />],
            [t`Last sent by`, document.uploadId === null ? t`a single call` : t`bulk upload ${document.uploadId}`],
            [t`Text`, t`${document.characters} characters`],
            [t`Tags`, <bdi>{document.tags.length === 0 ? t`none` : document.tags.join(", ")}</bdi>],
          ]}
        />
      </Panel>
      <Panel
        title={t`Who can see it`}
        lead={t`To check one person, open them under ${<a href="/admin/people">{t`People`}</a>} and enter ${<code>{id}</code>}`}
      >
        {principals.length === 0 ? <p class="empty">{t`Nobody: its permissions name no one.`}</p> : null}
        <ul>
          {principals.map((principal) => (
            <li>
              <PrincipalName principal={principal} />
            </li>
          ))}
        </ul>
        {principals.length < principalCount ? (
          <p class="hint">{t`The first ${principals.length} of ${principalCount}.`}</p>
        ) : null}
      </Panel>
      <Panel title={t`Custom metadata`}>
        {document.customData.length === 0 ? (
          <p class="empty">{t`None.`}</p>
        ) : (
          <Facts facts={document.customData.map(({ key, values }) => [key, <bdi>{values.join(", ")}</bdi>])} />
        )}
      </Panel>
    </ConsoleLayout>
  );
}
