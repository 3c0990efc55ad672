import { openLoopback } from "../../../scripts/local/loopback.ts";

/** What a program passes to the tests that need it, and how to stop it. */
export interface Started<Told> {
  readonly told: Told;
  readonly stop: () => Promise<void>;
}

/** A program that starts while the first tests run. */
export interface BackgroundStart {
  /** Responds with what the program passes on, as soon as it is ready: see {@link whenStarted}. */
  readonly url: string;
  /** Stops the program, even while it is still starting. */
  readonly stop: () => Promise<void>;
}

/** Starts a program while tests run. The first files need none, and would otherwise wait for all of them. */
export async function startInBackground<Told>(start: () => Promise<Started<Told>>): Promise<BackgroundStart> {
  const starting = start();
  // The error is reported to the tests that ask. If none does, it must not end the process.
  starting.catch(() => undefined);
  const door = await openLoopback(0);
  door.serve(async (_request, response) => {
    try {
      const { told } = await starting;
      response.end(JSON.stringify(told));
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.stack : String(error));
    }
  });
  return {
    url: `http://localhost:${door.port}`,
    async stop() {
      door.close();
      await starting.then(
        (program) => program.stop(),
        () => undefined,
      );
    },
  };
}

/** Waits for a program that starts in the background. @throws with the reason if it does not start */
export async function whenStarted<Told>(url: string): Promise<Told> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`It did not start: ${await response.text()}`);
  return (await response.json()) as Told;
}
