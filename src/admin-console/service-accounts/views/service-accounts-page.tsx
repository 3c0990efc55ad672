import { Address } from "#pages/views/address.tsx";
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
      title="Service accounts"
      lead="Agents and jobs that search on their own behalf. Each sees what its groups may see."
    >
      <Panel title="Accounts">
        <div class="toolbar">
          <PrimaryButton href="/admin/service-accounts/new">Create a service account</PrimaryButton>
        </div>
        <DataTable
          caption="Service accounts"
          headings={["Name", "Proof", "Scopes", "Groups", "Last token", "State"]}
          rows={accounts.map(({ id, name, proof, scopes, groups, lastUsedAt, isDisabled }) => [
            <a href={`/admin/service-accounts/${id}`}>{name}</a>,
            proof,
            scopes,
            groups.length === 0 ? "None" : <bdi>{groups.join(", ")}</bdi>,
            <Moment at={lastUsedAt} never="Never" />,
            <Badge tone={isDisabled ? "off" : "good"}>{isDisabled ? "Disabled" : "Enabled"}</Badge>,
          ])}
          empty="No service accounts."
        />
      </Panel>
      <Panel title="Connect a machine">
        <Address
          id="token-endpoint"
          label="Token endpoint"
          value={tokenEndpoint}
          hint="A machine sends its client id and its signed proof here, and gets an access token."
        />
      </Panel>
    </ConsoleLayout>
  );
}
