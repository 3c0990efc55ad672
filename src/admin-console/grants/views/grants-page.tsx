import type { ListedGrant } from "#grants/grant-directory.ts";
import { AskingPage } from "#pages/views/asking-page.tsx";
import { type ConsoleFrame, ConsoleLayout, DataTable, Facts, Moment } from "#pages/views/console-layout.tsx";
import { TextField } from "#pages/views/fields.tsx";
import type { FormState } from "#platform/form-state.ts";

interface GrantShown extends ListedGrant {
  /** Its scopes in words. */
  readonly abilities: readonly string[];
}

export interface GrantsPageProps {
  readonly frame: ConsoleFrame;
  readonly done: string | undefined;
  readonly search: FormState;
  readonly grants: readonly GrantShown[];
  /** How many the search finds in all. */
  readonly count: number;
  readonly next: string | undefined;
}

/** Who allowed which app what. */
export function GrantsPage({ frame, done, search, grants, count, next }: GrantsPageProps) {
  const more = new URLSearchParams(
    Object.entries(search.values).flatMap(([name, value]) =>
      typeof value === "string" && value ? [[name, value]] : [],
    ),
  );
  if (next !== undefined) more.set("before", next);
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/grants"
      title="Grants"
      done={done}
      lead="Each row is an app that a person allowed. People can revoke their own grants at /account."
    >
      <form method="get" action="/admin/grants" class="toolbar" role="search">
        <TextField name="person" label="Person’s email starts with" state={search} />
        <TextField name="client" label="App’s id, or start of its name" state={search} />
        <button type="submit">Search</button>
      </form>
      <DataTable
        caption={`${count} running ${count === 1 ? "grant" : "grants"}`}
        headings={["Person", "App", "May", "Allowed", "Last tokens", "Actions"]}
        rows={grants.map((grant) => [
          grant.personEmail,
          <>
            <bdi>{grant.clientName}</bdi>
            <span class="quiet">{grant.clientId}</span>
          </>,
          grant.abilities.join(", "),
          <Moment at={grant.createdAt} />,
          <Moment at={grant.lastTokensAt} />,
          <a
            href={`/admin/grants/${grant.id}/revoke`}
            aria-label={`Revoke ${grant.clientName} of ${grant.personEmail}`}
          >
            Revoke…
          </a>,
        ])}
        empty="No matching grants."
      />
      {next === undefined ? null : (
        <p class="toolbar">
          <a class="button" href={`/admin/grants?${more.toString()}`}>
            More
          </a>
        </p>
      )}
    </ConsoleLayout>
  );
}

/** Asks before a grant ends. */
export function RevokeGrantPage({ frame, grant }: { readonly frame: ConsoleFrame; readonly grant: GrantShown }) {
  return (
    <AskingPage
      frame={frame}
      section="/admin/grants"
      title="Revoke this access?"
      action={`/admin/grants/${grant.id}/revoke`}
      button="Revoke"
      back="/admin/grants"
    >
      <p>
        Within 10 seconds <bdi>{grant.clientName}</bdi> loses this grant of {grant.personEmail} and stops working where
        it was connected with it. It can ask them again.
      </p>
      <Facts
        facts={[
          ["May", grant.abilities.join(", ")],
          ["Allowed", <Moment at={grant.createdAt} />],
          ["Expires", <Moment at={grant.expiresAt} />],
        ]}
      />
    </AskingPage>
  );
}
