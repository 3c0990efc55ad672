/**
 * Returns the parameters of a response's only Bearer challenge (RFC 9110 §11.6.1), with the algorithms of a DPoP challenge that
 * follows it (RFC 9449 §7.2); or those of its only DPoP challenge, with the scheme. @throws for anything else
 */
export function readChallenge(response: Response): Readonly<Record<string, string>> {
  const header = response.headers.get("WWW-Authenticate") ?? "";
  const [, scheme, list = ""] =
    /^(Bearer|DPoP) ((?:[a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*"(?:, (?:DPoP (?=algs))?|$))+)$/.exec(header) ?? [];
  if (scheme === undefined) throw new Error(`not one challenge: ${header}`);
  const parameters = [...list.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]);
  const challenge = Object.fromEntries(parameters) as Record<string, string>;
  if (Object.keys(challenge).length !== parameters.length) throw new Error(`a parameter is repeated: ${header}`);
  return scheme === "DPoP" ? { ...challenge, scheme } : challenge;
}

/** The body of a refusal by the APIs. */
export interface ApiRefusal {
  readonly error: string;
  readonly message: string;
  readonly requestId: string;
}

export function readRefusal(response: Response): Promise<ApiRefusal> {
  return response.json<ApiRefusal>();
}

/**
 * Reads a refusal by the MCP endpoint: a JSON-RPC error, or a tool's error, whose code and request id are in the headers.
 */
export async function readMcpRefusal(response: Response): Promise<ApiRefusal> {
  const { error, result } = await response.json<{
    error?: { message: string; data: { error: string; requestId: string } };
    result?: { isError: boolean; content: [{ text: string }] };
  }>();
  if (error) return { ...error.data, message: error.message };
  if (!result?.isError) throw new Error("the answer is no refusal");
  return {
    error: readChallenge(response)["error"] ?? "",
    message: result.content[0].text,
    requestId: response.headers.get("X-Request-Id") ?? "",
  };
}
