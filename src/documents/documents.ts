import type { DocumentEngine } from "./engine.ts";
import type { AccessExplanations } from "./find/access/access.ts";
import type { DocumentInspection } from "./inspection/inspection.ts";
import type { CustomMetadata } from "./metadata/metadata.ts";
import type { DatasourceRights } from "./rights/rights.ts";
import type { DocumentKeeping } from "./upkeep/keeping.ts";
import type { BulkUploads, PagePart, PageRefused, UploadProgress, UploadTarget } from "./uploads/uploads.ts";

/** All operations on an instance's documents. Each caller names the part that it needs. */
export interface Documents
  extends DocumentEngine,
    AccessExplanations,
    DocumentInspection,
    DatasourceRights,
    BulkUploads,
    CustomMetadata,
    DocumentKeeping {}

/** The same operations on an engine of many instances. Each call is one transaction, so a page is sent in parts. */
export type EngineCalls = Omit<Documents, "takePage"> & {
  takePage(instanceId: number, part: PagePart): Promise<UploadProgress | PageRefused>;
  /** Removes some of what a completed upload didn't contain. */
  removeNext(instanceId: number, target: UploadTarget): Promise<UploadProgress>;
};

/** The calls of an engine of many instances in the form that one instance's object has, without the instance's id. */
export type OfOneInstance<Calls> = {
  readonly [Call in keyof Calls]: Calls[Call] extends (instanceId: number, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

export type ObjectCalls = OfOneInstance<EngineCalls>;
