import type { Diagnosis } from "#doctor/doctor.ts";
import { epochSeconds } from "#platform/clock.ts";
import { failed, type Finding } from "#platform/finding.ts";
import { isLocalName, requestByAddress } from "../local/local-request.ts";
import type { ApiCommand } from "./command.ts";
import { explainFailure } from "./failures.ts";
import { linesOf } from "./finding-lines.ts";
import { checkFromOutside, checkFront } from "./outside-check.ts";

/** An address that takes longer counts as unreachable, as it would for an app. */
const TIMEOUT_MILLISECONDS = 10_000;

interface WholeDiagnosis extends Diagnosis {
  readonly outside: readonly Finding[];
}

const HEADINGS: Readonly<Record<keyof WholeDiagnosis, string>> = {
  outside: "As apps and browsers see it",
  providers: "Trusted issuers",
  documents: "Documents",
  foundations: "Infrastructure",
};

export const doctorCommand: ApiCommand = {
  asks: "api",
  usage: "doctor <instance>",
  purpose:
    "check the instance from outside, over the network, and the services that it depends on. Exits 1 if a check fails",
  examples: ["doctor acme --url https://acme-be.example.com"],
  async run(_input, api) {
    const [outside, front, inside] = await Promise.all([
      checkFromOutside(api.origin, askOverNetwork, epochSeconds),
      checkFront(api.origin, askOverNetwork),
      api.get<Diagnosis>("/doctor").catch(unasked),
    ]);
    const answer: WholeDiagnosis = { outside: [...outside, front], ...inside };
    const findings: readonly Finding[] = Object.values(answer).flat();
    const failures = findings.filter(({ verdict }) => verdict === "failed").length;
    return {
      answer,
      lines: [`${api.instance} at ${api.origin}`, ...Object.entries(HEADINGS).flatMap(sectionOf(answer))],
      failure: failures === 0 ? undefined : `${failures} of the checks failed`,
    };
  },
};

/** Reports a Worker that does not respond as a finding. */
function unasked(error: unknown): Diagnosis {
  const meaning = `The Admin API can't be reached, so nothing else was checked: ${explainFailure(error)}.`;
  const finding = failed("Admin API", meaning, "Fix the failed checks above, then run this again.");
  return { providers: [], documents: [], foundations: [finding] };
}

function sectionOf(diagnosis: WholeDiagnosis) {
  return ([group, heading]: [string, string]) => [
    "",
    heading,
    ...diagnosis[group as keyof WholeDiagnosis].flatMap(linesOf),
  ];
}

async function askOverNetwork(request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (isLocalName(url)) {
    const { method } = request;
    const answer = await requestByAddress(url, { method, headers: Object.fromEntries(request.headers) });
    const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(answer.text === "" ? null : answer.text, { status: answer.status, headers });
  }
  return fetch(request, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
}
