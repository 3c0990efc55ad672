import type { TokenShown, TokenState } from "#admin-console/tokens/token-words.ts";
import { ActLink, Badge, ButtonLink, ConsoleLayout, Moment, PrimaryButton } from "#pages/views/console-layout.tsx";
import { known, knownList, t } from "#pages/views/console-frame.ts";
import { List, type ListView } from "#pages/views/list-view.tsx";

const states = (): Readonly<Record<TokenState, { readonly tone: "good" | "off"; readonly word: string }>> => ({
  active: { tone: "good", word: t`Active` },
  expired: { tone: "off", word: t`Expired` },
  revoked: { tone: "off", word: t`Revoked` },
});

/** The tokens that administrators created, without their secrets, of which only hashes are stored. */
export function TokensPage({ list, tokens }: { readonly list: ListView; readonly tokens: readonly TokenShown[] }) {
  return (
    <ConsoleLayout
      title={t`Tokens`}
      lead={t`For programs: pipelines that write documents or metadata, directories that provision people, scripts that search as one person or call the Admin API.`}
    >
      <p class="toolbar">
        <PrimaryButton href="/admin/tokens/new">{t`Create a token`}</PrimaryButton>
        <ButtonLink href="/admin/service-accounts/content?app=personal-tokens">{t`What personal tokens may search`}</ButtonLink>
        <ButtonLink href="/admin/token-test">{t`Test a token`}</ButtonLink>
      </p>
      <List
        list={list}
        caption={t`Tokens`}
        headings={[t`Name`, t`Permissions`, t`Networks`, t`Expires`, t`Last used`, t`State`, t`Actions`]}
        rows={tokens.map((token) => [...rowOf(token), token.state === "active" ? actionsOf(token) : ""])}
      />
      <p class="hint">{t`The last use is recorded to the hour.`}</p>
    </ConsoleLayout>
  );
}

function actionsOf(token: TokenShown) {
  return (
    <span class="links-in-row">
      <ActLink
        href={`/admin/tokens/${token.id}/rotate`}
        aria-label={t`Give ${token.name} a new secret`}
      >{t`New secret…`}</ActLink>{" "}
      <ActLink href={`/admin/tokens/${token.id}/revoke`} aria-label={t`Revoke ${token.name}`}>{t`Revoke…`}</ActLink>
    </span>
  );
}

function rowOf(token: TokenShown) {
  const { tone, word } = states()[token.state];
  return [
    <>
      <bdi>{token.name}</bdi>
      <span class="quiet">{known(token.kindInWords)}</span>
      {token.personEmail === null ? null : <span class="quiet">{token.personEmail}</span>}
    </>,
    token.abilities.map(knownList).join("; "),
    token.networks.length === 0 ? t`anywhere` : token.networks.join(", "),
    <Moment at={token.expiresAt} />,
    <Moment at={token.lastUsedAt} />,
    <Badge tone={tone}>{word}</Badge>,
  ];
}
