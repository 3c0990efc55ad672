import { Address } from "#pages/views/address.tsx";
import { known, knownList, t } from "#pages/views/console-frame.ts";
import { Badge, ConsoleLayout, DataTable, Moment, Panel, PrimaryButton } from "#pages/views/console-layout.tsx";

/** A service account in the list. */
export interface AccountLine {
  readonly id: string;
  readonly name: string;
  /** How it authenticates, in words. */
  readonly proof: string;
  readonly scopes: string;
  readonly groups: readonly string[];
  readonly lastUsedAt: number | null;
  readonly isDisabled: boolean;
}

export interface ServiceAccountsPageProps {
  readonly tokenEndpoint: string;
  readonly accounts: readonly AccountLine[];
}

/** The service accounts: machines that have their own access. */
export function ServiceAccountsPage({ tokenEndpoint, accounts }: ServiceAccountsPageProps) {
  return (
    <ConsoleLayout
      title={t`Service accounts`}
      lead={t`Agents and jobs that search on their own behalf. Each sees what its groups may see.`}
    >
      <Panel title={t`Accounts`}>
        <div class="toolbar">
          <PrimaryButton href="/admin/service-accounts/new">{t`Create a service account`}</PrimaryButton>
        </div>
        <DataTable
          caption={t`Service accounts`}
          headings={[t`Name`, t`Proof`, t`Scopes`, t`Groups`, t`Last token`, t`State`]}
          rows={accounts.map(({ id, name, proof, scopes, groups, lastUsedAt, isDisabled }) => [
            <a href={`/admin/service-accounts/${id}`}>{name}</a>,
            known(proof),
            knownList(scopes),
            groups.length === 0 ? t`None` : <bdi>{groups.join(", ")}</bdi>,
            <Moment at={lastUsedAt} never={t`Never`} />,
            <Badge tone={isDisabled ? "off" : "good"}>{isDisabled ? t`Disabled` : t`Enabled`}</Badge>,
          ])}
          empty={t`No service accounts.`}
        />
      </Panel>
      <Panel title={t`Connect a machine`}>
        <Address
          id="token-endpoint"
          label={t`Token endpoint`}
          value={tokenEndpoint}
          hint={t`A machine sends its client id and its signed proof here, and gets an access token.`}
        />
      </Panel>
    </ConsoleLayout>
  );
}
