import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";

/** A Node program that runs alongside this process and never outlives it. */
export interface NodeChild {
  readonly output: Interface;
  readonly complaints: Interface;
  /** Settles when the program has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a Node program that ends with this process, however this process ends. The program has to watch the channel between them
 * (`process.on("disconnect")`), which the operating system closes even after `kill -9`.
 */
export function startNode(args: readonly string[], env: Record<string, string>, folder = "."): NodeChild {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Ctrl-C reaches every process in the terminal's group. This one ends when `stop` ends it, in the right order.
    detached: true,
  });
  if (child.stdout === null || child.stderr === null) throw new Error("A piped stream is never null.");
  const ended = once(child, "exit").then(() => undefined);
  return {
    output: createInterface(child.stdout),
    complaints: createInterface(child.stderr),
    ended,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
