import type { Diagnosis } from "#doctor/doctor.ts";
import type { Finding } from "#platform/finding.ts";
import { Badge, ButtonLink, ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";

export interface DoctorPageProps {
  readonly issuer: string;
  readonly name: string;
  readonly diagnosis: Diagnosis;
}

/** The doctor's findings, and what to do. */
export function DoctorPage({ issuer, name, diagnosis }: DoctorPageProps) {
  const all = Object.values(diagnosis).flat() as Finding[];
  const failed = all.filter(({ verdict }) => verdict === "failed").length;
  const warnings = all.filter(({ verdict }) => verdict === "warning").length;
  return (
    <ConsoleLayout title="Doctor" lead={summary(all.length, failed, warnings)}>
      <p class="toolbar">
        <ButtonLink href="/admin/doctor">Check again</ButtonLink>
      </p>
      <Panel
        title="As apps and browsers see it"
        lead={
          <>
            To check what <code class="word">{issuer}</code> responds, with DNS, the certificate and what is in front,
            run this command:
          </>
        }
      >
        <pre class="command" tabindex={0} aria-label="Command">
          {`npm run admin -- doctor ${name} --url ${issuer}`}
        </pre>
      </Panel>
      <Panel title="Trusted issuers">
        <Findings findings={diagnosis.providers} />
      </Panel>
      <Panel title="Documents">
        <Findings findings={diagnosis.documents} />
      </Panel>
      <Panel title="Infrastructure">
        <Findings findings={diagnosis.foundations} />
      </Panel>
    </ConsoleLayout>
  );
}

function summary(checks: number, failed: number, warnings: number): string {
  if (failed + warnings === 0) return `All ${checks} checks passed.`;
  const parts = [
    failed === 0 ? [] : [`${counted(failed, "check")} failed`],
    warnings === 0 ? [] : [counted(warnings, "warning")],
  ].flat();
  return `${checks} checks: ${parts.join(", ")}.`;
}

const VERDICTS = {
  ok: <Badge tone="good">OK</Badge>,
  warning: <Badge tone="warn">Warning</Badge>,
  failed: <Badge tone="bad">Failed</Badge>,
};

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul class="findings">
      {findings.map(({ check, verdict, meaning, remedy }) => (
        <li>
          {VERDICTS[verdict]}
          <div>
            <strong>{check}</strong>
            <p>{meaning}</p>
            {remedy === undefined ? null : <p class="remedy">{remedy}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
