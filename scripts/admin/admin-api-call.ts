import { UsageError } from "./context.ts";

/**
 * One call of the Admin API; what it answers.
 *
 * @throws {AdminApiRefused} with what the Worker says, where it refuses
 */
export type CallAdminApi = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** The Admin API answered with an error. */
export class AdminApiRefused extends UsageError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
