import type { ListedGrant } from "#grants/grant-directory.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { ActLink, ConsoleLayout, Facts, Moment } from "#pages/views/console-layout.tsx";
import { List, type ListView } from "#pages/views/list-view.tsx";

interface GrantShown extends ListedGrant {
  /** Its scopes in words. */
  readonly abilities: string;
  /** Who decided it, and how the app gets access again. */
  readonly decided: string;
  readonly again: string;
}

/** Which app has access for which person or service account, and who decided it. */
export function GrantsPage({ list, grants }: { readonly list: ListView; readonly grants: readonly GrantShown[] }) {
  return (
    <ConsoleLayout
      title="Grants"
      lead="The access of apps for each person, and of service accounts. People can revoke theirs at /account."
    >
      <List
        list={list}
        caption="Active grants"
        headings={["Person", "App", "Permissions", "Allowed by", "Allowed", "Last renewed", "Actions"]}
        rows={grants.map((grant) => [
          grant.personId === grant.clientId ? (
            grant.personEmail
          ) : (
            <a href={`/admin/people/${grant.personId}`}>{grant.personEmail}</a>
          ),
          grant.personId === grant.clientId ? (
            <bdi>{grant.clientName}</bdi>
          ) : (
            <a href={`/admin/clients?${new URLSearchParams({ search: grant.clientId }).toString()}`}>
              <bdi>{grant.clientName}</bdi>
            </a>
          ),
          grant.abilities,
          grant.decided,
          <Moment at={grant.createdAt} />,
          <Moment at={grant.lastTokensAt} />,
          <ActLink
            href={`/admin/grants/${grant.id}/revoke`}
            aria-label={`Revoke ${grant.clientName} of ${grant.personEmail}`}
          >
            Revoke…
          </ActLink>,
        ])}
      />
    </ConsoleLayout>
  );
}

/** Asks before a grant is revoked. */
export function revokeGrantQuestion(grant: GrantShown): Question {
  return {
    title: "Revoke this access?",
    back: "/admin/grants",
    words: (
      <>
        Within 10 seconds <bdi>{grant.clientName}</bdi> loses this grant of {grant.personEmail} and stops working where
        it was connected with it. {grant.again}
      </>
    ),
    more: (
      <Facts
        facts={[
          ["Permissions", grant.abilities],
          ["Allowed by", grant.decided],
          ["Allowed", <Moment at={grant.createdAt} />],
          ["Expires", <Moment at={grant.expiresAt} />],
        ]}
      />
    ),
  };
}
