import type { TimeRange } from "#documents/engine.ts";
import { ApiError } from "#protocol/errors.ts";

const DAY_SECONDS = 86_400;

/**
 * Returns the day that a filter names, in UTC.
 *
 * @param text `YYYY-MM-DD`
 * @throws {ApiError} `unprocessable` if there is no such day
 */
export function dayOf(text: string): TimeRange & { readonly from: number; readonly until: number } {
  const milliseconds = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse accepts 31 February, as a day in March.
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(text)) {
    throw new ApiError("unprocessable", {
      reason: "search_date_impossible",
      description: "last_updated_at must be an existing day, as YYYY-MM-DD",
    });
  }
  const from = milliseconds / 1000;
  return { from, until: from + DAY_SECONDS };
}
