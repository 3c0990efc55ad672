import { parseStrictJson, RepeatedMember, TooComplex } from "#crypto/strict-json.ts";
import { ApiError, OAuthError, Refusal, type RefusalOptions } from "#protocol/errors.ts";
import { type Parameters, parseParameters } from "#protocol/parameters.ts";
import type { Context, Env, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "./handlers.ts";
import { readBounded } from "./bounded-body.ts";
import { jsonLikenessOf } from "./frame-headers.ts";
import type { AnswerForm, RouteEnv } from "./route-env.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { utf8Length } from "#protocol/utf8-length.ts";

/**
 * A handler's context without `set`, so that a function that needs few variables accepts every context that has more.
 */
export type ContextOf<E extends Env> = Omit<Context<E>, "set">;

/** The part of a handler's context that is needed to read a request. */
export type RequestContext = Pick<Context<RouteEnv>, "req" | "env" | "executionCtx" | "var">;

/**
 * Maximum size of a request body of the protocol: larger than any form or registration, small enough to read at once.
 */
const PROTOCOL_BODY_BYTES_MAX = 64 * 1024;

/** Maximum size of client metadata. Anybody may register a client, and real hosts send less than 2 KB. */
const METADATA_BYTES_MAX = 32 * 1024;

/** Keeps responses out of all caches, as tokens and codes require (RFC 6749 §5.1). */
export const noStore: MiddlewareHandler = createMiddleware<RouteEnv>(async (c, next) => {
  await next();
  const { headers } = c.res;
  // A response of `answerJson` has the first header already.
  if (c.res !== c.get("frame").made) headers.set("Cache-Control", "no-store");
  headers.set("Pragma", "no-cache");
});

/** Returns a 200 response of an API: JSON that must not be cached, created with all its headers at once. */
export function answerJson(c: Pick<Context<RouteEnv>, "get">, content: unknown): Response {
  const frame = c.get("frame");
  const answer = new Response(JSON.stringify(content), jsonLikenessOf(frame));
  frame.made = answer;
  return answer;
}

/** Sets the form in which refusals of later handlers are written. */
export function answersAs(form: AnswerForm) {
  return createMiddleware<RouteEnv>((c, next) => {
    c.set("answerForm", form);
    return next();
  });
}

/**
 * Reads the parameters of a form post (RFC 6749 §3.2).
 *
 * @param allowed whether values may contain line breaks, as our own text areas do
 * @throws {OAuthError} `invalid_request` for another content type or a broken encoding, `request_too_large`
 */
export async function readForm(c: RequestContext, allowed: "words" | "lines" = "words"): Promise<Parameters> {
  if (mediaType(c) !== "application/x-www-form-urlencoded") {
    throw new OAuthError("invalid_request", {
      reason: "content_type_not_form",
      description: "Send the parameters as application/x-www-form-urlencoded in the body",
    });
  }
  // Not `text()`: in development, the platform warns about each body that doesn't look like text.
  return parseParameters(decode(c, await readBody(c, PROTOCOL_BODY_BYTES_MAX, oauthTooLarge)), allowed);
}

/**
 * Reads the parameters of a form post with a file (RFC 7578), and the bytes of the file, which are empty if no file was chosen. The
 * file's name and type come from the sender, and are ignored.
 *
 * @throws {OAuthError} `invalid_request` for another content type or a broken body, `request_too_large`
 */
export async function readUploadForm(
  c: RequestContext,
): Promise<{ form: Parameters; upload: Uint8Array<ArrayBuffer> }> {
  const refuse = (reason: RefusalReason) =>
    new OAuthError("invalid_request", {
      reason,
      description: "Send the form from its own page, as multipart/form-data",
    });
  if (mediaType(c) !== "multipart/form-data") throw refuse("content_type_not_multipart");
  const body = await readBody(c, PROTOCOL_BODY_BYTES_MAX, oauthTooLarge);
  const headers = { "Content-Type": c.req.header("content-type") ?? "" };
  const parts = await new Response(body, { headers }).formData().catch(() => raise(refuse("multipart_broken")));
  const fields = new URLSearchParams();
  let upload = new Uint8Array();
  for (const [name, value] of parts) {
    if (typeof value === "string") fields.append(name, value);
    else upload = new Uint8Array(await value.arrayBuffer());
  }
  return { form: parseParameters(fields.toString(), "lines"), upload };
}

/**
 * Reads the JSON object of a registration (RFC 7591 §3.1). No object in it may name a member twice: somebody who reviews a
 * registration could read another value than this server does.
 *
 * @throws {OAuthError} `invalid_client_metadata` for anything that is not one JSON object
 */
export async function readClientMetadata(c: RequestContext): Promise<unknown> {
  const refuse = (reason: RefusalReason) =>
    new OAuthError("invalid_client_metadata", { reason, description: "Send one JSON object as application/json" });
  if (mediaType(c) !== "application/json") throw refuse("content_type_not_json");
  const text = await readText(c, METADATA_BYTES_MAX, oauthTooLarge);
  let parsed: unknown;
  try {
    parsed = parseStrictJson(text);
  } catch (error) {
    throw refuse(error instanceof RepeatedMember ? "json_member_repeated" : "json_broken");
  }
  return parsed ?? raise(refuse("json_broken"));
}

/**
 * Reads the JSON object of an API call. No object in it may name a member twice, because one of the two would be silently lost.
 *
 * @throws {ApiError} `unsupported_media_type`, `request_too_large`, or `bad_request` if it is not one JSON object
 */
export async function readJsonObject(c: RequestContext, bytesMax: number): Promise<Readonly<Record<string, unknown>>> {
  const parsed = await readJson(c, bytesMax);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new ApiError("bad_request", { reason: "json_broken", description: "The body is not a JSON object" });
  }
  return parsed as Readonly<Record<string, unknown>>;
}

