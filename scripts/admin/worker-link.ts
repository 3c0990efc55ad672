import { findFreePort } from "../local/loopback.ts";
import { PlainError } from "../local/plain-error.ts";
import { startWorker } from "../local/worker-process.ts";
import { UsageError } from "./failures.ts";
import type { OpenDatabase } from "./database.ts";
import { errorIn, LOCAL_WORKER, requireWorkerAddress, type SendToWorker, type WorkerAnswer } from "./worker-request.ts";

/** A Worker that is started again, or an object that moves, is back within seconds. */
const ATTEMPTS = 5;
const RETRY_MILLISECONDS = 1000;

/** A deployment or a secret that was just changed is not everywhere yet. */
const NOT_YET: readonly number[] = [401, 404];

/** The Worker that serves the database, asked with tokens made from the master keys. */
export interface WorkerLink {
  /** @throws {UsageError} with what the Worker says, where it refuses or does not answer */
  ask(instance: string, path: string, body: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Finds the Worker that serves a database. Where none serves a local one, one is started, and ended by `close`.
 *
 * @param instance one that the Worker answers for
 * @param url where the Worker is, with `{instance}` for the name; absent: where a deployment says, or `npm start`
 */
export async function openWorker(
  { bindings, services, folder }: OpenDatabase,
  send: SendToWorker,
  instance: string,
  url: string | undefined,
): Promise<WorkerLink> {
  const { commandTokens } = services;
  const sendTo = async (where: string, name: string, path: string, body: unknown) => {
    const target = new URL(path, where.replace("{instance}", name));
    const token = await commandTokens.make(name, target.origin, path);
    return send(target, { method: "POST", token, body: JSON.stringify(body) });
  };
  const linkTo = (where: string, close = async () => {}): WorkerLink => ({
    close,
    ask: (name, path, body) => askPatiently(() => sendTo(where, name, path, body)),
  });
  const isLocal = bindings.LOCAL_DEVELOPMENT === "true";
  const usual = requireWorkerAddress(url ?? (isLocal ? LOCAL_WORKER : `https://${bindings.INSTANCE_HOST}`));
  if (url !== undefined || !isLocal || folder === undefined) return linkTo(usual);
  // The Worker of another folder has other master keys, and refuses.
  const stats = await sendTo(usual, instance, "/internal/documents/stats", {}).catch(() => undefined);
  if (stats?.status === 200) return linkTo(usual);
  const port = await findFreePort();
  const worker = startWorker({ port, https: false, folder, host: `${instance}.localhost` });
  try {
    await worker.ready();
  } catch (error) {
    await worker.stop();
    throw error instanceof PlainError ? new UsageError(error.message) : error;
  }
  return linkTo(`http://{instance}.localhost:${port}`, () => worker.stop());
}

async function askPatiently(send: () => Promise<WorkerAnswer>): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send().catch((error: unknown): WorkerAnswer => ({ status: 0, text: String(error) }));
    if (answer.status === 200) return JSON.parse(answer.text);
    const isFinal = answer.status >= 400 && answer.status < 500 && !NOT_YET.includes(answer.status);
    if (isFinal || attempt === ATTEMPTS) {
      throw new UsageError(
        `The Worker ${answer.status === 0 ? "does not respond" : `answered ${answer.status}`}: ${errorIn(answer.text).message}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS * attempt));
  }
}
