/** What a call answers. @throws with `message` where it takes longer; what it still does is not waited for */
export async function within<Answer>(milliseconds: number, message: string, call: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(message)), milliseconds);
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
