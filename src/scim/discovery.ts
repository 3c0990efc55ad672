import { USER_ATTRIBUTES, type UserAttribute } from "#directories/user-attributes.ts";
import { ENTERPRISE_USER, GROUP_SCHEMA, USER_SCHEMA } from "#protocol/scim-filter.ts";
import { BULK_BYTES_MAX, BULK_OPERATIONS_MAX } from "./bulk.ts";
import { SCIM_BASE, type ScimResource } from "./resources.ts";
import { COUNT_MAX } from "./list-request.ts";

const SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Schema";
const RESOURCE_TYPE = "urn:ietf:params:scim:schemas:core:2.0:ResourceType";

/** Describes what this service provider supports (RFC 7643 §5). */
export function serviceProviderConfig(issuer: string): ScimResource {
  const no = { supported: false };
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: BULK_OPERATIONS_MAX, maxPayloadSize: BULK_BYTES_MAX },
    filter: { supported: true, maxResults: COUNT_MAX },
    changePassword: no,
    sort: no,
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "SCIM token",
        description: "A token that an administrator creates, in the Authorization header: Bearer <token>",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${issuer}${SCIM_BASE}/ServiceProviderConfig` },
  };
}

/** Describes the resource types: users and groups (RFC 7643 §6). */
export function resourceTypes(issuer: string): ScimResource[] {
  const type = (name: string, schema: string, extensions: readonly string[]) => ({
    schemas: [RESOURCE_TYPE],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema,
    ...(extensions.length === 0
      ? {}
      : { schemaExtensions: extensions.map((extension) => ({ schema: extension, required: false })) }),
    meta: { resourceType: "ResourceType", location: `${issuer}${SCIM_BASE}/ResourceTypes/${name}` },
  });
  return [type("User", USER_SCHEMA, [ENTERPRISE_USER]), type("Group", GROUP_SCHEMA, [])];
}

/** Describes the attributes of users and groups (RFC 7643 §7). */
export function schemas(issuer: string): ScimResource[] {
  const schema = (id: string, name: string, attributes: readonly ScimResource[]) => ({
    schemas: [SCHEMA],
    id,
    name,
    attributes,
    meta: { resourceType: "Schema", location: `${issuer}${SCIM_BASE}/Schemas/${id}` },
  });
  const ofUsers = (isEnterprise: boolean) =>
    USER_ATTRIBUTES.filter((each) => each.isEnterprise === isEnterprise && each.name !== "externalId").map(
      describeUserAttribute,
    );
  return [
    schema(USER_SCHEMA, "User", [...ofUsers(false), references("groups", "readOnly")]),
    schema(ENTERPRISE_USER, "EnterpriseUser", ofUsers(true)),
    schema(GROUP_SCHEMA, "Group", [
      { ...attribute("displayName", "string"), required: true, uniqueness: "server" },
      references("members", "readWrite"),
    ]),
  ];
}

function describeUserAttribute({ name, kind, subs }: UserAttribute): ScimResource {
  if (kind === "text" || kind === "flag") {
    const described = attribute(name, kind === "flag" ? "boolean" : "string");
    return name === "userName" ? { ...described, required: true, uniqueness: "server" } : described;
  }
  const subAttributes = subs.map((sub) => attribute(sub, sub === "primary" ? "boolean" : "string"));
  return { ...attribute(name, "complex"), multiValued: kind === "plural", subAttributes };
}

function references(name: string, mutability: "readOnly" | "readWrite"): ScimResource {
  const subAttributes = ["value", "$ref", "display"].map((sub) => attribute(sub, "string"));
  return { ...attribute(name, "complex"), multiValued: true, mutability, subAttributes };
}

function attribute(name: string, type: "string" | "boolean" | "complex"): ScimResource {
  return {
    name,
    type,
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
  };
}
