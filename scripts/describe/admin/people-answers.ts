import * as v from "valibot";
import { integer, seconds, text } from "#admin-api/members.ts";
import { role } from "#admin-api/people-operations.ts";
import { type DescribedOperations, listed } from "./described.ts";

const person = v.object({
  id: text,
  email: text,
  name: text,
  role: v.nullable(role),
  lastSignInAt: v.nullable(seconds),
  deactivatedAt: v.nullable(seconds),
});

const WITH_ROLES =
  "For people with a role, the token also needs `admin:security`. A token can’t deactivate or release an owner.";

const OWNERS = "A token can’t make somebody an owner or change an owner’s role.";

/** Descriptions of operations about people: access and roles. */
export const PEOPLE_DESCRIPTIONS: DescribedOperations = {
  "GET /people": listed(person, "List people"),
  "GET /people/:id": { summary: "Read a person", answer: person },
  "POST /people/:id/deactivate": {
    summary: "Deactivate a person: all their access ends within 10 seconds",
    description: WITH_ROLES,
  },
  "POST /deactivations": {
    summary: "Deactivate the person with an email address, now or when they first sign in",
    description: WITH_ROLES,
  },
  "POST /people/:id/reactivate": "Let a person sign in again; sessions and tokens that ended are not restored",
  "POST /people/:id/release": {
    summary: "End all access of a person, and free their email address for somebody new",
    description: WITH_ROLES,
  },
  "POST /roles": {
    summary: "Give the person with an email address a role, now or when they first sign in",
    description: OWNERS,
  },
  "DELETE /roles/:id": { summary: "Remove a person’s role", description: OWNERS },
  "DELETE /sessions": {
    summary: "Sign everybody out of the console and the account page",
    answer: v.object({ ended: integer }),
  },
};
