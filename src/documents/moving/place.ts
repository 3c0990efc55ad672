import { ApiError } from "#protocol/errors.ts";
import type { Placement } from "./engines.ts";

/**
 * Returns a place in an engine's results, from which a later call continues. Each engine numbers rows by itself, so the place is valid
 * within the turn of one placement. In another engine, it would lead to other documents without any sign of it.
 */
export function placeIn({ turn }: Placement, place: string | null): string | null {
  return place === null ? null : `${turn} ${place}`;
}

/** Returns what {@link placeIn} was given. @throws {ApiError} `bad_request` if the documents have moved since */
export function placeWithin({ turn }: Placement, text: string | null): string | null {
  if (text === null) return null;
  const end = text.indexOf(" ");
  if (text.slice(0, end) === String(turn)) return text.slice(end + 1);
  throw new ApiError("bad_request", {
    reason: "documents_moved_since",
    description: "The documents have moved to another engine since this place was given: start again at the first page",
  });
}
