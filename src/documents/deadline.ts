import { repeatedly } from "#platform/patience.ts";

/** How long a search may take in an object. After that, the caller is asked to try again. */
export const SEARCH_MILLISECONDS_MAX = 5000;

/**
 * How long a caller waits for the engine. The platform repeats calls that did not reach an object for up to ten seconds, for example while
 * the object moves to another machine, and the last of these calls takes time too.
 */
export const ANSWER_MILLISECONDS_MAX = 12_000;

/**
 * Reads, and reads again if the platform says that this may help. Changes are never made again: one that was made may be superseded by
 * then. An overloaded object is left alone (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/).
 */
export function readRepeatedly<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  return repeatedly(
    { attemptsMax: 3, firstWaitMillisecondsMax: 250, withinMilliseconds: ANSWER_MILLISECONDS_MAX, mayRepeat },
    read,
  );
}

function mayRepeat(error: unknown): boolean {
  const { retryable, overloaded } = error as { readonly retryable?: boolean; readonly overloaded?: boolean };
  return retryable === true && overloaded !== true;
}
