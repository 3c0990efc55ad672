import { closed, emailAddress } from "#platform/members.ts";
import { PEOPLE_LIST } from "#people/people-list.ts";
import { type Role, ROLES } from "#people/role.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";
import { type AdminOperations, type AnyCall, changed, deciding, lists, taking } from "./operation.ts";

export const role = v.picklist(ROLES, `a role is one of ${ROLES.join(", ")}`);

const byEmail = closed({ email: emailAddress });

const currentRole = v.exactOptional(v.nullable(role));

/** Operations about people: access and roles. */
export const PEOPLE_OPERATIONS: AdminOperations = {
  "GET /people": lists(PEOPLE_LIST, ({ reads, instance, query }) => reads.people.list(instance.id, query)),
  "GET /people/:id": { refusals: [404], run: personOf },
  "POST /people/:id/deactivate": deciding("people.deactivate", personOf, ({ administration }, known) =>
    administration.people.deactivate(known),
  ),
  "POST /deactivations": taking(byEmail, {
    act: "people.deactivateEmail",
    run: ({ administration, body }) => changed(administration.people.deactivateEmail(body.email)),
  }),
  "POST /people/:id/reactivate": deciding("people.reactivate", personOf, ({ administration }, known) =>
    administration.people.reactivate(known),
  ),
  "POST /people/:id/release": deciding("people.release", personOf, ({ administration }, known) =>
    administration.people.release(known),
  ),
  "POST /roles": taking(closed({ email: emailAddress, role, currentRole }), {
    refusals: [409],
    act: "people.nameRole",
    run: ({ administration, body }) => changed(administration.people.nameRole(body.email, body.role, body.currentRole)),
  }),
  "DELETE /roles/:id": {
    ...deciding("people.removeRole", personOf, ({ administration, parameter }, known) =>
      administration.people.removeRole(known, readRole(parameter("currentRole"))),
    ),
    refusals: [404, 409],
    parameters: { currentRole: "The role that you read; if the person has another role by then, the response is 409" },
  },
  "DELETE /sessions": {
    act: "sessions.endAll",
    run: async ({ administration }) => ({
      ended: await administration.sessions.endAll(),
    }),
  },
};

/** Parses a role. @throws {ApiError} `bad_request` */
function readRole(word: string | undefined): Role | undefined {
  const known = ROLES.find((each) => each === word);
  if (word === undefined || known !== undefined) return known;
  const description = `currentRole is one of ${ROLES.join(", ")}`;
  throw new ApiError("bad_request", { reason: "admin_request_malformed", field: "currentRole", description });
}

function personOf({ reads, instance, path }: AnyCall) {
  return reads.people.require(instance.id, path("id"));
}
