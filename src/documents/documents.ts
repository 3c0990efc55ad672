import type { DocumentEngine } from "./engine.ts";
import type { AccessExplanations } from "./find/access/access.ts";
import type { DocumentInspection } from "./inspection/inspection.ts";
import type { CustomMetadata } from "./metadata/metadata.ts";
import type { DatasourceRights } from "./rights/rights.ts";
import type { DocumentKeeping } from "./upkeep/keeping.ts";
import type { BulkUploads, PagePart, PartProgress } from "./uploads/uploads.ts";
import type { Refused } from "./refused.ts";

/** All operations on an instance's documents. Each caller names the part that it needs. */
export interface Documents
  extends DocumentEngine,
    AccessExplanations,
    DocumentInspection,
    DatasourceRights,
    BulkUploads,
    CustomMetadata,
    DocumentKeeping {}

/** Calls about one instance, without its id. */
export type OfOneInstance<Calls> = {
  readonly [Call in keyof Calls]: Calls[Call] extends (instanceId: number, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/**
 * The same operations on one instance's documents, in the engine that has them. A call that takes long does what comes first, and its
 * caller sends the rest. So `apply` may return fewer outcomes than there are changes, and so may `putValues`.
 */
export type ObjectCalls = OfOneInstance<Omit<Documents, "takePage">> & {
  takePart(part: PagePart): Promise<PartProgress | Refused>;
};
