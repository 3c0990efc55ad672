import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { refusedForm } from "#admin-console/refused-form.ts";
import type { PersonRecord } from "#administration/instance-administration.ts";
import { doneOf } from "#pages/page-middleware.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError, OAuthError } from "#protocol/errors.ts";
import type { FormState } from "#platform/form-state.ts";
import { PeoplePage, PersonPage } from "./views/people-page.tsx";

const PEOPLE_SHOWN = 200;

const DONE = {
  named: "The person is an administrator. It holds at their next request.",
  deactivated: "The person is deactivated: their tokens end within 10 seconds, and they cannot sign in.",
  reactivated: "The person may sign in again. What has not expired works again.",
  released: "The next sign-in with this email address takes this person’s row over.",
  administrator: "The person is an administrator. It holds at their next request.",
  plain: "The person is no administrator any more. It holds at their next request.",
};

/** GET /admin/people */
export const peoplePage = pages.createHandlers((c) => showPeople(c, { values: {}, errors: {} }, 200));

/** POST /admin/people: names an administrator by email, known here or not yet. */
export const nameAdministrator = forms.createHandlers(async (c) => {
  const { form, instance, services, session } = c.var;
  try {
    const record = await services.instances.require(instance.policy.name);
    const person = await services.instances.ensurePerson(record, form.one("email") ?? "");
    await services.instances.setAdministrator(record, person, true, session.person.id);
  } catch (error) {
    return showPeople(c, refusedForm(form, error, "email"), 422);
  }
  return c.redirect("/admin/people?done=named", 303);
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
      person={person}
      apps={apps.map(({ name }) => name)}
      isSelf={person.id === c.var.session.person.id}
    />,
  );
});

/** POST /admin/people/:id: one decision about a person. */
export const decideAboutPerson = forms.createHandlers(async (c) => {
  const { form, instance, services, session } = c.var;
  const record = await services.instances.require(instance.policy.name);
  const person = await requirePerson(c);
  const actor = session.person.id;
  const decision = form.require("decision");
  if (person.id === actor && (decision === "deactivate" || decision === "plain")) {
    throw new OAuthError("invalid_request", {
      reason: "administrator_locks_themselves_out",
      description: "You cannot take your own access away: ask another administrator",
    });
  }
  const done = await decide(decision);
  services.policySnapshots.expire(instance.policy.name);
  return c.redirect(`/admin/people/${person.id}?done=${done}`, 303);

  async function decide(word: string): Promise<keyof typeof DONE> {
    switch (word) {
      case "deactivate":
      case "reactivate":
        await services.instances.setDeactivated(record, person, word === "deactivate", actor);
        return word === "deactivate" ? "deactivated" : "reactivated";
      case "administrator":
      case "plain":
        await services.instances.setAdministrator(record, person, word === "administrator", actor);
        return word;
      case "release":
        await services.instances.releaseIdentity(record, person, actor);
        return "released";
      default:
        throw new OAuthError("invalid_request", { reason: "decision_unknown" });
    }
  }
});

async function showPeople(c: ConsoleContext, naming: FormState, status: 200 | 422): Promise<Response> {
  const { instance, services } = c.var;
  const [search = ""] = readQuery(c).all("search");
  const people = await services.instances.listPeople(await services.instances.require(instance.policy.name));
  const wanted = search.toLowerCase();
  const found = people.filter(({ email, name }) => `${email} ${name}`.toLowerCase().includes(wanted));
  return c.html(
    <PeoplePage
      frame={c.var.console}
      done={doneOf(c, DONE)}
      search={{ values: { search }, errors: {} }}
      people={found.slice(0, PEOPLE_SHOWN)}
      found={found.length}
      naming={naming}
    />,
    status,
  );
}

async function requirePerson(c: ConsoleContext): Promise<PersonRecord> {
  const { instance, services } = c.var;
  const people = await services.instances.listPeople(await services.instances.require(instance.policy.name));
  const person = people.find(({ id }) => id === c.req.param("id"));
  if (person) return person;
  throw new ApiError("not_found", { reason: "person_unknown", description: "There is no such person here" });
}
