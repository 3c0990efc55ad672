import { ApiError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

interface SchemaRefusedOptions {
  readonly reason: RefusalReason;
  readonly description: string;
  readonly member: string;
  readonly problem?: string;
}

/** A schema that is refused. Callers of the API read the description; a form shows the problem next to the member. */
export class SchemaRefused extends ApiError {
  /** `group`, or a path such as `metadataKeys.3.name`; empty if it is about the whole schema. */
  readonly member: string;
  /** What is wrong, for somebody who sees which member it is. */
  readonly problem: string;

  constructor(code: "bad_request" | "conflict", options: SchemaRefusedOptions) {
    super(code, options);
    this.member = options.member;
    this.problem = options.problem ?? options.description;
  }
}
