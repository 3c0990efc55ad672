import { describeError } from "#platform/log.ts";

/** The demonstration can't run. The message says what to do first. */
class NotPlayable extends Error {}

/** @throws {NotPlayable} if nothing responds at this address, or with an error */
export async function requireRunning(baseUrl: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/.well-known/oauth-authorization-server`).catch(() => undefined);
  if (!answer) throw new NotPlayable(`Nothing responds at ${baseUrl}. Start Gatehouse in another terminal: npm start`);
  if (!answer.ok) throw new NotPlayable(`${baseUrl} answers ${answer.status}: ${await answer.text()}`);
}

/** Explains a failure to a person at a terminal. */
export function explainDemoFailure(error: unknown, baseUrl: string): string {
  if (error instanceof NotPlayable) return error.message;
  return `The demonstration against ${baseUrl} stopped. ${describeError(error)}`;
}
