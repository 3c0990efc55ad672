/** How long a read may take if something that was read earlier can be used instead. */
export const PATIENCE_MILLISECONDS = 1500;

/** If D1 fails or is silent, what was read of the policy and of people is used for this long; after that, requests are refused with 503. */
export const OUTAGE_SECONDS_MAX = 60;

/** How long D1 is not asked again after that, so that not every request waits for it. */
export const RETRY_AFTER_SECONDS = 1;

/** How a call is made again after an error that passes. */
export interface Retries {
  readonly attemptsMax: number;
  /** Waits are random, up to this for the first repetition, twice this for the second, and so on. */
  readonly firstWaitMillisecondsMax: number;
  /** No repetition begins later than this after the first call. */
  readonly withinMilliseconds: number;
  readonly mayRepeat: (error: unknown) => boolean;
}

/** Makes a call, and makes it again after errors that pass. @throws the last error */
export async function repeatedly<Answer>(retries: Retries, call: () => Promise<Answer>): Promise<Answer> {
  const end = Date.now() + retries.withinMilliseconds;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const wait = Math.random() * retries.firstWaitMillisecondsMax * 2 ** (attempt - 1);
      if (!retries.mayRepeat(error) || attempt === retries.attemptsMax || Date.now() + wait >= end) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

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
