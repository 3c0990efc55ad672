import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { ask, decision } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { readList } from "#admin-console/list-endpoint.ts";
import { refusedForm } from "#admin-console/refused-form.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import type { PersonRecord } from "#people/person.ts";
import { type Role, ROLE_LABELS, ROLE_SCOPES, ROLES } from "#people/role.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { UNTYPED } from "#pages/untyped.ts";
import type { FormState } from "#platform/form-state.ts";
import { rolesGivenBy } from "./role-options.ts";
import { AppsThatLoseAccess, PeoplePage, PersonPage, type PersonShown } from "./views/people-page.tsx";

/** The questions before decisions that take access away. */
const ENDINGS = {
  deactivate: {
    title: "Deactivate",
    words:
      "Ends their sign-ins, tokens and role within 10 seconds. You can reactivate them, but ended access is not restored.",
  },
  release: {
    title: "Release",
    words:
      "Ends all of their access, and the next person to sign in with this email address is a new person. You can’t undo this.",
  },
  "smaller-role": {
    title: "Change the role of",
    button: "Change the role",
    words: "The admin tokens that they created with more scopes than the new role allows are revoked.",
  },
  "no-role": {
    title: "Remove the role of",
    button: "Remove the role",
    words: "They can’t open this console any more, and the admin tokens that they created are revoked.",
  },
};

/** GET /admin/people */
export const peoplePage = pages.createHandlers((c) => showPeople(c, UNTYPED, 200));

/** POST /admin/people: gives a role by email, also to somebody who has not signed in yet. */
export const nameRole = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const { administration } = services;
  try {
    const [email, role] = [form.one("email") ?? "", form.one("role") ?? ""];
    const known = await services.people.findByEmail(c.var.instance.policy.instanceId, parseEmailAddress(email) ?? "");
    const ending = known && roleEnding(known.role, role);
    if (known && ending === "smaller-role") return await ask(c, await questionAbout(c, known, ending, role));
    await administration.people.nameRole(email, role);
  } catch (error) {
    return showPeople(c, refusedForm(form, error, "email"), 422);
  }
  return done(c, "/people", "role");
});

/** GET /admin/people/:id */
export const personPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const person = await requirePerson(c);
  const apps = await services.grants.appsOf(instance.policy, person.id);
  return render(
    c,
    <PersonPage
      person={shown(person)}
      roles={rolesGivenBy(c.var.session.person)}
      apps={apps.map(({ name }) => name)}
      isSelf={person.id === c.var.session.person.id}
    />,
  );
});

/** /admin/people/:id/deactivate */
export const deactivatePerson = decision({
  about: requirePerson,
  question: (c, person) => questionAbout(c, person, "deactivate"),
  async decide(c, person) {
    await c.var.services.administration.people.deactivate(person);
    return done(c, "/people/:id", "deactivated", `/admin/people/${person.id}`);
  },
});

/** POST /admin/people/:id/reactivate */
export const reactivatePerson = forms.createHandlers(async (c) => {
  const person = await requirePerson(c);
  await c.var.services.administration.people.reactivate(person);
  return done(c, "/people/:id", "reactivated", `/admin/people/${person.id}`);
});

/** /admin/people/:id/release */
export const releasePerson = decision({
  about: requirePerson,
  question: (c, person) => questionAbout(c, person, "release"),
  async decide(c, person) {
    await c.var.services.administration.people.release(person);
    return done(c, "/people", "released");
  },
});

/** POST /admin/people/:id/role. If the change takes something away, the response asks first, and says what. */
export const changeRole = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const { administration } = services;
  const person = await requirePerson(c);
  const role = form.require("role");
  const ending = roleEnding(person.role, role);
  if (ending !== undefined && form.one("confirmed") !== "yes")
    return ask(c, await questionAbout(c, person, ending, role));
  await (role === "none"
    ? administration.people.removeRole(person)
    : administration.people.nameRole(person.email, role));
  return done(c, "/people/:id", "role", `/admin/people/${person.id}`);
});

/** @param role the new role, if a change of role is asked about */
async function questionAbout(
  c: ConsoleContext,
  person: PersonRecord,
  ending: keyof typeof ENDINGS,
  role?: string,
): Promise<Question> {
  const { title, ...others } = ENDINGS[ending];
  const back = `/admin/people/${person.id}`;
  const question = { ...others, title: `${title} ${person.name}?`, lead: person.email, back };
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

async function showPeople(c: ConsoleContext, naming: FormState, status: 200 | 422): Promise<Response> {
  const { people } = c.var.services;
  const { items, list } = await readList(c, PEOPLE_LIST, (id, query) => people.list(id, query));
  return render(
    c,
    <PeoplePage list={list} people={items.map(shown)} roles={rolesGivenBy(c.var.session.person)} naming={naming} />,
    status,
  );
}

function shown(person: PersonRecord): PersonShown {
  return { ...person, roleLabel: person.role === null ? undefined : ROLE_LABELS[person.role] };
}

function requirePerson(c: ConsoleContext): Promise<PersonRecord> {
  return c.var.services.people.require(c.var.instance.policy.instanceId, c.req.param("id") ?? "");
}
