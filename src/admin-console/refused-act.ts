import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { ApiError } from "#protocol/errors.ts";

/**
 * What an act gave, where there is no form to show its refusal beside.
 *
 * @throws {ApiError} `bad_request` with what the act says, where it refuses
 */
export async function orRefused<Given>(act: Promise<Given>): Promise<Given> {
  try {
    return await act;
  } catch (error) {
    if (!(error instanceof AdministrationRefused)) throw error;
    throw new ApiError("bad_request", { reason: "administration_refused", description: error.message, cause: error });
  }
}
