/** When the prices were read. */
export const PRICES_AS_OF = "2026-11-22";

/** Where they stand: the pricing pages of Cloudflare's documentation. */
export const PRICE_PAGES = [
  "https://developers.cloudflare.com/workers/platform/pricing/",
  "https://developers.cloudflare.com/d1/platform/pricing/",
  "https://developers.cloudflare.com/durable-objects/platform/pricing/",
  "https://developers.cloudflare.com/kv/platform/pricing/",
];

/** List prices of Workers Paid in US dollars, beyond what the plan includes: for a million, but for storage. */
export const PRICES = {
  workerRequests: 0.3,
  workerCpuMilliseconds: 0.02,
  d1RowsRead: 0.001,
  d1RowsWritten: 1,
  objectRequests: 0.15,
  /** Wall-clock time in which an object works, with the 128 MB that each counts as. */
  objectGigabyteSeconds: 12.5,
  objectRowsRead: 0.001,
  objectRowsWritten: 1,
  kvReads: 0.5,
  kvWrites: 5,
} as const;

/** What something needs once, of what is billed. */
export type Use = Partial<Record<keyof typeof PRICES, number>>;

/** US dollars a month for each gigabyte, and what an object counts as. */
export const OBJECT_STORAGE_GIGABYTE_MONTH = 0.2;
export const OBJECT_GIGABYTES = 0.128;

/** The plan itself, a month, for any number of instances. */
export const PLAN_MONTH = 5;
