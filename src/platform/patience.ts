/** How long a read may take if something that was read earlier can be used instead. */
export const PATIENCE_MILLISECONDS = 1500;

/** If D1 fails or is silent, what was read of the policy and of people is used for this long; after that, requests are refused with 503. */
export const OUTAGE_SECONDS_MAX = 60;

/** How long D1 is not asked again after that, so that not every request waits for it. */
export const RETRY_AFTER_SECONDS = 1;

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
