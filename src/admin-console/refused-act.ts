import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { ApiError } from "#protocol/errors.ts";

/**
 * Returns the result of an act, for pages without a form that could show a refusal.
 *
 * @throws {ApiError} `bad_request` with the act's message, if the act refuses
 */
export async function orRefused<Given>(act: Promise<Given>): Promise<Given> {
  try {
    return await act;
  } catch (error) {
    if (!(error instanceof AdministrationRefused)) throw error;
    throw new ApiError("bad_request", { reason: "administration_refused", description: error.message, cause: error });
  }
}
