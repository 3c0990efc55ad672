import type { TokenShown, TokenState } from "#admin-console/tokens/token-words.ts";
import { Badge, ConsoleLayout, type ConsoleFrame, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";

export interface TokensPageProps {
  readonly frame: ConsoleFrame;
  readonly done: string | undefined;
  readonly running: readonly TokenShown[];
  readonly ended: readonly TokenShown[];
}

const STATES: Readonly<Record<TokenState, { readonly tone: "good" | "warn" | "off"; readonly word: string }>> = {
  active: { tone: "good", word: "Active" },
  idle: { tone: "warn", word: "Person deactivated" },
  expired: { tone: "off", word: "Expired" },
  revoked: { tone: "off", word: "Revoked" },
};

/** The tokens that administrators issued, without their secrets: storage holds hashes of those alone. */
export function TokensPage({ frame, done, running, ended }: TokensPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/tokens"
      title="Tokens"
      done={done}
      lead="For programs that work without a person’s sign-in: pipelines that write documents or custom metadata, and scripts that search as one person."
    >
      <p class="toolbar">
        <a class="button primary" href="/admin/tokens/new">
          Make a token
        </a>
      </p>
      <DataTable
        caption="Tokens"
        headings={["Name", "May", "From", "Expires", "Last used", "State", "Actions"]}
        rows={running.map((token) => [
          ...rowOf(token),
          <span class="links-in-row">
            <a href={`/admin/tokens/${token.id}/rotate`} aria-label={`Give ${token.name} a new secret`}>
              New secret…
            </a>{" "}
            <a href={`/admin/tokens/${token.id}/revoke`} aria-label={`Revoke ${token.name}`}>
              Revoke…
            </a>
          </span>,
        ])}
        empty="There are none."
      />
      {ended.length === 0 ? null : (
        <Panel title="Ended">
          <DataTable
            caption="Ended tokens"
            headings={["Name", "May", "From", "Expires", "Last used", "State"]}
            rows={ended.map(rowOf)}
            empty=""
          />
        </Panel>
      )}
      <p class="hint">The last use is known to the hour.</p>
    </ConsoleLayout>
  );
}

function rowOf(token: TokenShown) {
  const { tone, word } = STATES[token.state];
  return [
    <>
      <bdi>{token.name}</bdi>
      <span class="quiet">{token.kindInWords}</span>
      {token.personEmail === null ? null : <span class="quiet">{token.personEmail}</span>}
    </>,
    token.abilities.join("; "),
    token.networks.length === 0 ? "anywhere" : token.networks.join(", "),
    <Moment at={token.expiresAt} />,
    <Moment at={token.lastUsedAt} />,
    <Badge tone={tone}>{word}</Badge>,
  ];
}
