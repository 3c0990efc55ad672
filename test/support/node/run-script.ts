import { execFile } from "node:child_process";
import { resolve } from "node:path";

/** How a script ended, and its output. */
export interface ScriptOutcome {
  readonly exitCode: number;
  readonly output: string;
  readonly complaints: string;
}

/** Runs one of the project's scripts to its end, as npm would, in this folder or another one. */
export function runScript(script: string, args: readonly string[], folder = "."): Promise<ScriptOutcome> {
  return new Promise((settle) => {
    const words = [resolve(script), ...args];
    execFile(process.execPath, words, { cwd: folder }, (error, output, complaints) => {
      settle({ exitCode: error === null ? 0 : Number(error.code ?? 1), output, complaints });
    });
  });
}
