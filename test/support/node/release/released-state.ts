import type { Secrets } from "./filled-instance.ts";
import type { Observed } from "./observed.ts";

/** Where the runtime stores the two databases of an instance. */
export const STORED = { database: "d1/*/*.sqlite", documents: "do/*/*.sqlite" } as const;

/** What a release wrote about an instance that it filled. */
export interface Recorded {
  readonly masterKeys: string;
  readonly secrets: Secrets;
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>;
  readonly observed: Observed;
  /** The files of the runtime with the databases. */
  readonly files: Readonly<Record<keyof typeof STORED, string>>;
}
