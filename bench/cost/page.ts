import { OBJECT_STORAGE_GIGABYTE_MONTH, PLAN_MONTH, PRICE_PAGES, PRICES, PRICES_AS_OF, type Use } from "./prices.ts";

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
  readonly document: Line;
  /** Bytes of a document in its instance's object. */
  readonly documentBytes: number;
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

/** Returns the text of docs/cost.md. */
export function costPage(measured: Measured): string {
  const { gate, search, mcp, refresh, signIn, document, documentBytes } = measured;
  const lines = [gate, search, mcp, refresh, signIn, document];
  const months = MONTHS.map((month) => {
    const { searches, refreshes, signIns, changed, documents } = month;
    const uses: [Line, number][] = [
      [search, searches],
      [refresh, refreshes],
      [signIn, signIns],
      [document, changed],
    ];
    const requests = uses.reduce((all, [{ use }, count]) => all + (count / 1e6) * perMillion(use), 0);
    const gigabytes = (documents * documentBytes) / 1e9;
    const storage = gigabytes * OBJECT_STORAGE_GIGABYTE_MONTH;
    const counts = [searches, refreshes, signIns, changed, documents].map((count) => count.toLocaleString("en"));
    return `| ${month.name} | ${counts.join(" | ")} | ${dollars(requests + storage)} |`;
  });
  return `# Cost

\`npm run cost\` measures what requests use, and writes this page. Prices are Cloudflare's list prices as of ${PRICES_AS_OF}, beyond what the plan
includes; \`bench/cost/prices.ts\` is the only place in the code that contains them. The Workers Paid plan itself costs ${dollars(PLAN_MONTH)} US dollars per month and account, for any number of instances.

## Cost of a million operations

| | Worker CPU, ms | D1 rows read | D1 rows written | calls of the Durable Object | its rows read | its rows written | KV reads / writes | US dollars per million |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${[...lines, ...PEER].map(rowOf).join("\n")}

- **Each line** is one operation with all its storage operations. The rows of D1 come from [storage-operations.md](storage-operations.md), which a test checks.
  The command measures CPU time and the rows of the Durable Object, with 500 documents. The CPU time is an upper limit: here, D1, KV and the object run in the
  same process, while Cloudflare bills them separately. The object's duration is taken to be as long as the CPU time, so it is an upper limit, too.
- **The gate** is part of each request to an API. Its line is a request that ends right after the gate.
- **A sign-in** includes all of its pages and the code exchange. **A document** is a new or changed document; one call to the object indexes about ten.
- **workers-oauth-provider** is counted from its source code, without CPU time. It stores no documents.

## Cost of an instance per month

| | searches | refreshes | sign-ins | changed documents | documents | US dollars |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${months.join("\n")}

An instance that nobody uses costs only its storage. Tool calls count as searches. Stored documents cost ${OBJECT_STORAGE_GIGABYTE_MONTH.toFixed(2)} US dollars per gigabyte and month, at ${(documentBytes / 1000).toFixed(1)} kB per
document, as [measured](performance.md#writing).

Sources: ${PRICE_PAGES.map((page) => `<${page}>`).join(", ")}.
`;
}

function rowOf({ name, use }: Line): string {
  const cell = (value = 0) => (value === 0 ? "0" : value < 10 ? value.toFixed(2) : value.toFixed(0));
  const { workerCpuMilliseconds, d1RowsRead, d1RowsWritten, objectRequests, objectRowsRead, objectRowsWritten } = use;
  const counts = [workerCpuMilliseconds, d1RowsRead, d1RowsWritten, objectRequests, objectRowsRead, objectRowsWritten];
  const kv = `${use.kvReads ?? 0} / ${use.kvWrites ?? 0}`;
  return `| ${name} | ${counts.map(cell).join(" | ")} | ${kv} | ${dollars(perMillion(use))} |`;
}

function perMillion(use: Use): number {
  return Object.entries(use).reduce((all, [name, count]) => all + count * PRICES[name as keyof typeof PRICES], 0);
}

function dollars(amount: number): string {
  return amount.toFixed(2);
}
