import type { Caller } from "#resource-server/authentication/caller.ts";

/**
 * ChatGPT's client ids are the URLs of its client metadata documents. Codex's are on the same host, in a separate folder.
 */
const CHATGPT = /^https:\/\/chatgpt\.com\/oauth\/(?!codex\/)/;

/**
 * Checks whether the host finds the step-up challenge only in a tool's result. The client id was proved when the token was
 * issued.
 */
export function readsChallengeFromResult({ clientId }: Caller): boolean {
  return clientId !== undefined && CHATGPT.test(clientId);
}
