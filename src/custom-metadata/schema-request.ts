import { type GroupDescription, KEYS_MAX, PROPERTY_TYPES } from "./group-schema.ts";
import { metadataName, parseGroupName, repeatedName } from "./names.ts";
import { SchemaRefused } from "./schema-refused.ts";
import { closed, describeIssue } from "#platform/members.ts";
import { foldTerm } from "#protocol/folding.ts";
import * as v from "valibot";

/** A group's keys, as PUT and GET have them (wire contract). */
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

/**
 * Reads a group from a path and a body, with the keys in the order of the body.
 *
 * @throws {ApiError} `bad_request` for an invalid group name
 * @throws {SchemaRefused} `bad_request`, naming the member that is wrong
 */
export function parseDescription(groupName: string, body: unknown): GroupDescription {
  const group = parseGroupName(groupName);
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
  const keys = metadataKeys.map(({ name, propertyType, skipIndexing = false }) => ({
    name: foldTerm(name),
    display: name,
    facetName: group.folded + foldTerm(name),
    propertyType,
    skipIndexing,
  }));
  return { group, keys };
}

function malformedSchema(description: string, member: string, problem: string): SchemaRefused {
  return new SchemaRefused("bad_request", { reason: "indexing_request_malformed", description, member, problem });
}
