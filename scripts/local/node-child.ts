import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";

/** A Node program that runs beside this one and never longer. */
export interface NodeChild {
  readonly output: Interface;
  readonly complaints: Interface;
  /** Settles when the program has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a Node program that ends with this one, whatever happens to this one: the program has to watch the channel
 * between the two (`process.on("disconnect")`), which the system closes even after `kill -9`.
 */
export function startNode(args: readonly string[], env: Record<string, string>, folder = "."): NodeChild {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Ctrl-C reaches every process of the terminal's group; this one ends when it is told to, in order.
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
