import type { Clock } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import { inBatches } from "#platform/sweep.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { type Attempt, attemptsOf } from "./attempt.ts";
import type { ConnectionStep, ConnectionSteps } from "./connection-step.ts";

/** Long enough for a question after a holiday weekend; networks are personal data, and stay no longer. */
const STEPS_KEPT_SECONDS = 7 * 86_400;

/** Texts and ids of others have a bound in every row. */
const TEXT_CHARACTERS_MAX = 500;

/** How apps connected lately. */
export class ConnectionAttempts {
  readonly #steps: ConnectionSteps;
  readonly #clock: Clock;

  constructor(steps: ConnectionSteps, clock: Clock) {
    this.#steps = steps;
    this.#clock = clock;
  }

  /**
   * Writes a step, behind the answer: no request waits for it, and none fails with it.
   *
   * @param isOfPerson whether somebody who signed in took it
   * @param mayWrite whether there is room for a stranger's; asked behind the answer, too
   */
  note(
    instanceId: number,
    step: Omit<ConnectionStep, "at">,
    isOfPerson: boolean,
    waitUntil: WaitUntil,
    mayWrite: () => Promise<boolean>,
  ): void {
    const write = async () => {
      if (!isOfPerson && !(await mayWrite())) return;
      const { message, clientId } = step;
      const bounded = {
        ...step,
        at: this.#clock(),
        message: message?.slice(0, TEXT_CHARACTERS_MAX) ?? null,
        clientId: clientId?.slice(0, TEXT_CHARACTERS_MAX) ?? null,
      };
      await this.#steps.add(instanceId, bounded, isOfPerson);
    };
    waitUntil(
      write().catch((error: unknown) =>
        log({ level: "warn", event: "connection_step_not_written", detail: describeError(error) }),
      ),
    );
  }

  /** What is known of recent attempts, the newest first. */
  async recent(instanceId: number): Promise<Attempt[]> {
    return attemptsOf(await this.#steps.read(instanceId));
  }

  /** Forgets what is old; how much. */
  sweep(): Promise<number> {
    return inBatches((rowsMax) => this.#steps.sweep(this.#clock() - STEPS_KEPT_SECONDS, rowsMax));
  }
}
