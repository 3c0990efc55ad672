import { type LocalAnswer, requestLocally } from "../local/local-request.ts";

const ATTEMPTS = 70;
const PAUSE_MILLISECONDS = 150;

/** A request to the Worker that plays the deployed one. */
export interface PlayedRequest {
  readonly port: string | undefined;
  /** The address that the request would have at the deployed one. */
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends a request to the Worker that plays the deployed one. The Worker restarts after a change of its configuration or secret;
 * until then it doesn't respond, or responds as before. Such requests are repeated.
 *
 * @param isOld whether a status shows that the Worker hasn't restarted yet
 * @returns the last response; `undefined` if there was none
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
