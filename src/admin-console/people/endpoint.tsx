import { consoleForm, type ConsolePaths, readList, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { statusOf } from "#admin-console/form-values.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import type { PersonRecord } from "#people/person.ts";
import { type Role, ROLE_LABELS, ROLE_SCOPES, ROLES } from "#people/role.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { labelOf } from "#single-sign-on/choosing.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { UNTYPED } from "#pages/views/form.tsx";
import type { FormState } from "#platform/described-members.ts";
import { AppsThatLoseAccess, PeoplePage, PersonPage, type PersonShown } from "./views/people-page.tsx";

/** The questions before decisions that take access away. */
const ENDINGS = {
  deactivate: {
    title: (name: string) => `Deactivate “${name}”?`,
    words:
      "Ends their sign-ins, tokens and role within 10 seconds. You can reactivate them, but ended access is not restored.",
  },
  release: {
    title: (name: string) => `Release “${name}”?`,
    words:
      "Ends all of their access, and the next person to sign in with this email address is a new person. You can’t undo this.",
  },
  "smaller-role": {
    title: (name: string) => `Change the role of “${name}”?`,
    button: "Change the role",
    words: "The admin tokens that they created with more scopes than the new role allows are revoked.",
  },
  "no-role": {
    title: (name: string) => `Remove the role of “${name}”?`,
    button: "Remove the role",
    words: "They can’t open this console any more, and the admin tokens that they created are revoked.",
  },
};

const ROLE_HINTS: Readonly<Record<Role, string>> = {
  owner: "Can change everything, including who is an owner.",
  administrator: "Can change everything except who is an owner.",
  "app-manager": "Can see everything and change apps.",
  auditor: "Can see everything and change nothing.",
};

const PERSON = "/people/:id";
const ROLE_CHANGED = { role: "The role has changed. This takes effect at the person’s next request." };

/** The people of the instance, their roles and their standing. */
export const PEOPLE_PATHS: ConsolePaths = {
  // The form gives a role by email, also to somebody who has not signed in yet.
  "/people": consoleForm({
    page: (c) => showPeople(c, UNTYPED),
    act: "people.nameRole",
    button: "Give the role",
    async decide({ c, form, administration, ask }) {
      const [email, role] = [form.one("email") ?? "", form.one("role") ?? ""];
      const { instance, services } = c.var;
      const known = await services.people.findByEmail(instance.policy.instanceId, parseEmailAddress(email) ?? "");
      const ending = known && roleEnding(known.role, role);
      if (known && ending === "smaller-role") return ask(await questionAbout(c, known, ending, role));
      return administration.people.nameRole(email, role);
    },
    again: ({ c }, state) => showPeople(c, state),
    field: "email",
    says: ROLE_CHANGED,
  }),
  [PERSON]: {
    page: async (c) => {
      const { instance, services, session } = c.var;
      const person = await requirePerson(c);
      const apps = await services.grants.appsOf(instance.policy, person.id);
      return render(
        c,
        <PersonPage
          person={shown(person)}
          roles={rolesGivenBy(session.person)}
          apps={apps.map(({ name }) => name)}
          isSelf={person.id === session.person.id}
        />,
      );
    },
  },
  "/people/:id/deactivate": consoleForm({
    act: "people.deactivate",
    button: "Deactivate",
    about: requirePerson,
    question: (c, person) => questionAbout(c, person, "deactivate"),
    decide: ({ administration }, person) => administration.people.deactivate(person),
    leadsTo: PERSON,
    says: { deactivated: "Person deactivated. Their access ends within 10 seconds, and they can’t sign in." },
  }),
  "/people/:id/reactivate": consoleForm({
    act: "people.reactivate",
    button: "Reactivate the person",
    about: requirePerson,
    decide: ({ administration }, person) => administration.people.reactivate(person),
    leadsTo: PERSON,
    says: { reactivated: "The person can sign in again. They must connect their apps again." },
  }),
  "/people/:id/release": consoleForm({
    act: "people.release",
    button: "Release the email address",
    about: requirePerson,
    question: (c, person) => questionAbout(c, person, "release"),
    decide: ({ administration }, person) => administration.people.release(person),
    leadsTo: "/people",
    says: { released: "The email address is free. The next person to sign in with it is a new person." },
  }),
  // If the change takes something away, the response asks first, and says what.
  "/people/:id/role": consoleForm({
    act: "people.nameRole",
    button: "Change the role",
    when: (form) => form.one("role") !== "none",
    about: requirePerson,
    async decide({ c, form, administration, ask }, person) {
      const role = form.require("role");
      const ending = roleEnding(person.role, role);
      if (ending !== undefined && form.one("confirmed") !== "yes")
        return ask(await questionAbout(c, person, ending, role));
      return role === "none"
        ? administration.people.removeRole(person)
        : administration.people.nameRole(person.email, role);
    },
    leadsTo: PERSON,
    says: ROLE_CHANGED,
  }),
};

/** @param role the new role, if a change of role is asked about */
async function questionAbout(
  c: ConsoleContext,
  person: PersonRecord,
  ending: keyof typeof ENDINGS,
  role?: string,
): Promise<Question> {
  const { title, ...others } = ENDINGS[ending];
  const back = `/admin/people/${person.id}`;
  const question = { ...others, title: title(person.name), lead: person.email, back };
  // The form that gives a role by email has another address.
  if (role !== undefined) return { ...question, action: `${back}/role`, fields: { role, confirmed: "yes" } };
  const apps = await c.var.services.grants.appsOf(c.var.instance.policy, person.id);
  return apps.length === 0
    ? question
    : { ...question, more: <AppsThatLoseAccess apps={apps.map(({ name }) => name)} /> };
}

/** Returns which question to ask before a change of role; `undefined` if it takes nothing away. */
function roleEnding(held: Role | null, wanted: string | undefined): keyof typeof ENDINGS | undefined {
  if (wanted === "none") return "no-role";
  const given = ROLES.find((role) => role === wanted);
  if (held === null || given === undefined) return undefined;
  return ROLE_SCOPES[held].every((scope) => ROLE_SCOPES[given].includes(scope)) ? undefined : "smaller-role";
}

async function showPeople(c: ConsoleContext, naming: FormState): Promise<Response> {
  const { instance, services, session } = c.var;
  const { people } = services;
  const { instanceId, singleSignOns } = instance.policy;
  const { items, list } = await readList(c, PEOPLE_LIST, (id, query) => people.list(id, query));
  // With only one, everybody comes from there.
  const ids = singleSignOns.length > 1 ? items.map(({ id }) => id) : [];
  const issuers = ids.length === 0 ? new Map<string, null>() : await people.issuersOf(instanceId, ids);
  const ssoOf = (id: string) => {
    const issuer = issuers.get(id) ?? undefined;
    const sso = singleSignOns.find((one) => one.issuer === issuer);
    return sso ? labelOf(sso) : issuer;
  };
  const rows = items.map((person) => ({ ...shown(person), sso: ssoOf(person.id) }));
  return render(
    c,
    <PeoplePage list={list} people={rows} roles={rolesGivenBy(session.person)} naming={naming} />,
    statusOf(naming),
  );
}

function shown(person: PersonRecord): PersonShown {
  return { ...person, roleLabel: person.role === null ? undefined : ROLE_LABELS[person.role] };
}

function requirePerson(c: ConsoleContext): Promise<PersonRecord> {
  return c.var.services.people.require(c.var.instance.policy.instanceId, c.req.param("id") ?? "");
}

/** Returns the roles that a person can give: only owners can make somebody an owner. */
function rolesGivenBy({ role: own }: { readonly role: Role | null }) {
  const given = ROLES.filter((role) => role !== "owner" || own === "owner");
  return given.map((role) => ({ value: role, label: ROLE_LABELS[role], hint: ROLE_HINTS[role] }));
}
