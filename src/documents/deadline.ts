/** How long a search may take in an object. After that, the caller is asked to try again. */
export const SEARCH_MILLISECONDS_MAX = 5000;

/**
 * How long a caller waits for the engine. The platform repeats calls that did not reach an object for up to ten seconds, for example while
 * the object moves to another machine, and the last of these calls takes time too.
 */
export const ANSWER_MILLISECONDS_MAX = 12_000;

/** How often a read is made, if it reached an object that then went away. The first wait is at most this, the next twice this. */
const READS_MAX = 3;
const FIRST_WAIT_MILLISECONDS_MAX = 250;

/**
 * Reads, and reads again if the platform says that this may help. Changes are never made again: one that was made may be superseded by
 * then. An overloaded object is left alone (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/).
 */
export async function readRepeatedly<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      const { retryable, overloaded } = error as { readonly retryable?: boolean; readonly overloaded?: boolean };
      if (retryable !== true || overloaded === true || attempt === READS_MAX) throw error;
      const wait = Math.random() * FIRST_WAIT_MILLISECONDS_MAX * 2 ** (attempt - 1);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
