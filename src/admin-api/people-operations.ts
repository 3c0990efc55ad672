import { closed } from "#platform/members.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import { emailAddress } from "#platform/email-address.ts";
import { type Role, ROLES } from "#people/role.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";
import { changed, deciding, integer, lists, outcome, seconds, text } from "./answers.ts";
import { type AdminOperations, type AnyCall, taking } from "./operation.ts";

const role = v.picklist(ROLES, `a role is one of ${ROLES.join(", ")}`);

const person = v.object({
  id: text,
  email: text,
  name: text,
  role: v.nullable(role),
  lastSignInAt: v.nullable(seconds),
  deactivatedAt: v.nullable(seconds),
});

const byEmail = closed({ email: emailAddress });

const WITH_ROLES =
  "For people with a role, the token also needs `admin:security`. A token can’t deactivate or release an owner.";
const currentRole = v.exactOptional(v.nullable(role));

const OWNERS = "A token can’t make somebody an owner or change an owner’s role.";

/** People and their standing. */
export const PEOPLE_OPERATIONS: AdminOperations = {
  "GET /people": lists(PEOPLE_LIST, person, "List people", ({ reads, instance, query }) =>
    reads.people.list(instance.id, query),
  ),
  "GET /people/:id": { summary: "Read a person", answer: person, refusals: [404], run: personOf },
  "POST /people/:id/deactivate": deciding(personOf, {
    summary: "Deactivate a person: within 10 seconds everything of theirs ends",
    description: WITH_ROLES,
    act: "people.deactivate",
    decide: ({ administration, instance, actor }, known) => administration.people.deactivate(instance, known, actor),
  }),
  "POST /deactivations": taking(byEmail, {
    summary: "Deactivate the person with an email address, now or when they first sign in",
    description: WITH_ROLES,
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
    description: WITH_ROLES,
    act: "people.release",
    decide: ({ administration, instance, actor }, known) => administration.people.release(instance, known, actor),
  }),
  "POST /roles": taking(closed({ email: emailAddress, role, currentRole }), {
    summary: "Give the person with an email address a role, now or when they first sign in",
    description: OWNERS,
    refusals: [409],
    act: "people.nameRole",
    answer: outcome,
    run: ({ administration, instance, actor, body }) =>
      changed(administration.people.nameRole(instance, body.email, body.role, actor, body.currentRole)),
  }),
  "DELETE /roles/:id": deciding(personOf, {
    summary: "Take a person's role away",
    description: OWNERS,
    act: "people.removeRole",
    refusals: [409],
    parameters: { currentRole: "The role that you read: if the person has another one by now, the answer is 409" },
    decide: ({ administration, instance, actor, parameter }, known) =>
      administration.people.removeRole(instance, known, actor, readRole(parameter("currentRole"))),
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

/** @throws {ApiError} `bad_request` */
function readRole(word: string | undefined): Role | undefined {
  const known = ROLES.find((each) => each === word);
  if (word === undefined || known !== undefined) return known;
  const description = `currentRole is one of ${ROLES.join(", ")}`;
  throw new ApiError("bad_request", { reason: "admin_request_malformed", field: "currentRole", description });
}

function personOf({ reads, instance, path }: AnyCall) {
  return reads.people.require(instance.id, path("id"));
}
