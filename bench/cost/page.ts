import {
  D1_STORAGE_GIGABYTE_MONTH,
  OBJECT_GIGABYTES,
  OBJECT_STORAGE_GIGABYTE_MONTH,
  PLAN_MONTH,
  PRICE_PAGES,
  PRICES,
  PRICES_AS_OF,
  type Use,
} from "./prices.ts";

/** An operation, and the billed resources that it uses each time, as measured. */
export interface Line {
  readonly name: string;
  readonly use: Use;
}

/** The operations that an instance's month consists of. */
export interface Measured {
  readonly gate: Line;
  readonly search: Line;
  readonly mcp: Line;
  readonly refresh: Line;
  readonly signIn: Line;
  /** A new or changed document, with its share of the clean-up, and the rows that FTS5 changes in its own tables. */
  readonly document: Line & { readonly shadowRows: number };
  /** The same, if each request has one document. */
  readonly alone: Line & { readonly shadowRows: number };
  readonly minutely: Line;
  readonly hourly: Line;
  /** Documents in the index. */
  readonly documents: number;
  /** Bytes of a document in its instance's object. */
  readonly documentBytes: number;
  /** Bytes that D1 stores for a sign-in. */
  readonly signInBytes: number;
}

/**
 * One request of workers-oauth-provider 1.2, according to its source: each request reads the token from KV, and a refresh reads
 * and writes twice.
 */
const PEER: readonly Line[] = [
  { name: "workers-oauth-provider: gate", use: { workerRequests: 1, kvReads: 1 } },
  { name: "workers-oauth-provider: refresh", use: { workerRequests: 1, kvReads: 2, kvWrites: 2 } },
];

const MONTHS = [
  { name: "100 people", searches: 20_000, refreshes: 20_000, signIns: 100, changed: 5000, documents: 10_000 },
  { name: "1,000 people", searches: 400_000, refreshes: 300_000, signIns: 1000, changed: 50_000, documents: 100_000 },
  {
    name: "20,000 people",
    searches: 8_000_000,
    refreshes: 6_000_000,
    signIns: 20_000,
    changed: 500_000,
    documents: 500_000,
  },
];

/** Months for which D1 keeps what a sign-in wrote: entries of the audit, by default a year. */
const KEPT_MONTHS = 12;

/** Milliseconds by which the duration of an object's call may be wrong, for the uncertainty that the page states. */
const UNCERTAIN_MILLISECONDS = 10;