/**
 * Reads the JSON of an API call, of any type; `undefined` if the body is not JSON.
 *
 * @throws {ApiError} `unsupported_media_type`, `request_too_large`, or `bad_request` if an object names a member twice or the text
 *   is too complex
 */
export async function readJson(c: RequestContext, bytesMax: number): Promise<unknown> {
  const type = mediaType(c);
  const isScim = c.var.answerForm === "scim";
  if (type !== "application/json" && !(isScim && type === "application/scim+json")) {
    throw new ApiError("unsupported_media_type", { reason: "content_type_not_json" });
  }
  const tooLarge = () =>
    new ApiError("request_too_large", { reason: "body_too_large", description: `Send at most ${bytesMax} bytes` });
  return parseUnambiguous(await readText(c, bytesMax, tooLarge), isScim);
}

/** Reads a binary body. @throws {ApiError} `request_too_large` */
export function readBytes(c: RequestContext): Promise<Uint8Array<ArrayBuffer>> {
  const reason = "body_too_large";
  return readBody(c, PROTOCOL_BODY_BYTES_MAX, () => new ApiError("request_too_large", { reason }));
}

/**
 * Reads the query of this request, strictly decoded.
 *
 * @param allowed `lines` for what another server wrote, which may have line breaks
 * @throws {Refusal} of the APIs or of OAuth, depending on the route
 */
export function readQuery(c: RequestContext, allowed: "words" | "lines" = "words"): Parameters {
  const query = c.req.url.indexOf("?");
  try {
    return parseParameters(query < 0 ? "" : (c.req.url.slice(query + 1).split("#")[0] ?? ""), allowed);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw malformed(c, { reason: error.reason, description: error.description, cause: error });
  }
}

/** Returns a function that lets work continue after the response. */
export function waitUntil(c: RequestContext): (work: Promise<unknown>) => void {
  return (work) => c.executionCtx.waitUntil(work);
}

/** Returns the media type of the body, without parameters. */
export function mediaType(c: RequestContext): string | undefined {
  const written = c.req.header("content-type");
  return written === "application/json" ? written : written?.split(";")[0]?.trim().toLowerCase();
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Reads a JSON body up to a limit. If the stated length is within the limit, the platform decodes the body, which costs half as
 * much as decoding its bytes here.
 *
 * The platform replaces bytes that are not UTF-8 with U+FFFD, which has three bytes. A text with U+FFFD is therefore measured: its
 * length equals the stated length only if the sender sent that character. One case is missed: a four-byte character without its
 * last byte has the same length, and reads as if U+FFFD had been sent.
 */
async function readText(c: RequestContext, bytesMax: number, tooLarge: () => Error): Promise<string> {
  const stated = statedLength(c);
  if (!(stated <= bytesMax)) return decode(c, await readBody(c, bytesMax, tooLarge));
  const text = await unbroken(c, c.req.raw.text());
  if (text.length > bytesMax) throw tooLarge();
  if (text.includes("\uFFFD") && utf8Length(text) !== stated) throw notUtf8(c);
  return text;
}

function decode(c: RequestContext, bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw notUtf8(c);
  }
}

