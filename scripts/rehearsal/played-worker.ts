import { type LocalAnswer, requestLocally } from "../local/local-request.ts";

const ATTEMPTS = 70;
const PAUSE_MILLISECONDS = 150;

/** How a request goes to the Worker that plays the deployed one. */
export interface PlayedRequest {
  readonly port: string | undefined;
  /** Where the deployed one would be asked. */
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Asks the Worker that plays the deployed one. After a change of its configuration or secret it is started again, and until then it
 * does not answer, or as before.
 *
 * @param isOld whether an answer is one of before
 * @returns `undefined` where it never answered
 */
export async function askPlayedWorker(
  { port, url, headers, ...request }: PlayedRequest,
  isOld: (status: number) => boolean,
): Promise<LocalAnswer | undefined> {
  const address = `https://localhost:${port}${url.pathname}${url.search}`;
  let answer: LocalAnswer | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    answer = await requestLocally(address, { ...request, headers: { ...headers, Host: url.host } }).catch(
      () => undefined,
    );
    if (answer !== undefined && answer.status < 500 && !isOld(answer.status)) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
  return answer;
}
