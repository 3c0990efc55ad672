import * as v from "valibot";
import { warningsOf, type Warning } from "#platform/members.ts";
import { datasourceName, parseRequest } from "./vocabulary.ts";

/** Asks whether the caller's token covers a datasource. @throws when it does not */
export type DatasourceCoverage = (datasource: string) => void;

/** The JSON object of a request. */
export type RequestBody = Readonly<Record<string, unknown>>;

/** What was read of a request, and what of it is not used. */
export interface Read<Request> {
  readonly request: Request;
  readonly warnings: readonly Warning[];
}

/** Reads a request. @throws {ApiError} `bad_request`, naming the member that is wrong; what the coverage throws, before that */
export type RequestReader<Request> = (body: RequestBody, requireCoverage: DatasourceCoverage) => Read<Request>;

const about = v.object({ datasource: datasourceName });

/**
 * Reads requests about one datasource, and nothing of them before the token is known to cover it: a refusal for want of coverage
 * says nothing of anything else.
 */
export function covered<const Schema extends v.GenericSchema>(schema: Schema): RequestReader<v.InferOutput<Schema>> {
  return (body, requireCoverage) => {
    requireCoverage(parseRequest(about, body).datasource);
    return { request: parseRequest(schema, body), warnings: warningsOf(schema, body) };
  };
}
