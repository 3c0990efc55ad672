import { findFreePort } from "../local/loopback.ts";
import { PlainError } from "../local/plain-error.ts";
import { startWorker } from "../local/worker-process.ts";
import { UsageError } from "./failures.ts";
import type { OpenDatabase } from "./database.ts";
import { errorIn, LOCAL_WORKER, requireWorkerAddress, type SendToWorker, type WorkerAnswer } from "./worker-request.ts";

/** Enough for a Worker that restarts or an object that moves: both are back within seconds. */
const ATTEMPTS = 5;
const RETRY_MILLISECONDS = 1000;

/** Statuses to retry, because a changed deployment or secret takes a while to reach every location. */
const NOT_YET: readonly number[] = [401, 404];

/** The Worker that serves the database. Requests carry tokens made from the master keys. */
export interface WorkerLink {
  /** @throws {UsageError} with the Worker's message, if it refuses or does not respond */
  ask(instance: string, path: string, body: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Finds the Worker that serves a database. If none serves a local one, starts one, which `close` stops.
 *
 * @param instance an instance that the Worker serves
 * @param url the Worker's address, with `{instance}` in place of the name; absent: the deployment's, or that of `npm start`
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
  // A Worker of another folder has different master keys, and refuses.
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