/** Returns the section about cost of docs/scaling.md. */
export function costSection(measured: Measured): string {
  const { gate, search, mcp, refresh, signIn, document, alone, minutely, hourly, documentBytes, signInBytes } =
    measured;
  const { shadowRows, use: counted } = document;
  const withShadow = ({ use, shadowRows: rows }: typeof document): Use => ({
    ...use,
    objectRowsWritten: (use.objectRowsWritten ?? 0) + rows,
  });
  const all = withShadow(document);
  const lines = [gate, search, mcp, refresh, signIn, document, alone, minutely, hourly];
  const months = MONTHS.map((month) => {
    const { searches, refreshes, signIns, changed, documents } = month;
    const uses: [Use, number][] = [
      [search.use, searches],
      [refresh.use, refreshes],
      [signIn.use, signIns],
    ];
    const requests = uses.reduce((sum, [use, count]) => sum + (count / 1e6) * perMillion(use), 0);
    const storage =
      ((documents * documentBytes) / 1e9) * OBJECT_STORAGE_GIGABYTE_MONTH +
      ((signIns * KEPT_MONTHS * signInBytes) / 1e9) * D1_STORAGE_GIGABYTE_MONTH;
    const [least, most] = [counted, all].map((use) => dollars(requests + storage + (changed / 1e6) * perMillion(use)));
    const counts = [searches, refreshes, signIns, changed, documents].map((count) => count.toLocaleString("en"));
    return `| ${month.name} | ${counts.join(" | ")} | ${least} to ${most} |`;
  });
  const triggers = (30 * 24 * (60 * perMillion(minutely.use) + perMillion(hourly.use))) / 1e6;
  const uncertain = (UNCERTAIN_MILLISECONDS / 1000) * OBJECT_GIGABYTES * PRICES.objectGigabyteSeconds;
  return `\`npm run cost\` measures what requests use, and replaces this section. Prices are Cloudflare's list prices as of ${PRICES_AS_OF}, in US dollars, beyond what the plan
includes; the Workers Paid plan itself costs ${dollars(PLAN_MONTH)} per month and account. A million operations cost:

| | Worker CPU, ms | D1 rows read | D1 rows written | calls of the Durable Object | its duration, ms | its rows read | its rows written | KV reads / writes | lines of the log | US dollars per million |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${[...lines, ...PEER].map(rowOf).join("\n")}

- Each line is one operation with all its storage operations, in an index of ${measured.documents.toLocaleString("en")} documents. The rows of D1 come from
  [storage operations](storage-operations.md), which a test checks; everything else is measured. The CPU time is an upper limit: here, D1, KV and the object run
  in the same process.
- The gate is part of each request to an API. A sign-in includes all of its pages and the code exchange. A document is new; one whose words are
  known costs 8 rows instead. The triggers run with nothing to do. workers-oauth-provider is counted from its source code.
- **Uncertain: duration.** Cloudflare bills the time during which an object is active, here that of the whole request. Every ${UNCERTAIN_MILLISECONDS} ms more cost ${uncertain.toFixed(3)} per
  million calls.
- **Uncertain: rows that FTS5 writes.** For each document, SQLite changes ${shadowRows.toFixed(1)} rows in FTS5's own tables, or ${alone.shadowRows.toFixed(1)} if it is alone in its request.
  \`rowsWritten\` doesn't show them, and the documentation doesn't say whether they are billed. If they are, a million documents cost ${dollars(perMillion(all))} instead of ${dollars(perMillion(counted))}, and
  ${dollars(perMillion(withShadow(alone)))} instead of ${dollars(perMillion(alone.use))} one by one.

An instance costs per month; the higher sum includes FTS5's rows, and tool calls count as searches:

| | searches | refreshes | sign-ins | changed documents | documents | US dollars |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${months.join("\n")}

Stored documents cost ${OBJECT_STORAGE_GIGABYTE_MONTH.toFixed(2)} per gigabyte and month, at ${(documentBytes / 1000).toFixed(1)} kB per document; D1 costs ${D1_STORAGE_GIGABYTE_MONTH.toFixed(2)}, at ${(signInBytes / 1000).toFixed(1)} kB per sign-in, kept for a year. An instance that
nobody uses costs only its storage, and the triggers of a deployment ${dollars(triggers)} a month.

Sources: ${PRICE_PAGES.map((page) => `<${page}>`).join(", ")}.
`;
}

function rowOf({ name, use }: Line): string {
  const cell = (value = 0) => (value === 0 ? "0" : value < 10 ? value.toFixed(2) : value.toFixed(0));
  const { workerCpuMilliseconds, d1RowsRead, d1RowsWritten, objectRequests, objectRowsRead, objectRowsWritten } = use;
  const duration = ((use.objectGigabyteSeconds ?? 0) / OBJECT_GIGABYTES) * 1000;
  const ofObject = [objectRequests, duration, objectRowsRead, objectRowsWritten];
  const counts = [workerCpuMilliseconds, d1RowsRead, d1RowsWritten, ...ofObject].map(cell);
  const kv = `${use.kvReads ?? 0} / ${use.kvWrites ?? 0}`;
  return `| ${[name, ...counts, kv, cell(use.logLines), dollars(perMillion(use))].join(" | ")} |`;
}

function perMillion(use: Use): number {
  return Object.entries(use).reduce((all, [name, count]) => all + count * PRICES[name as keyof typeof PRICES], 0);
}

function dollars(amount: number): string {
  return amount.toFixed(2);
}
