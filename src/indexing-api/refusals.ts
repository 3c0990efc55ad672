import type { Refused } from "#documents/refused.ts";
import { ApiError } from "#protocol/errors.ts";

export function noSuchDocument(datasource: string, id: string): ApiError {
  return new ApiError("not_found", {
    reason: "document_unknown",
    description: `${datasource} has no document ${JSON.stringify(id)}: index it first`,
  });
}

export function refusedBy({ refused: code, ...why }: Refused): ApiError {
  return new ApiError(code, why);
}
