import { ApiError } from "#protocol/errors.ts";
import type { Caller } from "./caller.ts";

/** One check of a credential at first sight. The gate runs it, and the page "Test a token" prints it. */
export interface Step<Presented> {
  readonly title: string;
  /** @throws {ApiError} where it does not hold */
  check(presented: Presented): void | Promise<void>;
  /** What is compared with what, as a sentence for administrators: true whether the check holds or not. */
  fact(presented: Presented): string;
}

/** A kind of credential: the checks that it has to pass, in this order, and the person it then stands for. */
export interface CredentialKind<Presented> {
  readonly steps: readonly Step<Presented>[];
  /** @param presented which has passed all steps */
  callerOf(presented: Presented): Caller;
  /** What is kept of a credential that the gate has let in. */
  noteAdmitted(presented: Presented): void;
}

/** How a step went. `open`: an earlier step failed, and this one was not reached. */
export interface ExplainedStep {
  readonly title: string;
  readonly outcome: "holds" | "fails" | "open";
  readonly text: string;
}

/** How all steps went, and what came of it. */
export interface Explained {
  readonly steps: readonly ExplainedStep[];
  readonly verdict: Caller | ApiError;
}

/** A credential at first sight, with the steps that it has to pass. */
export class Examination<Presented = never> {
  readonly #kind: CredentialKind<Presented>;
  readonly #presented: Presented;

  constructor(kind: CredentialKind<Presented>, presented: Presented) {
    this.#kind = kind;
    this.#presented = presented;
  }

  /** @throws {ApiError} of the first step that does not hold */
  async admit(): Promise<Caller> {
    await passSteps(this.#kind.steps, this.#presented);
    this.#kind.noteAdmitted(this.#presented);
    return this.#kind.callerOf(this.#presented);
  }

  /** The same steps, each with how it went; nothing is kept of the credential. */
  async explain(): Promise<Explained> {
    const { steps, refusal } = await explainSteps(this.#kind.steps, this.#presented);
    return { steps, verdict: refusal ?? this.#kind.callerOf(this.#presented) };
  }
}

/** Only what has to wait is waited for: most steps compare what is at hand. */
export async function passSteps<Presented>(steps: readonly Step<Presented>[], presented: Presented): Promise<void> {
  for (const step of steps) {
    const underway = step.check(presented);
    if (underway) await underway;
  }
}

/** @throws whatever is no refusal, such as a storage that does not answer */
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
      explained.push({ title, outcome: "fails", text: `${step.fact(presented)} ${error.description}.` });
    }
  }
  return { steps: explained, refusal };
}

export function notReached(title: string): ExplainedStep {
  return { title, outcome: "open", text: "Not checked: an earlier step failed." };
}
