import type { ListedGrant } from "#grants/grants.ts";
import { later, type Question } from "#pages/views/asking-page.tsx";
import { ActLink, ConsoleLayout, Facts, Moment } from "#pages/views/console-layout.tsx";
import { known, knownList, t } from "#pages/views/console-frame.ts";
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
      title={t`Grants`}
      lead={t`The access of apps for each person, and of service accounts. People can revoke theirs at /account.`}
    >
      <List
        list={list}
        caption={t`Active grants`}
        headings={[t`Person`, t`App`, t`Permissions`, t`Allowed by`, t`Allowed`, t`Last renewed`, t`Actions`]}
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
          knownList(grant.abilities),
          known(grant.decided),
          <Moment at={grant.createdAt} />,
          <Moment at={grant.lastTokensAt} />,
          <ActLink
            href={`/admin/grants/${grant.id}/revoke`}
            aria-label={t`Revoke ${grant.clientName} of ${grant.personEmail}`}
          >{t`Revoke…`}</ActLink>,
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
    words: later(
      () =>
        t`Within 10 seconds ${<bdi>{grant.clientName}</bdi>} loses this grant of ${grant.personEmail} and stops working where it was connected with it. ${known(grant.again)}`,
    ),
    more: <GrantFacts grant={grant} />,
  };
}

function GrantFacts({ grant }: { readonly grant: GrantShown }) {
  return (
    <Facts
      facts={[
        [t`Permissions`, knownList(grant.abilities)],
        [t`Allowed by`, known(grant.decided)],
        [t`Allowed`, <Moment at={grant.createdAt} />],
        [t`Expires`, <Moment at={grant.expiresAt} />],
      ]}
    />
  );
}
