import type { Principal } from "#documents/engine.ts";
import type { MovedDocument } from "#documents/moving/transfer.ts";
import {
  CHARACTERS_A_PAGE,
  DOCUMENTS_A_PAGE,
  type Exported,
  exportedPage,
  type ExportKey,
  exportPlace,
  type ExportSection,
  ROWS_A_PAGE,
} from "#documents/upkeep/export-sections.ts";
import type { ExportLine, ExportPage } from "#documents/upkeep/keeping.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { metadataGroups } from "#documents-postgres/metadata/groups.ts";

/** Reads what each section of the export contains after a key. */
const READERS: Readonly<Record<ExportSection, (rows: Rows, after: ExportKey) => Promise<readonly Exported[]>>> = {
  metadataGroups: async (rows, [after = 0]) =>
    (await metadataGroups(rows, Number(after), ROWS_A_PAGE)).map((group) => ({
      key: [group.id],
      line: { metadataGroup: group },
    })),
  documents,
  memberships,
  groups,
  users,
};

/** Returns the next page of the export, from the place that an earlier page's `next` names. */
export async function exportPage(rows: Rows, next: string | null): Promise<ExportPage> {
  const place = exportPlace(next);
  return place ? exportedPage(await READERS[place.section](rows, place.after), place) : { lines: [], next: null };
}

async function users(rows: Rows, after: ExportKey): Promise<readonly Exported[]> {
  const found = await rows.all<Extract<ExportLine, { user: unknown }>["user"]>(
    `SELECT datasource, user_id AS "userId", email, name, is_active AS "isActive" FROM datasource_users
     WHERE instance_id = $1 AND (datasource, user_id) > ($2, $3) ORDER BY datasource, user_id LIMIT ${ROWS_A_PAGE}`,
    ...after,
  );
  return found.map((user) => ({ key: [user.datasource, user.userId], line: { user } }));
}

async function groups(rows: Rows, after: ExportKey): Promise<readonly Exported[]> {
  const found = await rows.all<{ datasource: string; name: string; state: string }>(
    `SELECT datasource, name, state FROM datasource_groups
     WHERE instance_id = $1 AND (datasource, name) > ($2, $3) ORDER BY datasource, name LIMIT ${ROWS_A_PAGE}`,
    ...after,
  );
  return found.map(({ datasource, name, state }) => ({
    key: [datasource, name],
    line: { group: { datasource, name, isDeleted: state !== "described", isLeaving: state === "leaving" } },
  }));
}

async function memberships(rows: Rows, after: ExportKey): Promise<readonly Exported[]> {
  const found = await rows.all<Extract<ExportLine, { membership: unknown }>["membership"]>(
    `SELECT m.datasource, m.member_kind AS "memberKind", m.member, m.group_name AS "groupName" FROM memberships m
     WHERE m.instance_id = $1 AND (m.member_kind, m.member, m.datasource, m.group_name) > ($2, $3, $4, $5)
       AND NOT (m.member_kind = 'user' AND EXISTS (SELECT 1 FROM leaving_users l
         WHERE l.instance_id = $1 AND l.datasource = m.datasource AND l.member = m.member))
     ORDER BY m.member_kind, m.member, m.datasource, m.group_name LIMIT ${ROWS_A_PAGE}`,
    ...after,
  );
  return found.map((membership) => ({
    key: [membership.memberKind, membership.member, membership.datasource, membership.groupName],
    line: { membership },
  }));
}

interface DocumentRow extends Omit<MovedDocument, "tags" | "principals" | "values" | "versions"> {
  readonly id: number;
  /** JSON. */
  readonly tags: string;
  readonly principals: readonly Principal[] | null;
  readonly values: MovedDocument["values"] | null;
  readonly versions: MovedDocument["versions"] | null;
}

const DOCUMENT = `d.id, d.generation, d.datasource, d.external_id AS "externalId", d.object_type AS "objectType", d.title, d.url,
  d.author_name AS "authorName", d.author_email AS "authorEmail", d.created_at AS "createdAt",
  d.updated_at AS "updatedAt", d.tags, d.summary, d.keywords, d.indexed_at AS "indexedAt", d.body,
  (SELECT json_agg(json_build_object('kind', p.kind, 'datasource', p.datasource, 'name', p.name) ORDER BY l.at)
    FROM entries e JOIN classes c ON c.instance_id = $1 AND c.id = e.class
    CROSS JOIN unnest(c.principals) WITH ORDINALITY AS l (id, at)
    JOIN principals p ON p.instance_id = $1 AND p.id = l.id
    WHERE e.instance_id = $1 AND e.id = d.id) AS principals,
  (SELECT json_object_agg(m.group_id, m.entries) FROM document_metadata m
    WHERE m.instance_id = $1 AND m.document_id = d.id) AS values,
  (SELECT json_object_agg(m.group_id, m.version) FROM document_metadata m
    WHERE m.instance_id = $1 AND m.document_id = d.id) AS versions`;

async function documents(rows: Rows, [after = 0]: ExportKey): Promise<readonly Exported[]> {
  const found = await documentsAfter(rows, Number(after), DOCUMENTS_A_PAGE, CHARACTERS_A_PAGE);
  return found.map(({ id, document: { generation: _generation, versions: _versions, ...document } }) => ({
    key: [id],
    line: { document },
  }));
}

interface NumberedDocument {
  readonly id: number;
  readonly document: MovedDocument;
}

/** Returns documents after an id, at most `documentsMax` of them, with about `charactersMax` characters. */
export async function documentsAfter(
  rows: Rows,
  after: number,
  documentsMax: number,
  charactersMax: number,
): Promise<NumberedDocument[]> {
  const found = await rows.all<DocumentRow>(
    `WITH next AS (
       SELECT id, sum(characters) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - characters AS before FROM (
         SELECT id, length(body) AS characters FROM documents WHERE instance_id = $1 AND id > $2 ORDER BY id LIMIT $3) s)
     SELECT ${DOCUMENT}
     FROM next n JOIN documents d ON d.instance_id = $1 AND d.id = n.id WHERE n.before <= $4 ORDER BY d.id`,
    after,
    documentsMax,
    charactersMax,
  );
  return found.map(toDocument);
}

/** Returns the document with this datasource and id. */
export async function exportedDocument(
  rows: Rows,
  datasource: string,
  externalId: string,
): Promise<MovedDocument | null> {
  const [row] = await rows.all<DocumentRow>(
    `SELECT ${DOCUMENT} FROM documents d WHERE d.instance_id = $1 AND d.datasource = $2 AND d.external_id = $3`,
    datasource,
    externalId,
  );
  return row ? toDocument(row).document : null;
}

function toDocument({ id, tags, principals, values, versions, ...document }: DocumentRow): NumberedDocument {
  return {
    id,
    document: {
      ...document,
      tags: JSON.parse(tags) as string[],
      principals: principals ?? [],
      values: values ?? {},
      versions: versions ?? {},
    },
  };
}
