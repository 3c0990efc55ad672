/** The parameters of an answer's one Bearer challenge (RFC 9110 §11.6.1). @throws for anything else */
export function readChallenge(response: Response): Readonly<Record<string, string>> {
  const header = response.headers.get("WWW-Authenticate") ?? "";
  const list = /^Bearer ((?:[a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*"(?:, |$))+)$/.exec(header)?.[1];
  if (list === undefined) throw new Error(`not one Bearer challenge: ${header}`);
  const parameters = [...list.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]);
  const challenge = Object.fromEntries(parameters) as Record<string, string>;
  if (Object.keys(challenge).length !== parameters.length) throw new Error(`a parameter is repeated: ${header}`);
  return challenge;
}

/** What the APIs answer when they refuse. */
export interface ApiRefusal {
  readonly error: string;
  readonly message: string;
  readonly requestId: string;
}

export function readRefusal(response: Response): Promise<ApiRefusal> {
  return response.json<ApiRefusal>();
}