/**
 * Reads a body up to a limit. If the stated length is within the limit it is read at once, which costs a third of reading it in pieces.
 */
async function readBody(c: RequestContext, bytesMax: number, tooLarge: () => Error): Promise<Uint8Array<ArrayBuffer>> {
  if (!(statedLength(c) <= bytesMax)) return unbroken(c, readBounded(c.req.raw.body, bytesMax, tooLarge));
  const bytes = new Uint8Array(await unbroken(c, c.req.raw.arrayBuffer()));
  if (bytes.byteLength > bytesMax) throw tooLarge();
  return bytes;
}

/** Returns the stated length of the body; `NaN` if there is none. */
function statedLength(c: RequestContext): number {
  return Number(c.req.header("content-length") ?? Number.NaN);
}

/** Turns a body that breaks off into a refusal: it is the sender's doing, not our failure. */
function unbroken<Read>(c: RequestContext, reading: Promise<Read>): Promise<Read> {
  return reading.catch((error: unknown) => {
    if (error instanceof Refusal) throw error;
    throw malformed(c, { reason: "body_broken_off", description: "The body ended before it was complete" });
  });
}

function notUtf8(c: RequestContext): Refusal {
  return malformed(c, { reason: "utf8_broken", description: "The body is not valid UTF-8" });
}

function malformed(c: RequestContext, problem: RefusalOptions): Refusal {
  const { answerForm } = c.var;
  return isApiForm(answerForm) ? new ApiError("bad_request", problem) : new OAuthError("invalid_request", problem);
}

/** Checks whether refusals in this form are those of the APIs; the others are OAuth's. */
export function isApiForm(form: AnswerForm = "api"): boolean {
  return form === "api" || form === "mcp" || form === "scim" || form === "secevent";
}

/**
 * Parses JSON strictly; `undefined` if it is not JSON.
 *
 * @param isCaseless as in {@link parseStrictJson}
 * @throws {ApiError} `bad_request` if an object names a member twice, or it is too complex
 */
function parseUnambiguous(text: string, isCaseless: boolean): unknown {
  try {
    return parseStrictJson(text, isCaseless);
  } catch (error) {
    if (error instanceof TooComplex) {
      throw new ApiError("bad_request", { reason: "json_too_complex", description: `The body ${error.message}` });
    }
    if (!(error instanceof RepeatedMember)) return undefined;
    throw new ApiError("bad_request", {
      reason: "json_member_repeated",
      description: "An object in the body names a member twice",
    });
  }
}

function oauthTooLarge(): OAuthError {
  return new OAuthError("request_too_large", { reason: "body_too_large" });
}

function raise(error: Error): never {
  throw error;
}

/**
 * A cookie that only this host can set. With https, its name starts with `__Host-`, so no other host can set or overwrite it. With
 * http, which only local development uses, browsers accept neither the prefix nor `Secure`.
 *
 * It is `Lax`, not `Strict`, because browsers must also send it after redirects that start elsewhere: at the SSO, or from a link in a
 * message.
 */
export class HostCookie {
  readonly #name: string;
  readonly #lifetimeSeconds: number;

  constructor(name: string, lifetimeSeconds: number) {
    this.#name = `gatehouse-${name}`;
    this.#lifetimeSeconds = lifetimeSeconds;
  }

  /** @param origin of the instance */
  read(c: Context, origin: string): string | undefined {
    return getCookie(c, this.#nameAt(origin));
  }

  write(c: Context, origin: string, value: string): void {
    setCookie(c, this.#nameAt(origin), value, { ...optionsAt(origin), maxAge: this.#lifetimeSeconds });
  }

  clear(c: Context, origin: string): void {
    deleteCookie(c, this.#nameAt(origin), optionsAt(origin));
  }

  #nameAt(origin: string): string {
    return isSecure(origin) ? `__Host-${this.#name}` : this.#name;
  }
}

function optionsAt(origin: string) {
  return { path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure(origin) } as const;
}

function isSecure(origin: string): boolean {
  return origin.startsWith("https:");
}
