/** Prints the heading of a step. */
export function heading(text: string): void {
  console.log(`\n${text}`);
}

/** Prints what was sent. */
export function sent(...lines: string[]): void {
  print("→", lines);
}

/** Prints what came back. */
export function received(...lines: string[]): void {
  print("←", lines);
}

/** Wraps a `fetch` to print each request and its response, with the challenge of a refusal. */
export function transcribing(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    const request = input instanceof Request ? input : { url: String(input), method: init?.method ?? "GET" };
    sent(`${request.method} ${request.url}`);
    const challenge = response.headers.get("WWW-Authenticate");
    received(String(response.status), ...(challenge === null ? [] : [`WWW-Authenticate: ${challenge}`]));
    return response;
  };
}

/** Returns the header and claims of an access token, which are no secret, without its signature. */
export function tokenParts(accessToken: string): string[] {
  const [header = "", claims = ""] = accessToken.split(".");
  return [header, claims].map((part) => Buffer.from(part, "base64url").toString());
}

function print(arrow: string, [first = "", ...rest]: readonly string[]): void {
  console.log(`  ${arrow} ${first}`);
  for (const line of rest) console.log(`    ${line}`);
}
