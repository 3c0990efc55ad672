import { ApiError } from "#protocol/errors.ts";
import type { Caller } from "./caller.ts";

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
export interface Explained {
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
