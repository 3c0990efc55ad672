import { UNTYPED } from "#pages/untyped.ts";
import type { DocumentStats } from "#documents/upkeep/keeping.ts";
import { ConsoleLayout, DataTable, Moment } from "#pages/views/console-layout.tsx";
import { Minute } from "#pages/views/time.tsx";
import { grouped } from "#pages/views/count.ts";
import { known, t } from "#pages/views/console-frame.ts";
import { TextField } from "#pages/views/fields.tsx";

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
