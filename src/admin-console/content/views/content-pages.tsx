import { UNTYPED } from "#pages/views/form.tsx";
import type { DocumentStats } from "#documents/upkeep/keeping.ts";
import { ConsoleLayout, DataTable, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Minute } from "#pages/views/time.tsx";
import { known, t } from "#pages/views/console-frame.ts";
import { grouped } from "#pages/views/count.ts";
import { TextField } from "#pages/views/fields.tsx";
import type { HeldUpload, RemovedDocuments } from "#documents/uploads/uploads.ts";
import { later, type Question } from "#pages/views/asking-page.tsx";
import type { InspectedDocument } from "#documents/inspection/inspection.ts";
import { PrincipalName } from "#pages/views/principal-name.tsx";

/** The searchable content, by datasource. */
export function ContentPage(props: {
  readonly stats: DocumentStats;
  /** In how many Durable Objects the documents are. Each has a maximum size. */
  readonly objects: number;
}) {
  const { stats, objects } = props;
  return (
    <ConsoleLayout
      title={t`Content`}
      lead={t`Pipelines push documents with an ${<a href="/admin/tokens">{t`indexing token`}</a>}. To see what you can find yourself, ${<a href="/search">{t`search as yourself`}</a>}.`}
    >
      {stats.lastRefusal === null ? null : (
        <div class="notice problem">
          <p>{t`An upload to ${<a href={`/admin/content/${stats.lastRefusal.datasource}`}>{stats.lastRefusal.datasource}</a>} was refused at ${<Minute at={stats.lastRefusal.at} />}: ${known(stats.lastRefusal.message)}`}</p>
        </div>
      )}
      <form method="get" action="/admin/content" class="toolbar" role="search">
        <TextField name="document" label={t`Document (datasource:id)`} required maxlength={300} state={UNTYPED} />
        <button type="submit">{t`Find`}</button>
      </form>
      <DataTable
        caption={t`Datasources`}
        headings={[t`Datasource`, t`Documents`, t`Users`, t`Groups`, t`Last upload`]}
        rows={stats.datasources.map(({ name, documents, users, groups, lastUploadAt }) => [
          <a href={`/admin/content/${name}`}>{name}</a>,
          grouped(documents),
          grouped(users),
          grouped(groups),
          <Moment at={lastUploadAt} never={t`no bulk upload`} />,
        ])}
        empty={t`There are no documents yet.`}
      />
      <p class="hint">{t`${(stats.bytes / 1_000_000).toFixed(1)} MB of ${10 * objects} GB in use (${<a href="/admin/document-storage">{t`document storage`}</a>}). Uploads under way: ${stats.receiving + stats.removing}.`}</p>
    </ConsoleLayout>
  );
}

/** Asks before what a held upload left out is removed. */
export function removeHeldQuestion(upload: HeldUpload): Question {
  const { datasource, kind, groupName, stale, total, examples } = upload;
  return {
    title: "Remove what the upload left out?",
    fields: { kind, group: groupName },
    back: `/admin/content/${datasource}`,
    words: [
      later(
        () =>
          t`${stale} of ${total} ${known(kind)} of ${<bdi>{datasource}</bdi>} are removed, such as ${<bdi>{examples.join(", ")}</bdi>}.`,
      ),
      kind === "documents"
        ? "For seven days, they can be brought back on the datasource’s page."
        : "You can’t undo this. The datasource’s pipeline can upload them again.",
    ],
  };
}

/** Asks before documents that uploads removed are brought back. */
export function bringBackQuestion({ datasource, documents }: RemovedDocuments): Question {
  return {
    title: "Bring the removed documents back?",
    words: [
      later(
        () =>
          t`${documents} documents of ${<bdi>{datasource}</bdi>} get their permissions and metadata back, and can be found again.`,
      ),
      "Documents that were indexed again since stay as they are.",
      "The next complete upload that leaves them out removes them again. Fix the pipeline first.",
    ],
  };
}

interface DocumentPageProps {
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
