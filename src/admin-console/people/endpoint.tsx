import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { listQueryOf, listView } from "#admin-console/list-query.ts";
import { refusedForm } from "#admin-console/refused-form.ts";
import { doneOf } from "#pages/page-middleware.ts";
import { readQuery } from "#platform/http.ts";
import { actInstance } from "#administration/act-instance.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import type { PersonRecord } from "#people/person.ts";
import { type Role, ROLE_SCOPES, ROLES } from "#people/role.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { OAuthError } from "#protocol/errors.ts";
import { UNTYPED } from "#pages/untyped.ts";
import type { FormState } from "#platform/form-state.ts";
import { ROLE_LABELS, roleLabel, rolesGivenBy } from "./role-options.ts";
import { EndPersonPage } from "./views/end-person-page.tsx";
import { PeoplePage, PersonPage, type PersonShown } from "./views/people-page.tsx";

const DONE = {
  deactivated: "Person deactivated. Their access ends within 10 seconds, and they can’t sign in.",
  reactivated: "The person can sign in again. They must connect their apps again.",
  released: "The email address is free. The next person to sign in with it is a new person.",
  role: "The role has changed. This takes effect at the person’s next request.",
};

/** Decisions that take access away. Each needs a confirmation. */
const ENDINGS = {
  deactivate: {
    button: "Yes, deactivate",
    words:
      "Ends their sign-ins, tokens and role within 10 seconds. You can reactivate them, but ended access is not restored.",
  },
  release: {
    button: "Yes, release",
    words:
      "Ends all of their access, and the next person to sign in with this email address is a new person. You can’t undo this.",
  },
  "smaller-role": {
    button: "Yes, change the role",
    words: "The admin tokens that they created with more scopes than the new role allows are revoked.",
  },
  "no-role": {
    button: "Yes, remove the role",
    words: "They can’t open this console any more, and the admin tokens that they issued end.",
  },
};

/** GET /admin/people */
export const peoplePage = pages.createHandlers((c) => showPeople(c, UNTYPED, 200));

/** POST /admin/people: gives a role by email, to somebody who is known here or not yet. */
export const nameRole = forms.createHandlers(async (c) => {
  const { form, services, session } = c.var;
  const { administration } = services;
  try {
    const [email, role] = [form.one("email") ?? "", form.one("role") ?? ""];
    const known = await services.people.findByEmail(c.var.instance.policy.instanceId, parseEmailAddress(email) ?? "");
    const ending = known && roleEnding(known.role, role);
    if (known && ending === "smaller-role") return askBefore(c, known, ending, { decision: "role", role });
    await administration.people.nameRole(actInstance(c), email, role, session.person.id);
  } catch (error) {
    return showPeople(c, refusedForm(form, error, "email"), 422);
  }
  return c.redirect("/admin/people?done=role", 303);
});

/** GET /admin/people/:id */
export const personPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const person = await requirePerson(c);
  const apps = await services.grants.appsOf(instance.policy, person.id);
  return c.html(
    <PersonPage
      frame={c.var.console}
      done={doneOf(c, DONE)}
      person={shown(person)}
      roles={rolesGivenBy(c.var.session.person)}
      apps={apps.map(({ name }) => name)}
      isSelf={person.id === c.var.session.person.id}
    />,
  );
});

/** POST /admin/people/:id: one decision about a person. */
export const decideAboutPerson = forms.createHandlers(async (c) => {
  const { form, session } = c.var;
  const person = await requirePerson(c);
  const [instance, actor] = [actInstance(c), session.person.id];
  const { administration } = c.var.services;
  const decision = form.require("decision");
  const wanted = form.one("role");
  const ending = decision === "role" ? roleEnding(person.role, wanted) : decision;
  if (ending !== undefined && Object.hasOwn(ENDINGS, ending) && form.one("confirmed") !== "yes") {
    const fields = { decision, ...(wanted === undefined ? {} : { role: wanted }) };
    return askBefore(c, person, ending as keyof typeof ENDINGS, fields);
  }
  const done = await decide(decision);
  return c.redirect(
    done === "released" ? "/admin/people?done=released" : `/admin/people/${person.id}?done=${done}`,
    303,
  );

  async function decide(word: string): Promise<keyof typeof DONE> {
    switch (word) {
      case "deactivate":
        await administration.people.deactivate(instance, person, actor);
        return "deactivated";
      case "reactivate":
        await administration.people.reactivate(instance, person, actor);
        return "reactivated";
      case "role": {
        const role = form.require("role");
        await (role === "none"
          ? administration.people.removeRole(instance, person, actor)
          : administration.people.nameRole(instance, person.email, role, actor));
        return "role";
      }
      case "release":
        await administration.people.release(instance, person, actor);
        return "released";
      default:
        throw new OAuthError("invalid_request", { reason: "decision_unknown" });
    }
  }
});

async function askBefore(
  c: ConsoleContext,
  person: PersonRecord,
  ending: keyof typeof ENDINGS,
  fields: FormState["values"] & { readonly decision: string },
) {
  const { console: frame, instance, services } = c.var;
  const apps = fields.decision === "role" ? [] : await services.grants.appsOf(instance.policy, person.id);
  return c.html(
    <EndPersonPage {...{ frame, person, fields, ...ENDINGS[ending] }} apps={apps.map(({ name }) => name)} />,
  );
}

/** What a person would lose with another role; `undefined` if nothing. */
function roleEnding(held: Role | null, wanted: string | undefined): keyof typeof ENDINGS | undefined {
  if (wanted === "none") return "no-role";
  const given = ROLES.find((role) => role === wanted);
  if (held === null || given === undefined) return undefined;
  return ROLE_SCOPES[held].every((scope) => ROLE_SCOPES[given].includes(scope)) ? undefined : "smaller-role";
}

async function showPeople(c: ConsoleContext, naming: FormState, status: 200 | 422): Promise<Response> {
  const { instance, services } = c.var;
  const query = listQueryOf(PEOPLE_LIST, readQuery(c));
  const { items, ...page } = await services.people.list(instance.policy.instanceId, query);
  return c.html(
    <PeoplePage
      frame={c.var.console}
      done={doneOf(c, DONE)}
      list={listView("/admin/people", query, page)}
      people={items.map(shown)}
      roleLabels={ROLE_LABELS}
      roles={rolesGivenBy(c.var.session.person)}
      naming={naming}
    />,
    status,
  );
}

function shown(person: PersonRecord): PersonShown {
  return { ...person, roleLabel: roleLabel(person.role) };
}

function requirePerson(c: ConsoleContext): Promise<PersonRecord> {
  return c.var.services.people.require(c.var.instance.policy.instanceId, c.req.param("id") ?? "");
}
