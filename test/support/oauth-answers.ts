import { expect } from "vitest";
import type { TokenAnswer } from "./app-client.ts";
import { ORIGIN } from "./world.ts";

/**
 * Expects an error response of an endpoint that clients call (RFC 6749 §5.2): status, code, and that it must not be cached.
 */
export async function expectOAuthError(response: Response, status: number, error: string): Promise<void> {
  const answer = await response.json<{ error: string }>();
  expect({ status: response.status, error: answer.error }).toEqual({ status, error });
  expect(response.headers.get("Cache-Control")).toBe("no-store");
}

/** Expects tokens, and returns them. */
export async function expectTokens(response: Response): Promise<TokenAnswer> {
  expect(response.status).toBe(200);
  const answer = await response.json<TokenAnswer>();
  expect(answer.token_type).toBe("Bearer");
  return answer;
}

/** Expects a page of our own, without a redirect. */
export async function expectPage(response: Response, status: number): Promise<string> {
  expect(response.status).toBe(status);
  expect(response.headers.get("Location")).toBeNull();
  expect(response.headers.get("Content-Type")).toMatch(/^text\/html/);
  return response.text();
}

/** Expects a redirect back to the app with an error (OAuth 2.1 §4.1.2.1) and with our `iss` (RFC 9207). */
export function expectErrorAtApp(response: Response, redirectUri: string, error: string): URLSearchParams {
  expect(response.status).toBe(302);
  const location = response.headers.get("Location") ?? "";
  expect(location.startsWith(`${redirectUri}?`)).toBe(true);
  const { searchParams } = new URL(location);
  expect(searchParams.getAll("error")).toEqual([error]);
  expect(searchParams.getAll("iss")).toEqual([ORIGIN]);
  expect(searchParams.has("code")).toBe(false);
  return searchParams;
}
