import { parseStrictJson, RepeatedMember, TooComplex } from "#crypto/strict-json.ts";
import { ApiError, OAuthError, Refusal, type RefusalOptions } from "#protocol/errors.ts";
import { type Parameters, parseParameters } from "#protocol/parameters.ts";
import type { Context, Env, MiddlewareHandler } from "hono";
import { createMiddleware } from "./handlers.ts";
import { readBounded } from "./bounded-body.ts";
import { jsonLikenessOf } from "./frame-headers.ts";
import type { AnswerForm, RouteEnv } from "./route-env.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { utf8Length } from "#protocol/utf8-length.ts";

/** A handler's context that can't set variables, so that a function that needs fewer of them accepts every context that has more. */
export type ContextOf<E extends Env> = Omit<Context<E>, "set">;

/** As much of any handler's context as it takes to read a request. */
export type RequestContext = Pick<Context<RouteEnv>, "req" | "env" | "executionCtx" | "var">;

/** Larger than any form or registration of the protocol, small enough to read at once. */
const PROTOCOL_BODY_BYTES_MAX = 64 * 1024;

/** Anybody may register a client, and real hosts send less than 2 KB. */
const METADATA_BYTES_MAX = 32 * 1024;

/** Tokens and codes must not stay in any cache (RFC 6749 §5.1). */
export const noStore: MiddlewareHandler = createMiddleware<RouteEnv>(async (c, next) => {
  await next();
  const { headers } = c.res;
  // An answer of `answerJson` has the first already.
  if (c.res !== c.get("frame").made) headers.set("Cache-Control", "no-store");
  headers.set("Pragma", "no-cache");
});

/** The 200 of an API's call: JSON that no cache keeps, made with all its headers at once. */
export function answerJson(c: Pick<Context<RouteEnv>, "get">, content: unknown): Response {
  const frame = c.get("frame");
  const answer = new Response(JSON.stringify(content), jsonLikenessOf(frame));
  frame.made = answer;
  return answer;
}

/** The form in which refusals of the routes behind this are written. */
export function answersAs(form: AnswerForm) {
  return createMiddleware<RouteEnv>((c, next) => {
    c.set("answerForm", form);
    return next();
  });
}

/**
 * The parameters of a form post (RFC 6749 §3.2).
 *
 * @param allowed whether values may hold line breaks, as our own text areas do
 * @throws {OAuthError} `invalid_request` for another content type or a broken encoding, `request_too_large`
 */
export async function readForm(c: RequestContext, allowed: "words" | "lines" = "words"): Promise<Parameters> {
  if (mediaType(c) !== "application/x-www-form-urlencoded") {
    throw new OAuthError("invalid_request", {
      reason: "content_type_not_form",
      description: "Send the parameters as application/x-www-form-urlencoded in the body",
    });
  }
  // Not `text()`: in development the platform warns of each body that it doesn't take for text.
  return parseParameters(decode(c, await readBody(c, PROTOCOL_BODY_BYTES_MAX, oauthTooLarge)), allowed);
}

/**
 * The parameters of a form post that brings a file (RFC 7578), and the file's bytes; none where no file was chosen. Names and
 * types are its sender's words, and nothing here reads them.
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
 * The JSON object of a registration (RFC 7591 §3.1). No object in it names a member twice: somebody who looks at a registration
 * and this server could believe different ones.
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
 * The JSON object of an API call. No object in it names a member twice: one of the two would be lost without a word.
 *
 * @throws {ApiError} `unsupported_media_type`, `request_too_large`, or `bad_request` when it is not one JSON object
 */
export async function readJsonObject(c: RequestContext, bytesMax: number): Promise<Readonly<Record<string, unknown>>> {
  const parsed = await readJson(c, bytesMax);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new ApiError("bad_request", { reason: "json_broken", description: "The body is not a JSON object" });
  }
  return parsed as Readonly<Record<string, unknown>>;
}

/**
 * The JSON of an API call, whatever it is; `undefined` where the body is none.
 *
 * @throws {ApiError} `unsupported_media_type`, `request_too_large`, or `bad_request` when an object names a member twice or
 *   the text is too complex
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

/** A body that is no text. @throws {ApiError} `request_too_large` */
export function readBytes(c: RequestContext): Promise<Uint8Array<ArrayBuffer>> {
  const reason = "body_too_large";
  return readBody(c, PROTOCOL_BODY_BYTES_MAX, () => new ApiError("request_too_large", { reason }));
}

/** The query of this request, decoded strictly. @throws {Refusal} in the words of the APIs or of OAuth, by the route */
export function readQuery(c: RequestContext): Parameters {
  const query = c.req.url.indexOf("?");
  try {
    return parseParameters(query < 0 ? "" : (c.req.url.slice(query + 1).split("#")[0] ?? ""));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw malformed(c, { reason: error.reason, description: error.description, cause: error });
  }
}

/** Hands work to the platform that goes on after the answer. */
export function waitUntil(c: RequestContext): (work: Promise<unknown>) => void {
  return (work) => c.executionCtx.waitUntil(work);
}

/** The media type of the body, without parameters. */
export function mediaType(c: RequestContext): string | undefined {
  const written = c.req.header("content-type");
  return written === "application/json" ? written : written?.split(";")[0]?.trim().toLowerCase();
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Reads a bounded body of JSON. One of a stated length that is within the limit is decoded by the platform, which costs half of decoding
 * its bytes here.
 *
 * The platform puts U+FFFD, three bytes, where bytes are no UTF-8, and a text with one is measured: what was sent is as long only if it
 * had that character. A character of four bytes without its last one is as long, too, and reads as if U+FFFD had been sent.
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

/** Reads a bounded body: at once where its stated length is within the limit, which costs a third of reading it piece by piece. */
async function readBody(c: RequestContext, bytesMax: number, tooLarge: () => Error): Promise<Uint8Array<ArrayBuffer>> {
  if (!(statedLength(c) <= bytesMax)) return unbroken(c, readBounded(c.req.raw.body, bytesMax, tooLarge));
  const bytes = new Uint8Array(await unbroken(c, c.req.raw.arrayBuffer()));
  if (bytes.byteLength > bytesMax) throw tooLarge();
  return bytes;
}

/** `NaN` where none is stated. */
function statedLength(c: RequestContext): number {
  return Number(c.req.header("content-length") ?? Number.NaN);
}

/** A body that breaks off is its sender's doing, and no failure of ours. */
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

/** Whether refusals in this form are those of the APIs; the others are OAuth's. */
export function isApiForm(form: AnswerForm = "api"): boolean {
  return form === "api" || form === "mcp" || form === "scim" || form === "secevent";
}

/**
 * @param isCaseless as {@link parseStrictJson} has it
 * @throws {ApiError} `bad_request` when an object names a member twice, or it is too complex
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
