import postgres from "postgres";
import { withoutIndexes } from "./copying.ts";

const COLUMNS_OF = `SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) AS columns FROM information_schema.columns
  WHERE table_schema = 'gatehouse' AND is_generated = 'NEVER' AND column_name NOT IN ('instance_id', 'id', 'external_id') AND table_name = `;

/**
 * Multiplies the documents of an instance in the server. The copies have the same words, lengths and permissions, so every list
 * of the index and every count is multiplied too. This is much faster than writing other documents, but results can't be judged
 * by it.
 */
export async function multiplyDocuments(
  address: string,
  instanceId: number,
  documents: number,
  times: number,
  report: (progress: string) => void,
): Promise<void> {
  const sql = postgres(address, {
    max: 1,
    onnotice: () => undefined,
    connection: { search_path: "gatehouse", maintenance_work_mem: "1GB", synchronous_commit: "off" },
  });
  try {
    await withoutIndexes(sql, report, async () => {
      for (const [table, named] of [
        ["documents", ["external_id", "external_id || '+' || n"]],
        ["entries", null],
        ["forwards", null],
      ] as const) {
        const [row] = await sql.unsafe<{ columns: string }[]>(`${COLUMNS_OF}'${table}'`);
        const columns = row?.columns ?? "";
        await sql.unsafe(
          `INSERT INTO ${table} (instance_id, id, ${named ? `${named[0]}, ` : ""}${columns})
           SELECT instance_id, id + n * ${documents}, ${named ? `${named[1]}, ` : ""}${columns}
           FROM ${table}, generate_series(1, ${times - 1}) AS n WHERE instance_id = ${instanceId}`,
        );
        report(`multiplied ${table}`);
      }
      const levels = Array.from({ length: 12 }, (_, level) => `l${level} = l${level} * ${times}`).join(", ");
      await sql.unsafe(
        `UPDATE words SET documents = documents * ${times}, ${levels} WHERE instance_id = ${instanceId}`,
      );
      for (const table of ["classes", "instances"]) {
        // Postings don't include the copies, so they are written anew.
        const last = table === "instances" ? `, last_document = last_document * ${times}, told_version = -1` : "";
        await sql.unsafe(
          `UPDATE ${table} SET documents = documents * ${times}, length = length * ${times}${last} WHERE instance_id = ${instanceId}`,
        );
      }
      await sql.unsafe(`UPDATE datasources SET documents = documents * ${times} WHERE instance_id = ${instanceId}`);
    });
    await sql.unsafe("VACUUM ANALYZE");
  } finally {
    await sql.end();
  }
}
