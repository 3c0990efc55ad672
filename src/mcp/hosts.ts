import type { Caller } from "#resource-server/authentication/caller.ts";

/** ChatGPT's client ids are the addresses of its metadata documents; Codex's, which are there too, have a folder of their own. */
const CHATGPT = /^https:\/\/chatgpt\.com\/oauth\/(?!codex\/)/;

/** Whether the host finds the step-up challenge in a tool's result alone. Its client id was proved when its token was issued. */
export function readsChallengeFromResult({ clientId }: Caller): boolean {
  return clientId !== undefined && CHATGPT.test(clientId);
}
