import { OAuthError } from "./errors.ts";
import type { RefusalReason } from "./refusal-reasons.ts";

/**
 * Maximum length of a value in characters. A `state` of 4 KB must be returned, and clients have no reason to send anything longer
 * than this. In our own forms, an administrator may paste the longest possible token.
 */
const VALUE_CHARACTERS_MAX = { words: 8192, lines: 20_000 };

/** The most parameters of a request: more than any request of the protocol has, and few enough to parse cheaply. */
const PARAMETERS_MAX = 64;

/** Text that form encoding leaves unchanged: unreserved characters (RFC 3986 §2.3). */
const UNRESERVED = /^[\w.~-]*$/;

/** Decoded `application/x-www-form-urlencoded` pairs. Repetitions are kept, so that rules can refuse them. */
export class Parameters {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /**
   * Returns the value of a parameter. An empty value counts as absent (RFC 6749 §3.1).
   *
   * @throws {OAuthError} `invalid_request` if it was sent more than once, because two readers could choose different values
   */
  one(name: string): string | undefined {
    const values = this.#values.get(name) ?? [];
    if (values.length > 1) throw repeated(name);
    return values[0] === "" ? undefined : values[0];
  }

  /** Returns all values of a parameter that may be repeated. */
  all(name: string): readonly string[] {
    return (this.#values.get(name) ?? []).filter((value) => value !== "");
  }

  /** Returns the names of the parameters that were sent. */
  names(): Iterable<string> {
    return this.#values.keys();
  }

  /** Returns the value of a parameter. @throws {OAuthError} `invalid_request` if it is missing */
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

  /**
   * Refuses repeated parameters.
   *
   * @throws {OAuthError} `invalid_request` if any parameter except the exempt ones is repeated (RFC 6749 §3.1, §3.2)
   */
  requireUnrepeated(exempt: readonly string[] = []): void {
    for (const [name, values] of this.#values) {
      if (values.length > 1 && !exempt.includes(name)) throw repeated(name);
    }
  }
}

/**
 * Decodes a query string or form body strictly: broken percent-encoding, broken UTF-8, control characters and oversized values
 * are errors. The platform's parser would replace them or let them pass.
 *
 * @param allowed `lines` allows line breaks in values, for text areas in our own forms only
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

/** Decodes percent-encoded text in which plus signs are spaces (RFC 6749 appendix B). */
export function decode(encoded: string, allowed: "words" | "lines" = "words"): string {
  // Most text needs no decoding, which would cost as much as hashing it.
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

/** Returns a parameter's name as a response may quote it, because error descriptions are plain ASCII (RFC 6749 §5.2). */
function label(name: string): string {
  return /^[\w.-]{1,40}$/.test(name) ? name : "(unnamed)";
}
