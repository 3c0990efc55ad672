import type { SchemaRefusal } from "./group-schemas.d1.ts";
import { foldTerm } from "#protocol/folding.ts";
import { type GroupDescription, GROUPS_MAX, type MetadataKey } from "./group-schema.ts";
import { SchemaRefused } from "./schema-refused.ts";

/** Fields that every document has: queries and facets already have a meaning for these names. */
const SEARCHED_FIELDS = ["datasource", "type", "from", "last_updated_at"];

/** These, and what the MCP tools call a document's own members in the list that has its custom values too. */
const BUILT_IN_FIELDS: ReadonlySet<string> = new Set([...SEARCHED_FIELDS, "author", "created_at", "updated_at"]);

/** @throws {SchemaRefused} `conflict` for a key with the name of a field that every document has */
export function requireOwnFields(description: GroupDescription): void {
  const builtIn = description.keys.find(({ facetName }) => BUILT_IN_FIELDS.has(facetName));
  if (builtIn) throw fieldTaken(description, builtIn.display);
}

/** Returns the error for a description that the stored groups don't allow. */
export function refusedSchema(
  { group, keys }: GroupDescription,
  refusal: Exclude<SchemaRefusal, { readonly kind: "group_changed" }>,
): SchemaRefused {
  switch (refusal.kind) {
    case "groups_full":
      return new SchemaRefused("bad_request", {
        reason: "metadata_groups_full",
        description: `an instance has at most ${GROUPS_MAX} groups: delete one that is no longer used`,
        member: "",
      });
    case "group_exists":
      return new SchemaRefused("conflict", {
        reason: "metadata_group_exists",
        description: `The group ${group.display} already exists: change it, or use another name`,
        member: "group",
      });
    case "type_changed":
      return new SchemaRefused("conflict", {
        reason: "metadata_key_type_changed",
        description: `The key ${refusal.key} is ${refusal.from}, and you can't change a key's type: use another name, or save the schema without the key first, which removes its values`,
        member: memberOf(keys, refusal.key, "propertyType"),
      });
    case "field_taken":
    default:
      return fieldTaken({ group, keys }, refusal.key);
  }
}

/** Doesn't say whose field it is: a token for one group learns nothing about the others. */
function fieldTaken({ group, keys }: GroupDescription, key: string): SchemaRefused {
  return new SchemaRefused("conflict", {
    reason: "metadata_field_taken",
    description: `The key ${key} cannot be searched: ${group.display}${key} is the name of another field; use another name`,
    member: memberOf(keys, key, "name"),
  });
}

function memberOf(keys: readonly MetadataKey[], key: string, part: "name" | "propertyType"): string {
  return `metadataKeys.${keys.findIndex(({ name }) => name === foldTerm(key))}.${part}`;
}
