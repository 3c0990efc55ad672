import type { TokenShown, TokenState } from "#admin-console/tokens/token-words.ts";
import { ActLink, Badge, ConsoleLayout, type ConsoleFrame, DataTable, Moment } from "#pages/views/console-layout.tsx";
import { TextField } from "#pages/views/fields.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface TokensPageProps {
  readonly frame: ConsoleFrame;
  readonly done: string | undefined;
  readonly search: FormState;
  /** Whether those are shown that work, or the others. */
  readonly state: "running" | "ended";
  readonly tokens: readonly TokenShown[];
  /** How many match in all. */
  readonly found: number;
  /** Where the page goes on. */
  readonly next: string | undefined;
}

const STATES: Readonly<Record<TokenState, { readonly tone: "good" | "off"; readonly word: string }>> = {
  active: { tone: "good", word: "Active" },
  expired: { tone: "off", word: "Expired" },
  revoked: { tone: "off", word: "Revoked" },
};

/** The tokens that administrators issued, without their secrets: storage holds hashes of those alone. */
export function TokensPage({ frame, done, search, state, tokens, found, next }: TokensPageProps) {
  const isRunning = state === "running";
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/tokens"
      title="Tokens"
      done={done}
      lead="For programs that work without sign-in: pipelines that write documents or custom metadata, and scripts that search as one person."
    >
      <p class="toolbar">
        <ActLink frame={frame} class="button primary" href="/admin/tokens/new">
          Create a token
        </ActLink>
      </p>
      <form method="get" action="/admin/tokens" class="toolbar" role="search">
        <input type="hidden" name="state" value={state} />
        <TextField name="search" label="Name or person contains" type="search" state={search} />
        <button type="submit">Search</button>
      </form>
      <DataTable
        caption={isRunning ? "Tokens" : "Ended tokens"}
        headings={["Name", "May", "From", "Expires", "Last used", "State", ...(isRunning ? ["Actions"] : [])]}
        rows={tokens.map((token) => [...rowOf(token), ...(isRunning ? [actionsOf(token)] : [])])}
        empty="There are none."
      />
      <p class="hint">
        {found === 1 ? "1 token" : `${found} tokens`}
        {next === undefined ? null : (
          <>
            {" · "}
            <a href={next}>Next</a>
          </>
        )}
        {" · "}
        {isRunning ? <a href="/admin/tokens?state=ended">Ended tokens</a> : <a href="/admin/tokens">Active tokens</a>}
      </p>
      <p class="hint">The last use is recorded to the hour.</p>
    </ConsoleLayout>
  );
}

function actionsOf(token: TokenShown) {
  return (
    <span class="links-in-row">
      <a href={`/admin/tokens/${token.id}/rotate`} aria-label={`Give ${token.name} a new secret`}>
        New secret…
      </a>{" "}
      <a href={`/admin/tokens/${token.id}/revoke`} aria-label={`Revoke ${token.name}`}>
        Revoke…
      </a>
    </span>
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
