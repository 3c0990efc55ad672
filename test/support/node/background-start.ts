import { openLoopback } from "../../../scripts/local/loopback.ts";

/** What a program tells the tests that need it, and how it is ended. */
export interface Started<Told> {
  readonly told: Told;
  readonly stop: () => Promise<void>;
}

/** A program that starts while the first tests run. */
export interface BackgroundStart {
  /** Answers with what the program tells, as soon as it is ready: see {@link whenStarted}. */
  readonly url: string;
  /** Ends the program, also one that is still starting. */
  readonly stop: () => Promise<void>;
}

/** Starts a program beside the tests: the first files need none, and would wait for all of them. */
export async function startInBackground<Told>(start: () => Promise<Started<Told>>): Promise<BackgroundStart> {
  const starting = start();
  // The error is reported to the tests that ask; if none does, it must not end the process.
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

/** Waits for a program that is started in the background. @throws with the reason when it does not start */
export async function whenStarted<Told>(url: string): Promise<Told> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`It did not start: ${await response.text()}`);
  return (await response.json()) as Told;
}
