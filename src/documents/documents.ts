import type { DocumentEngine } from "./engine.ts";
import type { AccessExplanations } from "./find/access/access.ts";
import type { DocumentInspection } from "./inspection/inspection.ts";
import type { CustomMetadata } from "./metadata/metadata.ts";
import type { DatasourceRights } from "./rights/rights.ts";
import type { DocumentKeeping } from "./upkeep/keeping.ts";
import type { BulkUploads, PagePart, PageRefused, PartProgress } from "./uploads/uploads.ts";

/** All operations on an instance's documents. Each caller names the part that it needs. */
export interface Documents
  extends DocumentEngine,
    AccessExplanations,
    DocumentInspection,
    DatasourceRights,
    BulkUploads,
    CustomMetadata,
    DocumentKeeping {}

/**
 * The same operations on an engine of many instances. A call that takes long does what comes first, and its caller sends the rest. So
 * `apply` may return fewer outcomes than there are changes, and so may `putBulkValues`.
 */
export type EngineCalls = Omit<Documents, "takePage"> & {
  takePart(instanceId: number, part: PagePart): Promise<PartProgress | PageRefused>;
};

/** The calls of an engine of many instances in the form that one instance's object has, without the instance's id. */
export type OfOneInstance<Calls> = {
  readonly [Call in keyof Calls]: Calls[Call] extends (instanceId: number, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

export type ObjectCalls = OfOneInstance<EngineCalls>;
