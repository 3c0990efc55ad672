import type { ListedDocument } from "#documents/inspection/inspection.ts";
import type { DocumentStats } from "#documents/upkeep/keeping.ts";
import type { RemovedDocuments, UploadStatus } from "#documents/uploads/uploads.ts";
import {
  ActButton,
  Badge,
  ConsoleLayout,
  DangerButton,
  DataTable,
  Moment,
  Panel,
} from "#pages/views/console-layout.tsx";
import { known, t, useFrame } from "#pages/views/console-frame.ts";
import { grouped } from "#pages/views/count.ts";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { Pager } from "#pages/views/pager.tsx";

export interface DatasourcePageProps {
  readonly datasource: DocumentStats["datasources"][number];
  readonly uploads: readonly UploadStatus[];
  /** Those that can be brought back. */
  readonly removed: RemovedDocuments | undefined;
  /** Each with the address of its page. */
  readonly documents: readonly (ListedDocument & { readonly path: string })[];
  readonly previous: string | null;
  readonly next: string | null;
}

const states = () =>
  ({
    receiving: ["warn", t`Receiving pages`],
    held: ["bad", t`Held for a decision`],
    removing: ["warn", t`Removing what was left out`],
    done: ["good", t`Done`],
    "given up": ["bad", t`Given up`],
  }) as const;

/** A datasource's uploads, and its documents in order of their ids. */
export function DatasourcePage({ datasource, uploads, removed, documents, previous, next }: DatasourcePageProps) {
  return (
    <ConsoleLayout
      title={datasource.name}
      lead={t`${datasource.documents} documents, ${datasource.users} users, ${datasource.groups} groups, ${datasource.memberships} memberships. See all ${<a href="/admin/content">{t`datasources`}</a>}.`}
    >
      {uploads
        .filter(({ status }) => status === "held")
        .map((upload) => (
          <Held datasource={datasource.name} upload={upload} />
        ))}
      {removed && <Removed removed={removed} />}
      <Panel title={t`Latest bulk uploads`}>
        <DataTable
          caption={t`Latest bulk uploads`}
          headings={[t`Kind`, t`State`, t`Received`, t`Removed`, t`Last page`, t`Latest error`]}
          rows={uploads.map((upload) => [
            <>
              {known(upload.kind)}
              {upload.groupName === "" ? null : <span class="quiet">{t`of ${<bdi>{upload.groupName}</bdi>}`}</span>}
            </>,
            <Badge tone={states()[upload.status][0]}>{states()[upload.status][1]}</Badge>,
            grouped(upload.received),
            grouped(upload.removed),
            <Moment at={upload.changedAt} />,
            upload.errors[0] === undefined ? (
              t`none`
            ) : (
              <>
                {known(upload.errors[0].message)} <Moment at={upload.errors[0].at} />
              </>
            ),
          ])}
          empty={t`No bulk uploads.`}
        />
      </Panel>
      <Panel title={t`Documents`}>
        <DataTable
          caption={t`Documents`}
          headings={[t`Document`, t`Type`, t`Updated`, t`Indexed`]}
          rows={documents.map(({ externalId, title, objectType, updatedAt, indexedAt, path }) => [
            <>
              <a href={path} dir="auto">
                {title === "" ? externalId : title}
              </a>
              <span class="quiet">{externalId}</span>
            </>,
            <bdi>{objectType}</bdi>,
            <Moment at={updatedAt} never={t`unknown`} />,
            <Moment at={indexedAt} />,
          ])}
          empty={t`No documents here.`}
        />
      </Panel>
      <Pager label={t`Pages of the list`} previous={previous} next={next} />
    </ConsoleLayout>
  );
}

const fates = () => ({ "bring back": t`They are being brought back.`, erase: t`They are being erased.` }) as const;

/** Documents that uploads removed and that can be brought back. */
function Removed({ removed }: { readonly removed: RemovedDocuments }) {
  const { datasource, documents, firstRemovedAt, fate } = removed;
  return (
    <Panel
      title={t`Uploads removed ${documents} documents that can be brought back`}
      lead={t`Nobody finds them. They are erased seven days after they were removed, the first from ${<Moment at={firstRemovedAt} />}.`}
    >
      {fate === null ? (
        <div class="actions">
          <ActButton href={`/admin/content/${datasource}/bring-back`}>{t`Bring them back…`}</ActButton>
        </div>
      ) : (
        <p>{fates()[fate]}</p>
      )}
    </Panel>
  );
}

/** An upload that would remove much, and what can be decided about it. */
function Held({ datasource, upload }: { readonly datasource: string; readonly upload: UploadStatus }) {
  const frame = useFrame();
  const { kind, groupName, uploadId, stale, total, heldUntil, examples } = upload;
  const discard = `/admin/content/${datasource}/held/discard`;
  const of = groupName === "" ? null : <> {t`of the members of ${<bdi>{groupName}</bdi>}`}</>;
  const remove = `/admin/content/${datasource}/held/remove?${new URLSearchParams({ kind, group: groupName }).toString()}`;
  return (
    <Panel
      title={t`An upload would remove ${stale} of ${total} ${known(kind)}`}
      lead={t`The bulk upload ${<bdi>{uploadId}</bdi>}${of} is complete and left them out. They are removed ${<Moment at={heldUntil} />}, unless you keep them or a complete upload contains them again.`}
    >
      {examples.length === 0 ? null : <p>{t`Left out, among others: ${<bdi>{examples.join(", ")}</bdi>}`}</p>}
      <div class="actions">
        <DangerButton href={remove}>{t`Remove them now…`}</DangerButton>
      </div>
      {frame.refusalOf(discard) === undefined ? (
        <Form action={discard}>
          <input type="hidden" name="kind" value={kind} />
          <input type="hidden" name="group" value={groupName} />
          <p class="hint">{t`If you keep them, the datasource’s next upload is checked again.`}</p>
          <SubmitRow button={t`Keep them`} look={null} />
        </Form>
      ) : null}
    </Panel>
  );
}
