import { type Refusal, ScimError, type ScimErrorCode } from "#protocol/errors.ts";

export const SCIM_TYPE = "application/scim+json";

export const SCIM_ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

/** The `scimType` of refusals that all APIs share, such as of a body that is not JSON, by status (RFC 7644 §3.12). */
const SHARED_TYPES: Readonly<Record<number, ScimErrorCode>> = { 400: "invalidSyntax", 413: "tooMany" };

/** Converts a refusal to SCIM's form (RFC 7644 §3.12). */
export function toScimError(refusal: Refusal): Readonly<Record<string, unknown>> {
  const scimType = refusal instanceof ScimError ? refusal.code : SHARED_TYPES[refusal.status];
  return {
    schemas: [SCIM_ERROR_SCHEMA],
    status: String(refusal.status),
    ...(scimType && { scimType }),
    detail: refusal.description,
  };
}
