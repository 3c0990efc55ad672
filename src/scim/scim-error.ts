import { type Refusal, ScimError } from "#protocol/errors.ts";

export const SCIM_TYPE = "application/scim+json";

export const SCIM_ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

/** Converts a refusal to SCIM's form (RFC 7644 §3.12). */
export function toScimError(refusal: Refusal): Readonly<Record<string, unknown>> {
  return {
    schemas: [SCIM_ERROR_SCHEMA],
    status: String(refusal.status),
    ...(refusal instanceof ScimError ? { scimType: refusal.code } : {}),
    detail: refusal.description,
  };
}
