import type { TokenShown, TokenState } from "#admin-console/tokens/token-words.ts";
import { ActLink, Badge, ButtonLink, ConsoleLayout, Moment, PrimaryButton } from "#pages/views/console-layout.tsx";
import { List, type ListView } from "#pages/views/list-view.tsx";

const STATES: Readonly<Record<TokenState, { readonly tone: "good" | "off"; readonly word: string }>> = {
  active: { tone: "good", word: "Active" },
  expired: { tone: "off", word: "Expired" },
  revoked: { tone: "off", word: "Revoked" },
};

/** The tokens that administrators created, without their secrets, of which only hashes are stored. */
export function TokensPage({ list, tokens }: { readonly list: ListView; readonly tokens: readonly TokenShown[] }) {
  return (
    <ConsoleLayout
      title="Tokens"
      lead="For programs: pipelines that write documents or metadata, directories that provision people, scripts that search as one person or call the Admin API."
    >
      <p class="toolbar">
        <PrimaryButton href="/admin/tokens/new">Create a token</PrimaryButton>
        <ButtonLink href="/admin/service-accounts/content?app=personal-tokens">
          What personal tokens may search
        </ButtonLink>
        <ButtonLink href="/admin/token-test">Test a token</ButtonLink>
      </p>
      <List
        list={list}
        caption="Tokens"
        headings={["Name", "Permissions", "Networks", "Expires", "Last used", "State", "Actions"]}
        rows={tokens.map((token) => [...rowOf(token), token.state === "active" ? actionsOf(token) : ""])}
      />
      <p class="hint">The last use is recorded to the hour.</p>
    </ConsoleLayout>
  );
}

function actionsOf(token: TokenShown) {
  return (
    <span class="links-in-row">
      <ActLink href={`/admin/tokens/${token.id}/rotate`} aria-label={`Give ${token.name} a new secret`}>
        New secret…
      </ActLink>{" "}
      <ActLink href={`/admin/tokens/${token.id}/revoke`} aria-label={`Revoke ${token.name}`}>
        Revoke…
      </ActLink>
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
