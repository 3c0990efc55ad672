import * as v from "valibot";
import { warningsOf, type Warning } from "#platform/members.ts";
import type { MentionedGroup } from "./unknown-groups.ts";
import { datasourceName, parseRequest } from "./vocabulary.ts";

/** Checks that the caller's token covers a datasource. @throws if it does not */
export type DatasourceCoverage = (datasource: string) => void;

/** The JSON object of a request. */
export type RequestBody = Readonly<Record<string, unknown>>;

/** What was read of a request, and warnings about what is not used. */
export interface Read<Request> {
  readonly request: Request;
  readonly warnings: readonly Warning[];
  /** The groups that its permissions name. */
  readonly groups?: readonly MentionedGroup[];
}

/**
 * Reads a request.
 *
 * @throws {ApiError} `bad_request`, naming the member that is wrong; before that, what the check of coverage throws
 */
export type RequestReader<Request> = (body: RequestBody, requireCoverage: DatasourceCoverage) => Read<Request>;

const about = v.object({ datasource: datasourceName });

/**
 * Reads requests about one datasource, and nothing of them before it is certain that the token covers it: a refusal for missing
 * coverage reveals nothing else.
 */
export function covered<const Schema extends v.GenericSchema>(schema: Schema): RequestReader<v.InferOutput<Schema>> {
  return (body, requireCoverage) => {
    requireCoverage(parseRequest(about, body).datasource);
    return { request: parseRequest(schema, body), warnings: warningsOf(schema, body) };
  };
}
