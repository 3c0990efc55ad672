import { count, type Diagnosis } from "#doctor/doctor.ts";
import type { Finding } from "#platform/finding.ts";
import { servicesOf } from "#services.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { type AdminContext, CheckFailed, UsageError } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";

/** Where `npm start` answers. */
const LOCAL_URL = "http://localhost:8787";

/** An address that takes longer does not answer, as far as an app is concerned. */
const TIMEOUT_MILLISECONDS = 10_000;

const HEADINGS: Readonly<Record<keyof Diagnosis, string>> = {
  outside: "As apps and browsers see it",
  providers: "Trusted issuers",
  documents: "Its documents",
  foundations: "Infrastructure",
};

const MARKS: Readonly<Record<Finding["verdict"], string>> = { ok: "ok     ", warning: "warning", failed: "FAILED " };

export const doctorCommand: Command = {
  name: "doctor",
  usage: "<instance> [--url <https://host>]",
  purpose: "check an instance from outside, over the network; exits 1 if a check fails",
  async run(words, context) {
    const args = parseArguments(words, { url: { type: "string" } });
    const { name } = await requireInstance(context, args);
    const { doctor, policySnapshots } = servicesOf(context.bindings);
    const policy = await policySnapshots.reread(name);
    if (!policy) throw new UsageError(`There is no instance ${name}`);
    const origin = readOrigin(args.option("url") ?? usualUrl(name, context));
    context.print(`${name} at ${origin}`);
    const diagnosis = await doctor.examine(policy, origin, askOverNetwork, "command");
    for (const [group, findings] of Object.entries(diagnosis)) {
      context.print(`\n${HEADINGS[group as keyof Diagnosis]}`);
      for (const finding of findings as readonly Finding[]) print(finding, context);
    }
    const failures = count(diagnosis, "failed");
    if (failures > 0) throw new CheckFailed(`\n${failures} of the checks failed`);
    return { warnings: count(diagnosis, "warning") };
  },
};

function print({ check, verdict, meaning, remedy }: Finding, { print: line }: AdminContext): void {
  line(`  ${MARKS[verdict]}  ${check}: ${meaning}`);
  if (remedy !== undefined) line(`           ${remedy}`);
}

function askOverNetwork(request: Request): Promise<Response> {
  return fetch(request, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
}

function usualUrl(name: string, { bindings }: AdminContext): string {
  return bindings.LOCAL_DEVELOPMENT === "true"
    ? LOCAL_URL
    : `https://${bindings.INSTANCE_HOST.replace("{instance}", name)}`;
}

/** @throws {UsageError} for anything but an address without a path: that is what the issuer is compared with */
function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === "/") return url.origin;
  throw new UsageError(`--url is the instance's address without a path, such as https://acme-be.example.com`);
}
