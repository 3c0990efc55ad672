import { describe, expect, it } from "vitest";
import { runScript } from "../support/node/run-script.ts";

/** Long, because it bundles, starts a Worker, and runs some twenty commands, each in its own process. */
const TIMEOUT_MILLISECONDS = 400_000;

describe("npm run rehearse", () => {
  it(
    "runs the commands of docs/deployment.md unchanged, on the bundle that would be deployed",
    async () => {
      const { exitCode, output, complaints } = await runScript("scripts/rehearse-deployment.ts", []);
      expect({ exitCode, complaints: exitCode === 0 ? "" : complaints }).toEqual({ exitCode: 0, complaints: "" });
      for (const command of [
        "schema apply",
        "instance create",
        "sso set",
        "token create",
        "master-key reseal",
        "backup restore",
      ]) {
        expect(output).toMatch(new RegExp(`ran     npm run (--silent )?admin -- ${command}`));
      }
      expect(output).toContain("Restored 1 lines of documents.");
    },
    TIMEOUT_MILLISECONDS,
  );
});
