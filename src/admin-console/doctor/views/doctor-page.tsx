import type { Diagnosis } from "#doctor/doctor.ts";
import type { Finding } from "#platform/finding.ts";
import { Badge, ButtonLink, ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { known, t } from "#pages/views/console-frame.ts";
import { counted } from "#messages/catalogue.ts";

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
    <ConsoleLayout title={t`Doctor`} lead={summary(all.length, failed, warnings)}>
      <p class="toolbar">
        <ButtonLink href="/admin/doctor">{t`Check again`}</ButtonLink>
      </p>
      <Panel
        title={t`As apps and browsers see it`}
        lead={t`To check what ${<code class="word">{issuer}</code>} responds, with DNS, the certificate and what is in front, run this command:`}
      >
        <pre class="command" tabindex={0} aria-label={t`Command`}>
          {`npm run admin -- doctor ${name} --url ${issuer}`}
        </pre>
      </Panel>
      <Panel title={t`Trusted issuers`}>
        <Findings findings={diagnosis.providers} />
      </Panel>
      <Panel title={t`Documents`}>
        <Findings findings={diagnosis.documents} />
      </Panel>
      <Panel title={t`Infrastructure`}>
        <Findings findings={diagnosis.foundations} />
      </Panel>
    </ConsoleLayout>
  );
}

function summary(checks: number, failed: number, warnings: number): string {
  if (failed + warnings === 0) return t`All ${checks} checks passed.`;
  const parts = [
    failed === 0 ? [] : [t`${counted(failed, "check")} failed`],
    warnings === 0 ? [] : [t`${counted(warnings, "warning")}`],
  ].flat();
  return t`${checks} checks: ${parts.join(", ")}.`;
}

const verdicts = () => ({
  ok: <Badge tone="good">{t`OK`}</Badge>,
  warning: <Badge tone="warn">{t`Warning`}</Badge>,
  failed: <Badge tone="bad">{t`Failed`}</Badge>,
});

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul class="findings">
      {findings.map(({ check, verdict, meaning, remedy }) => (
        <li>
          {verdicts()[verdict]}
          <div>
            <strong>{known(check)}</strong>
            <p>{known(meaning)}</p>
            {remedy === undefined ? null : <p class="remedy">{known(remedy)}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
