import { known, t, useFrame } from "#pages/views/console-frame.ts";
import type { PersonRecord } from "#people/person.ts";
import { Badge, ConsoleLayout, DangerButton, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Choices, type Option, TextField } from "#pages/views/fields.tsx";
import { Form, said, SubmitRow } from "#pages/views/form.tsx";
import { List, type ListView } from "#pages/views/list-view.tsx";
import type { FormState } from "#platform/described-members.ts";

export interface PersonShown extends PersonRecord {
  readonly roleLabel: string | undefined;
}

export interface PeoplePageProps {
  readonly list: ListView;
  /** Each with where they sign in, if there are several single sign-ons. */
  readonly people: readonly (PersonShown & { readonly sso: string | undefined })[];
  readonly naming: FormState;
  /** The roles that the signed-in person can give. */
  readonly roles: readonly Option[];
}

/** Everybody who has signed in or was added. */
export function PeoplePage({ list, people, naming, roles }: PeoplePageProps) {
  return (
    <ConsoleLayout
      title={t`People`}
      lead={t`People who have signed in or were added here. Deactivate people when they leave, unless your directory (SCIM) does it.`}
    >
      <List
        list={list}
        caption={t`People`}
        headings={[t`Person`, t`Role and state`, t`Last sign-in`]}
        rows={people.map((person) => [
          <>
            <a href={`/admin/people/${person.id}`}>{person.name}</a>
            <span class="quiet">{person.email}</span>
          </>,
          <Standing person={person} />,
          <>
            <Moment at={person.lastSignInAt} />
            {person.sso === undefined ? null : <span class="quiet">{person.sso}</span>}
          </>,
        ])}
      />
      <Panel
        title={t`Give a role`}
        lead={t`New people get it when they first sign in with this email, verified by your single sign-on.`}
      >
        <Form action="/admin/people" state={naming}>
          <TextField name="email" label={t`Email`} type="email" required state={naming} />
          <Choices name="role" label={t`Role`} type="radio" options={roles.map(said)} state={naming} />
          <SubmitRow button={t`Give the role`} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}

export interface PersonPageProps {
  readonly person: PersonShown;
  readonly apps: readonly string[];
  readonly isSelf: boolean;
  /** The roles that the signed-in person can give. */
  readonly roles: readonly Option[];
}

/** One person, with the possible decisions about them. */
export function PersonPage({ person, apps, isSelf, roles }: PersonPageProps) {
  const path = `/admin/people/${person.id}`;
  return (
    <ConsoleLayout title={person.name}>
      <Panel title={t`Profile`}>
        <Facts
          facts={[
            [t`Email`, person.email],
            [t`Role and state`, <Standing person={person} />],
            [t`Last sign-in`, <Moment at={person.lastSignInAt} />],
            [t`Documents`, <a href={`${path}/access`}>{t`Check what they can see`}</a>],
            [
              t`Connected apps`,
              apps.length === 0 ? t`none` : <a href={`/admin/grants?person=${person.id}`}>{apps.length}</a>,
            ],
          ]}
        />
      </Panel>
      {isSelf ? (
        <p class="hint">{t`This is you. Only another owner or administrator can change your role or access.`}</p>
      ) : (
        <Panel title={t`Access`}>
          {person.deactivatedAt === null ? (
            <Ending
              href={`${path}/deactivate`}
              label={t`Deactivate…`}
              words={t`Ends their sign-ins, tokens and role within 10 seconds. You can reactivate them later; they then connect their apps again.`}
            />
          ) : (
            <Form action={`${path}/reactivate`}>
              <p class="hint">{t`Lets the person sign in again. Ended access is not restored.`}</p>
              <SubmitRow button={t`Reactivate`} look={null} />
            </Form>
          )}
          <Ending
            href={`${path}/release`}
            label={t`Release the email address…`}
            words={t`For a move to another single sign-on. All of their access ends, and the next person to sign in with this email address is a new person.`}
          />
        </Panel>
      )}
      {isSelf ||
      person.deactivatedAt !== null ||
      (person.role === "owner" && useFrame().person.role !== "owner") ? null : (
        <Panel
          title={t`Role`}
          lead={t`A change takes effect at their next request. Admin tokens they created with more scopes than the new role allows are revoked.`}
        >
          <Form action={`${path}/role`}>
            <Choices
              name="role"
              label={t`What they may do in this console`}
              type="radio"
              options={[
                ...roles.map(said),
                { value: "none", label: t`No role`, hint: t`They can’t open this console.` },
              ]}
              state={{ values: { role: person.role ?? t`none` }, errors: {} }}
            />
            <SubmitRow button={t`Change the role`} />
          </Form>
        </Panel>
      )}
    </ConsoleLayout>
  );
}

/** A decision that ends a person's access: what it does, and a link to the page that asks for confirmation. */
function Ending(props: { readonly href: string; readonly label: string; readonly words: string }) {
  return (
    <>
      <p class="hint">{props.words}</p>
      <p class="toolbar">
        <DangerButton href={props.href}>{props.label}</DangerButton>
      </p>
    </>
  );
}

function Standing({ person }: { readonly person: PersonShown }) {
  if (person.deactivatedAt !== null) return <Badge tone="off">{t`Deactivated`}</Badge>;
  return person.roleLabel === undefined ? t`Person` : <Badge tone="good">{known(person.roleLabel)}</Badge>;
}

/** Names the apps that lose access with a person. */
export function AppsThatLoseAccess({ apps }: { readonly apps: readonly string[] }) {
  return <p>{t`Apps that lose access: ${<bdi>{apps.join(", ")}</bdi>}`}</p>;
}
