import type { TokenShown, TokenState } from "#admin-console/tokens/token-words.ts";
import { ActLink, Badge, ConsoleLayout, DataTable, Moment } from "#pages/views/console-layout.tsx";
import { filterOptions, ListFoot, ListTools, type ListView } from "#pages/views/list-view.tsx";

export interface TokensPageProps {
  readonly list: ListView;
  readonly tokens: readonly TokenShown[];
}

const STATES: Readonly<Record<TokenState, { readonly tone: "good" | "off"; readonly word: string }>> = {
  active: { tone: "good", word: "Active" },
  expired: { tone: "off", word: "Expired" },
  revoked: { tone: "off", word: "Revoked" },
};

const KINDS: Readonly<Record<TokenShown["kind"], string>> = {
  indexing: "Pipelines",
  "client-api": "Client API",
  admin: "Admin API",
  scim: "SCIM",
};

const FILTERS = [
  {
    name: "state",
    label: "State",
    options: [
      { value: "running", label: "Active" },
      { value: "ended", label: "Ended" },
    ],
  },
  { name: "kind", label: "Kind", options: filterOptions(KINDS) },
];

const SORTS = [
  { value: "-createdAt", label: "Newest" },
  { value: "name", label: "Name" },
  { value: "expiresAt", label: "Expires first" },
  { value: "-lastUsedAt", label: "Last used" },
];

/** The tokens that administrators created, without their secrets, of which only hashes are stored. */
export function TokensPage({ list, tokens }: TokensPageProps) {
  return (
    <ConsoleLayout
      title="Tokens"
      lead="For programs: pipelines that write documents or metadata, directories that provision people, scripts that search as one person or call the Admin API."
    >
      <p class="toolbar">
        <ActLink class="button primary" href="/admin/tokens/new">
          Create a token
        </ActLink>
        <a class="button" href="/admin/token-test">
          Test a token
        </a>
      </p>
      <ListTools list={list} label="Name or person contains" filters={FILTERS} sorts={SORTS} />
      <DataTable
        caption="Tokens"
        headings={["Name", "May", "From", "Expires", "Last used", "State", "Actions"]}
        rows={tokens.map((token) => [...rowOf(token), token.state === "active" ? actionsOf(token) : ""])}
        empty="No matching tokens."
      />
      <ListFoot list={list} one="token" />
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
