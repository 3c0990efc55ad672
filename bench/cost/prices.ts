/** When the prices were read. */
export const PRICES_AS_OF = "2026-11-22";

/** Where the prices are from: the pricing pages of Cloudflare's documentation. */
export const PRICE_PAGES = [
  "https://developers.cloudflare.com/workers/platform/pricing/",
  "https://developers.cloudflare.com/d1/platform/pricing/",
  "https://developers.cloudflare.com/durable-objects/platform/pricing/",
  "https://developers.cloudflare.com/kv/platform/pricing/",
  "https://developers.cloudflare.com/workers/observability/logs/workers-logs/#pricing",
];

/** List prices of Workers Paid in US dollars per million, beyond what the plan includes. */
export const PRICES = {
  workerRequests: 0.3,
  workerCpuMilliseconds: 0.02,
  d1RowsRead: 0.001,
  d1RowsWritten: 1,
  objectRequests: 0.15,
  /** The wall-clock time during which an object is active, times the 128 MB that each is billed for. */
  objectGigabyteSeconds: 12.5,
  objectRowsRead: 0.001,
  objectRowsWritten: 1,
  kvReads: 0.5,
  kvWrites: 5,
  /** Workers Logs bills each line. */
  logLines: 0.6,
} as const;

/** The billed resources that one operation uses. */
export type Use = Partial<Record<keyof typeof PRICES, number>>;

/** US dollars per month for each stored gigabyte, and the gigabytes of memory that an object is billed for. */
export const OBJECT_STORAGE_GIGABYTE_MONTH = 0.2;
export const D1_STORAGE_GIGABYTE_MONTH = 0.75;
export const OBJECT_GIGABYTES = 0.128;

/** The plan itself, per month, for any number of instances. */
export const PLAN_MONTH = 5;
