import type { MetadataKey as StoredKey, PropertyType } from "#documents/metadata/metadata.ts";
import { closed } from "#indexing-api/members.ts";
import { describeIssue } from "#indexing-api/vocabulary.ts";
import { foldTerm } from "#protocol/folding.ts";
import * as v from "valibot";
import { type GroupName, metadataName, repeatedName } from "./names.ts";
import { SchemaRefused } from "./schema-refused.ts";

/** The wire contract's limit. */
export const GROUPS_MAX = 50;

/** The wire contract's limit, of one group. */
export const KEYS_MAX = 20;

export const PROPERTY_TYPES = ["TEXT", "PICKLIST", "TEXTLIST", "MULTIPICKLIST"] as const satisfies PropertyType[];

/** What a group holds, as it is put and got (wire contract). */
export const groupSchemaSchema = closed({
  metadataKeys: v.pipe(
    v.array(
      closed({
        name: metadataName,
        propertyType: v.picklist(PROPERTY_TYPES, `a property type is one of ${PROPERTY_TYPES.join(", ")}`),
        skipIndexing: v.optional(v.boolean()),
      }),
    ),
    v.minLength(1, "a group has at least one key; delete the group if it is no longer wanted"),
    v.maxLength(KEYS_MAX, `a group has at most ${KEYS_MAX} keys`),
  ),
});

export type GroupSchema = v.InferOutput<typeof groupSchemaSchema>;

/** A key to store. */
export type MetadataKey = Omit<StoredKey, "id">;

/**
 * The keys of a group, in the order of the body.
 *
 * @throws {SchemaRefused} `bad_request`, naming the member that is wrong
 */
export function parseGroupSchema(group: GroupName, body: unknown): MetadataKey[] {
  const parsed = v.safeParse(groupSchemaSchema, body, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw malformedSchema(describeIssue(issue, "request"), v.getDotPath(issue) ?? "", issue.message);
  }
  const { metadataKeys } = parsed.output;
  const repeated = repeatedName(metadataKeys.map(({ name }) => name));
  if (repeated !== undefined) {
    const at = metadataKeys.findLastIndex(({ name }) => foldTerm(name) === foldTerm(repeated));
    throw malformedSchema(
      `metadataKeys names ${repeated} twice: names do not differ by case`,
      `metadataKeys.${at}.name`,
      "another key has this name: names do not differ by case",
    );
  }
  return metadataKeys.map(({ name, propertyType, skipIndexing = false }) => ({
    name: foldTerm(name),
    display: name,
    facetName: group.folded + foldTerm(name),
    propertyType,
    skipIndexing,
  }));
}

/** A group in the shape of the wire contract: a key is indexed unless it says otherwise, so only that is said. */
export function toGroupSchema(keys: readonly MetadataKey[]): GroupSchema {
  return {
    metadataKeys: keys.map(({ display, propertyType, skipIndexing }) => ({
      name: display,
      propertyType,
      ...(skipIndexing ? { skipIndexing } : {}),
    })),
  };
}

function malformedSchema(description: string, member: string, problem: string): SchemaRefused {
  return new SchemaRefused("bad_request", { reason: "indexing_request_malformed", description, member, problem });
}
