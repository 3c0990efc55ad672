import type { PlainCommand } from "./command.ts";
import { checkDeployment } from "./deployment-check.ts";
import { linesOf } from "./finding-lines.ts";
import { readWranglerConfig } from "./wrangler-config.ts";

export const checkCommand: PlainCommand = {
  asks: "nobody",
  usage: "check",
  purpose:
    "check wrangler.toml before it is deployed, in the environment of CLOUDFLARE_ENV. Exits 1 if a deployment would not work",
  examples: ["check"],
  run() {
    const config = readWranglerConfig(".");
    const others = ["", ...(config.definedEnvironments ?? [])]
      .filter((name) => name !== (config.targetEnvironment ?? ""))
      .map((name) => readWranglerConfig(".", name));
    const findings = checkDeployment(config, others, process.env["MASTER_KEYS"]);
    const failures = findings.filter(({ verdict }) => verdict === "failed").length;
    return {
      answer: findings,
      lines: [`${config.name} as in wrangler.toml`, ...findings.flatMap(linesOf)],
      failure: failures === 0 ? undefined : `${failures} of the checks failed, so nothing should be deployed`,
    };
  },
};
