import { describeError } from "#platform/log.ts";

/** The demonstration cannot be played; the text says what to do first. */
class NotPlayable extends Error {}

/** @throws {NotPlayable} when nothing answers at this address */
export async function requireRunning(baseUrl: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/.well-known/oauth-authorization-server`).catch(() => undefined);
  if (!answer) throw new NotPlayable(`Nothing responds at ${baseUrl}. Start Gatehouse in another terminal: npm start`);
  if (!answer.ok) throw new NotPlayable(`${baseUrl} answers ${answer.status}: ${await answer.text()}`);
}

/** A failure as a person at a terminal should read it. */
export function explainDemoFailure(error: unknown, baseUrl: string): string {
  if (error instanceof NotPlayable) return error.message;
  return `The demonstration against ${baseUrl} stopped. ${describeError(error)}`;
}
