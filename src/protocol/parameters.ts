import { OAuthError } from "./errors.ts";
import type { RefusalReason } from "./refusal-reasons.ts";

/**
 * State of 4 KB must come back; nothing that a client has reason to send is longer than this. In a form of our own an
 * administrator may put the longest token that there is.
 */
const VALUE_CHARACTERS_MAX = { words: 8192, lines: 20_000 };

/** More names than any request of the protocol has, few enough that parsing costs nothing. */
const PARAMETERS_MAX = 64;

/** Characters that stand for themselves (RFC 3986 §2.3). */
const UNRESERVED = /^[\w.~-]*$/;

/** Decoded `application/x-www-form-urlencoded` pairs, with repetitions kept so that rules can refuse them. */
export class Parameters {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /**
   * The one value of a parameter. An empty value counts as absent (RFC 6749 §3.1).
   *
   * @throws {OAuthError} `invalid_request` when it was sent more than once: two readers could choose differently.
   */
  one(name: string): string | undefined {
    const values = this.#values.get(name) ?? [];
    if (values.length > 1) throw repeated(name);
    return values[0] === "" ? undefined : values[0];
  }

  /** All values of a parameter that may be repeated. */
  all(name: string): readonly string[] {
    return (this.#values.get(name) ?? []).filter((value) => value !== "");
  }

  /** The names that were sent. */
  names(): Iterable<string> {
    return this.#values.keys();
  }

  /** @throws {OAuthError} `invalid_request` when the parameter is missing. */
  require(name: string): string {
    const value = this.one(name);
    if (value === undefined) {
      throw new OAuthError("invalid_request", {
        reason: "parameter_missing",
        about: name,
        description: `The parameter ${name} is missing`,
      });
    }
    return value;
  }

  /** @throws {OAuthError} `invalid_request` when any parameter but the exempt ones is repeated (RFC 6749 §3.1, §3.2). */
  requireUnrepeated(exempt: readonly string[] = []): void {
    for (const [name, values] of this.#values) {
      if (values.length > 1 && !exempt.includes(name)) throw repeated(name);
    }
  }
}

/**
 * Decodes a query string or form body strictly: broken percent-encoding, broken UTF-8, control characters and oversized
 * values are errors, where the platform's parser would replace or pass them.
 *
 * @param allowed what values may hold beside words: text areas, of our own forms alone, hold line breaks
 * @throws {OAuthError} `invalid_request`
 */
export function parseParameters(encoded: string, allowed: "words" | "lines" = "words"): Parameters {
  const values = new Map<string, string[]>();
  const pairs = encoded === "" ? [] : encoded.split("&");
  if (pairs.length > PARAMETERS_MAX) throw malformed("too_many_parameters", `More than ${PARAMETERS_MAX} parameters`);
  for (const pair of pairs) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1), allowed);
    if (value.length > VALUE_CHARACTERS_MAX[allowed])
      throw malformed("parameter_too_long", `The value of ${label(name)} is too long`);
    const present = values.get(name);
    if (present) present.push(value);
    else values.set(name, [value]);
  }
  return new Parameters(values);
}

/** Decodes one percent- and plus-encoded word (RFC 6749 appendix B). */
export function decode(encoded: string, allowed: "words" | "lines" = "words"): string {
  // Most words mean what they say, and decoding them would cost as much as hashing them.
  if (UNRESERVED.test(encoded)) return encoded;
  let decoded: string;
  try {
    decoded = decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    throw malformed("encoding_broken", "A parameter is not valid percent-encoded UTF-8");
  }
  const inLine = allowed === "lines" ? decoded.replace(/\r?\n/g, " ") : decoded;
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(inLine)) throw malformed("control_character", "A parameter has control characters");
  return decoded;
}

function malformed(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError("invalid_request", { reason, description });
}

function repeated(name: string): OAuthError {
  return malformed("parameter_repeated", `The parameter ${label(name)} was sent more than once`);
}

/** A parameter's name as an answer may quote it; error descriptions are plain ASCII (RFC 6749 §5.2). */
function label(name: string): string {
  return /^[\w.-]{1,40}$/.test(name) ? name : "(unnamed)";
}
