import { mostOf } from "#documents/counts.ts";
import type { Leaving } from "#documents/rights/change-rights.ts";
import { refusalOfLeaving } from "#documents/uploads/take-page.ts";
import type { Kind } from "#documents/generations.ts";
import { ApiError } from "#protocol/errors.ts";

export function noSuchDocument(datasource: string, id: string): ApiError {
  return new ApiError("not_found", {
    reason: "document_unknown",
    description: `${datasource} has no document ${JSON.stringify(id)}: index it first`,
  });
}

export function noSuchGroup(datasource: string, group: string): ApiError {
  return new ApiError("not_found", {
    reason: "group_unknown",
    description: `${datasource} has no group ${JSON.stringify(group)}: call indexgroup first`,
  });
}

/** A conflict, because a retry would reach the same limit. */
export function datasourceFull(kind: Kind): ApiError {
  return new ApiError("conflict", {
    reason: "datasource_full",
    description: `A datasource has at most ${mostOf(kind)}, and an instance 1000 datasources: remove some first`,
  });
}

export function stillLeaving(leaving: Leaving): ApiError {
  return new ApiError("conflict", refusalOfLeaving(leaving));
}
