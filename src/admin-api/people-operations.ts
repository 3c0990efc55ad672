import { closed } from "#platform/members.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import { emailAddress } from "#platform/email-address.ts";
import * as v from "valibot";
import { changed, deciding, flag, integer, lists, outcome, seconds, text } from "./answers.ts";
import { type AdminOperations, type AnyCall, taking } from "./operation.ts";

const person = v.object({
  id: text,
  email: text,
  name: text,
  isAdministrator: flag,
  lastSignInAt: v.nullable(seconds),
  deactivatedAt: v.nullable(seconds),
});

const byEmail = closed({ email: emailAddress });

const ADMINISTRATORS = "For an administrator the token needs `admin:security` too. The last administrator stays.";

/** People and their standing. */
export const PEOPLE_OPERATIONS: AdminOperations = {
  "GET /people": lists(PEOPLE_LIST, person, "List people", ({ reads, instance, query }) =>
    reads.people.list(instance.id, query),
  ),
  "GET /people/:id": { summary: "Read a person", answer: person, refusals: [404], run: personOf },
  "POST /people/:id/deactivate": deciding(personOf, {
    summary: "Deactivate a person: within 10 seconds everything of theirs ends",
    description: ADMINISTRATORS,
    act: "people.deactivate",
    decide: ({ administration, instance, actor }, known) => administration.people.deactivate(instance, known, actor),
  }),
  "POST /deactivations": taking(byEmail, {
    summary: "Deactivate the person with an email address, now or when they first sign in",
    description: ADMINISTRATORS,
    act: "people.deactivateEmail",
    answer: outcome,
    run: ({ administration, instance, actor, body }) =>
      changed(administration.people.deactivateEmail(instance, body.email, actor)),
  }),
  "POST /people/:id/reactivate": deciding(personOf, {
    summary: "Let a person sign in again; what ended stays ended",
    act: "people.reactivate",
    decide: ({ administration, instance, actor }, known) => administration.people.reactivate(instance, known, actor),
  }),
  "POST /people/:id/release": deciding(personOf, {
    summary: "End everything of a person and free their email for somebody new",
    description: ADMINISTRATORS,
    act: "people.release",
    decide: ({ administration, instance, actor }, known) => administration.people.release(instance, known, actor),
  }),
  "POST /administrators": taking(byEmail, {
    summary: "Make a person an administrator, now or when they first sign in",
    act: "people.appointAdministrator",
    answer: outcome,
    run: ({ administration, instance, actor, body }) =>
      changed(administration.people.appointAdministrator(instance, body.email, actor)),
  }),
  "DELETE /administrators/:id": deciding(personOf, {
    summary: "Take the administrator role away, but not the last one",
    act: "people.dismissAdministrator",
    decide: ({ administration, instance, actor }, known) =>
      administration.people.dismissAdministrator(instance, known, actor),
  }),
  "DELETE /sessions": {
    summary: "Sign everybody out of the console and the account page",
    act: "sessions.endAll",
    answer: v.object({ ended: integer }),
    run: async ({ administration, instance, actor }) => ({
      ended: await administration.sessions.endAll(instance, actor),
    }),
  },
};

function personOf({ reads, instance, path }: AnyCall) {
  return reads.people.require(instance.id, path("id"));
}
