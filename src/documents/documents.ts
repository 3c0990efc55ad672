import type { DocumentEngine } from "./engine.ts";
import type { AccessExplanations } from "./find/access.ts";
import type { DocumentInspection } from "./inspection/inspection.ts";
import type { CustomMetadata } from "./metadata/metadata.ts";
import type { DatasourceRights } from "./rights/rights.ts";
import type { DocumentKeeping } from "./upkeep/keeping.ts";
import type { BulkUploads, PagePart, PageRefused, UploadProgress, UploadTarget } from "./uploads/uploads.ts";

/** All that an instance's documents can be asked. Each caller names the part that it needs. */
export interface Documents
  extends DocumentEngine,
    AccessExplanations,
    DocumentInspection,
    DatasourceRights,
    BulkUploads,
    CustomMetadata,
    DocumentKeeping {}

/** The same as an engine of many instances is asked, each call a transaction: a page comes in parts. */
export type EngineCalls = Omit<Documents, "takePage"> & {
  takePage(instanceId: number, part: PagePart): Promise<UploadProgress | PageRefused>;
  /** Removes some of what a complete upload did not bring. */
  removeNext(instanceId: number, target: UploadTarget): Promise<UploadProgress>;
};

/** The calls of an engine of many instances, as one instance's object has them. */
export type OfOneInstance<Calls> = {
  readonly [Call in keyof Calls]: Calls[Call] extends (instanceId: number, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

export type ObjectCalls = OfOneInstance<EngineCalls>;
