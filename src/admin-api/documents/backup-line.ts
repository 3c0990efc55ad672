import { PROPERTY_TYPES } from "#custom-metadata/group-schema.ts";
import type { ExportLine } from "#documents/upkeep/keeping.ts";
import { describeIssue } from "#platform/members.ts";
import { ApiError } from "#protocol/errors.ts";
import { isObject } from "#protocol/json-object.ts";
import * as v from "valibot";

type LineKind<Line = ExportLine> = Line extends unknown ? keyof Line : never;

const text = v.string();
const texts = v.array(text);
const flag = v.boolean();
const whole = v.pipe(v.number(), v.integer());
const textOrNull = v.nullable(text);
const wholeOrNull = v.nullable(whole);
/** Ids of metadata groups and of their keys. */
const id = v.pipe(text, v.regex(/^\d{1,15}$/));

const metadataGroup = v.object({
  id: whole,
  name: text,
  display: text,
  version: whole,
  keys: v.array(
    v.object({
      id: whole,
      name: text,
      display: text,
      facetName: text,
      propertyType: v.picklist(PROPERTY_TYPES),
      skipIndexing: flag,
    }),
  ),
});

const document = v.object({
  datasource: text,
  externalId: text,
  objectType: text,
  title: text,
  body: text,
  summary: textOrNull,
  url: text,
  authorName: textOrNull,
  authorEmail: textOrNull,
  createdAt: wholeOrNull,
  updatedAt: wholeOrNull,
  tags: texts,
  keywords: text,
  contentHash: textOrNull,
  anchors: textOrNull,
  principals: v.array(
    v.object({
      kind: v.picklist(["everyone", "datasource", "person", "group", "intersection"]),
      datasource: text,
      name: text,
    }),
  ),
  indexedAt: whole,
  values: v.record(id, v.record(id, texts)),
});

const kinds = {
  metadataGroup,
  user: v.object({ datasource: text, userId: text, email: text, name: text, isActive: flag }),
  group: v.object({ datasource: text, name: text, isDeleted: flag, isLeaving: flag }),
  membership: v.object({ datasource: text, groupName: text, memberKind: v.picklist(["user", "group"]), member: text }),
  document,
} satisfies { readonly [Kind in LineKind]: v.GenericSchema<unknown, Extract<ExportLine, Record<Kind, unknown>>[Kind]> };

/**
 * Checks a line of an export: an object with one member. Members that no export writes are left out.
 *
 * @param number the number of the line in the whole backup, from 1
 * @throws {ApiError} `bad_request`, naming the line and the member
 */
export function readBackupLine(line: unknown, number: number): ExportLine {
  const [kind = "", ...others] = isObject(line) ? Object.keys(line) : [];
  if (!isKind(kind) || others.length > 0)
    throw malformed(number, `it must have one of ${Object.keys(kinds).join(", ")}`);
  const parsed = v.safeParse(v.object({ [kind]: kinds[kind] }), line, { abortEarly: true });
  if (!parsed.success) throw malformed(number, describeIssue(parsed.issues[0], kind));
  return parsed.output as ExportLine;
}

function isKind(name: string): name is LineKind {
  return Object.hasOwn(kinds, name);
}

function malformed(number: number, problem: string): ApiError {
  return new ApiError("bad_request", {
    reason: "command_malformed",
    description: `Line ${number}: ${problem}. Nothing of this page was written. Restore a backup that this version has written`,
  });
}
