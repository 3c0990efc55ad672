import { contentAfter, contentBody, shownRules } from "./app-operations.ts";
import { onlyPublicKeys, requirePublicKeys } from "./public-keys.ts";
import { found } from "#administration/found.ts";
import { listOf } from "#platform/listing.ts";
import { schemasOf } from "#platform/described-members.ts";
import { closed } from "#platform/members.ts";
import type { MachineProof } from "#service-accounts/service-account.ts";
import { ACCOUNT_MEMBERS, WORKLOAD_MEMBERS } from "#service-accounts/service-account-members.ts";
import * as v from "valibot";
import { exactOptionals } from "./members.ts";
import { type AdminOperations, type AnyCall, changed, deciding, lists, taking } from "./operation.ts";

/** Changes with every token, so it is not part of the `ETag`. */
const unversioned = ["lastUsedAt"];

const { name, ...changeable } = schemasOf(ACCOUNT_MEMBERS);

const proof = v.union([
  closed({ keys: onlyPublicKeys }),
  closed({ workload: closed(schemasOf(WORKLOAD_MEMBERS)) }),
  closed({ client: v.string() }),
]);

export const MACHINE_OPERATIONS: AdminOperations = {
  "GET /service-accounts": lists(
    { filters: { isDisabled: ["true", "false"] }, sorts: ["name", "createdAt"] },
    async ({ reads, instance, query }) => listOf(await reads.serviceAccounts.list(instance.id), query, ({ id }) => id),
  ),
  "POST /service-accounts": taking(closed({ name, ...changeable, proof }), {
    act: "serviceAccounts.create",
    creates: true,
    run: ({ administration, body }) => administration.serviceAccounts.create({ ...body, proof: proofOf(body.proof) }),
  }),
  "GET /service-accounts/:id": {
    unversioned,
    refusals: [404],
    run: accountOf,
  },
  "PATCH /service-accounts/:id": taking(closed(exactOptionals({ ...changeable, proof })), {
    act: "serviceAccounts.change",
    unversioned,
    refusals: [404, 412],
    run: async (call) => {
      const seen = await accountOf(call);
      await call.requireUnchanged(seen);
      const { administration } = call;
      const { proof: given, ...body } = call.body;
      const changes = { ...body, ...(given === undefined ? {} : { proof: proofOf(given) }) };
      return administration.serviceAccounts.change(seen, changes);
    },
  }),
  "POST /service-accounts/:id/disable": deciding("serviceAccounts.disable", accountOf, ({ administration }, { id }) =>
    administration.serviceAccounts.disable(id),
  ),
  "POST /service-accounts/:id/enable": deciding("serviceAccounts.enable", accountOf, ({ administration }, { id }) =>
    administration.serviceAccounts.enable(id),
  ),
  "PUT /service-accounts/:id/content": taking(contentBody, {
    act: "appRules.limitMachine",
    refusals: [412],
    run: async (call) => {
      const { administration, body, path, requireUnchanged } = call;
      await administration.appRules.limitMachine(path("id"), body.content, (seen) =>
        requireUnchanged(seen && shownRules(seen)),
      );
      return contentAfter(call, path("id"));
    },
  }),
  "DELETE /service-accounts/:id": {
    act: "serviceAccounts.remove",
    run: ({ administration, path }) => changed(administration.serviceAccounts.remove(path("id"))),
  },
};

function accountOf({ reads, instance, path }: AnyCall) {
  return found(reads.serviceAccounts.find(instance.id, path("id")), "service account");
}

function proofOf(given: v.InferOutput<typeof proof>): MachineProof {
  return "keys" in given ? { keys: requirePublicKeys(given.keys) } : given;
}
