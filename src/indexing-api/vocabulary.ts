import { parseEmailAddress } from "#protocol/email-address.ts";
import { ApiError } from "#protocol/errors.ts";
import { foldName } from "#protocol/folding.ts";
import { describeIssue } from "#platform/members.ts";
import * as v from "valibot";

/**
 * Half a character or a control character in a name is a mistake, and not every layer below would store it unchanged.
 */
const printable = v.check(
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  (text: string) => text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text),
  "whole characters and no control characters",
);

/**
 * In lower case: tokens cover a datasource in any case, so names that differ only by case would be one datasource to them.
 */
export const datasourceName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/, "letters, digits, dash and underscore, at most 50"),
  v.toLowerCase(),
);

export const groupName = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(200),
  printable,
  v.transform(foldName),
  v.minLength(1),
);

/**
 * A datasource's id of a user. Some systems distinguish ids by case, but an email address, which many use as the id, is the same
 * in any case. An id that is no email address stays unchanged, and so never equals anybody's email address.
 */
export const userId = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(200),
  printable,
  v.transform((id) => parseEmailAddress(id) ?? id),
);

export const documentId = v.pipe(v.string(), v.minLength(1), v.maxLength(200), printable);

/** A document of any datasource, as `<datasource>:<id>`. */
export const documentReference = v.pipe(v.string(), v.minLength(1), v.maxLength(251), printable);

/** A pipeline's own mark of what it sent. */
export const contentHash = v.pipe(v.string(), v.minLength(1), v.maxLength(200), printable);

export const objectTypeName = v.pipe(v.string(), v.minLength(1), v.maxLength(100), printable);

/** A pipeline's name for one of its uploads. */
export const uploadName = v.pipe(v.string(), v.minLength(1), v.maxLength(200), printable);

/** A person's name as it is shown. */
export const personName = v.pipe(
  v.string(),
  v.maxLength(200),
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  v.transform((name) => name.toWellFormed().replace(/[\u0000-\u001f\u007f]/g, " ")),
);

/** @throws {ApiError} `bad_request`, naming the member that is wrong */
export function parseRequest<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, body, { abortEarly: true });
  if (parsed.success) return parsed.output;
  throw malformed(describeIssue(parsed.issues[0], "request"));
}

export function malformed(what: string): ApiError {
  return new ApiError("bad_request", { reason: "indexing_request_malformed", description: what });
}
