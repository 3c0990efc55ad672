import type { D1ConnectionSteps } from "./connection-steps.d1.ts";
import { epochSeconds } from "#platform/clock.ts";
import { describeError, log } from "#platform/log.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { type Attempt, attemptsOf } from "./attempt.ts";
import type { ConnectionStep } from "./connection-step.ts";

/** The most characters that are stored of a message, or of a client id that a caller chose. */
const TEXT_CHARACTERS_MAX = 500;

/** Long enough for questions after a holiday weekend, but no longer, because networks are personal data. */
export const STEPS_KEPT_SECONDS = 7 * 86_400;

/** Records and lists how apps connected recently. */
export class ConnectionAttempts {
  readonly #steps: D1ConnectionSteps;

  constructor(steps: D1ConnectionSteps) {
    this.#steps = steps;
  }

  /**
   * Writes a step after the response, so that no request waits for it or fails because of it.
   *
   * @param isOfPerson whether a signed-in person took the step
   * @param mayWrite checks the rate limit for steps that anybody can cause; also called after the response
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
        at: epochSeconds(),
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

  /** Returns recent attempts, the one with the newest step first. */
  async recent(instanceId: number): Promise<Attempt[]> {
    return attemptsOf(await this.#steps.read(instanceId));
  }
}
