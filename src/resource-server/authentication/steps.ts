import { ApiError } from "#protocol/errors.ts";
import type { Caller } from "./caller.ts";
import { hasBegun } from "#protocol/numeric-date.ts";

/** One check of a credential that is seen for the first time. The gate runs it, and the page "Test a token" shows it. */
export interface Step<Presented> {
  readonly title: string;
  /** @throws {ApiError} if the check fails */
  check(presented: Presented): void | Promise<void>;
  /** Returns what is compared with what, as a sentence for administrators that is true whether or not the check passes. */
  fact(presented: Presented): string;
}

/** A kind of credential: the checks that it has to pass, in this order, and the person that it then stands for. */
export interface CredentialKind<Presented> {
  readonly steps: readonly Step<Presented>[];
  /** @param presented a credential that has passed all steps */
  callerOf(presented: Presented): Caller;
  /** Remembers a credential that the gate has let in. */
  noteAdmitted(presented: Presented): void;
}

/** The outcome of a step. `open`: it was not reached, because an earlier step failed. The refusal says why one failed. */
export interface ExplainedStep {
  readonly title: string;
  readonly outcome: "holds" | "fails" | "open";
  readonly text: string;
}

/** The outcome of all steps, and the resulting decision. */
interface Explained {
  readonly steps: readonly ExplainedStep[];
  readonly verdict: Caller | ApiError;
}

/** A credential that is seen for the first time, with the steps that it has to pass. */
export class Examination<Presented = never> {
  readonly #kind: CredentialKind<Presented>;
  readonly #presented: Presented;

  constructor(kind: CredentialKind<Presented>, presented: Presented) {
    this.#kind = kind;
    this.#presented = presented;
  }

  /** Runs the steps. @throws {ApiError} the refusal of the first step that fails */
  async admit(): Promise<Caller> {
    await passSteps(this.#kind.steps, this.#presented);
    this.#kind.noteAdmitted(this.#presented);
    return this.#kind.callerOf(this.#presented);
  }

  /** Runs the same steps and tells how each went, without remembering the credential. */
  async explain(): Promise<Explained> {
    const { steps, refusal } = await explainSteps(this.#kind.steps, this.#presented);
    return { steps, verdict: refusal ?? this.#kind.callerOf(this.#presented) };
  }
}

/** Runs the steps, and awaits only those that return a promise: most steps compare what is at hand. */
export async function passSteps<Presented>(steps: readonly Step<Presented>[], presented: Presented): Promise<void> {
  for (const step of steps) {
    const underway = step.check(presented);
    if (underway) await underway;
  }
}

/**
 * Runs the steps and tells how each went.
 *
 * @throws any error that is not a refusal, for example if storage is unavailable
 */
export async function explainSteps<Presented>(
  steps: readonly Step<Presented>[],
  presented: Presented,
): Promise<{ readonly steps: ExplainedStep[]; readonly refusal: ApiError | undefined }> {
  let refusal: ApiError | undefined;
  const explained: ExplainedStep[] = [];
  for (const step of steps) {
    const { title } = step;
    if (refusal) {
      explained.push(notReached(title));
      continue;
    }
    try {
      await step.check(presented);
      explained.push({ title, outcome: "holds", text: step.fact(presented) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal = error;
      explained.push({ title, outcome: "fails", text: step.fact(presented) });
    }
  }
  return { steps: explained, refusal };
}

export function notReached(title: string): ExplainedStep {
  return { title, outcome: "open", text: "Not checked: an earlier step failed." };
}

/** The most characters of a value that are shown: a token may contain anything, of any length. */
const SHOWN_CHARACTERS_MAX = 200;

/** Formats a value of a token for a sentence. */
export function shown(value: unknown): string {
  if (value === undefined) return "not there";
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}

/** Describes a claim of a token and its value, for the beginning of a sentence or within one. */
export function claim(payload: Readonly<Record<string, unknown>>, name: string, the: "The" | "the" = "the"): string {
  const value = payload[name];
  if (value === undefined) return `${the} token has no claim ${name}`;
  return `${the} claim ${name} is ${shown(value)}`;
}

export function list(values: readonly string[], none = "none at all"): string {
  return values.length === 0 ? none : values.join(", ");
}

/** Describes the times of a JWT, to compare them with the clock. */
export function timesFact({ iat, nbf, exp }: Readonly<Record<string, unknown>>, now: number): string {
  const begin = nbf === undefined ? "" : `, valid from ${moment(nbf)}`;
  return `Issued ${moment(iat)}${begin}, expires ${moment(exp)}; it is ${moment(now)} now.`;
}

function moment(value: unknown): string {
  const isTime = typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 8.64e12;
  return isTime ? `${new Date(value * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC` : shown(value);
}

/**
 * Requires that a token is already valid (RFC 7519 §4.1.5, §4.1.6). Its expiry is checked on every request, its beginning once.
 *
 * @param toleranceSeconds the most that the issuer's clock may be ahead
 * @throws {ApiError} `invalid_token`
 */
export function requireBegun(claims: Readonly<Record<string, unknown>>, now: number, toleranceSeconds: number): void {
  if (!hasBegun(claims, now, toleranceSeconds)) throw notYetValid();
}

export function notYetValid(): ApiError {
  return new ApiError("invalid_token", {
    reason: "token_not_yet_valid",
    description: "The access token is not valid yet: check the clock of the server that issued it",
  });
}
