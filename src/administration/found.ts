import { ApiError } from "#protocol/errors.ts";

/** Returns the object that an address names. @throws {ApiError} `not_found` if this instance has none */
export async function found<Found>(reading: Promise<Found | null>, what: string): Promise<Found> {
  const value = await reading;
  if (value !== null) return value;
  throw new ApiError("not_found", { reason: "admin_object_unknown", description: `There is no such ${what} here` });
}
