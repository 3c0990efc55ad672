/** How long a caller waits for the engine. After that, it is asked to try again. */
export const ANSWER_MILLISECONDS_MAX = 5000;

/**
 * Waits for a call.
 *
 * @returns its result
 * @throws an error with `message` if the call takes longer; the call itself continues
 */
export async function within<Answer>(milliseconds: number, message: string, call: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(message)), milliseconds);
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
