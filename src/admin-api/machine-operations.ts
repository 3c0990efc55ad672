import { found } from "#administration/found.ts";
import { listOf } from "#platform/listing.ts";
import { closed } from "#platform/members.ts";
import { API_SCOPES } from "#protocol/scopes.ts";
import type { MachineProof } from "#service-accounts/service-account.ts";
import * as v from "valibot";
import { changed, deciding, flag, lists, outcome, seconds, text, texts } from "./answers.ts";
import { type AdminOperations, type AnyCall, taking } from "./operation.ts";
import { onlyPublicKeys, publicKeys, requirePublicKeys } from "./public-keys.ts";

const claims = v.record(text, text);

const serviceAccount = v.object({
  id: text,
  name: text,
  groups: texts,
  scopes: texts,
  proof: v.union([
    v.object({ keys: publicKeys }),
    v.object({ workload: v.object({ issuer: text, jwksUri: v.optional(text), claims, isSingleUse: flag }) }),
  ]),
  createdAt: seconds,
  changedAt: seconds,
  lastUsedAt: v.nullable(seconds),
  isDisabled: flag,
});

/** Changes with every token. */
const unversioned = ["lastUsedAt"];

const scopes = v.array(v.picklist(API_SCOPES, `a scope is one of ${API_SCOPES.join(", ")}`));

const proof = v.union([
  closed({ keys: onlyPublicKeys }),
  closed({
    workload: closed({ issuer: text, jwksUri: v.exactOptional(text), claims, isSingleUse: v.optional(flag, false) }),
  }),
]);

/** Machines with access of their own. */
export const MACHINE_OPERATIONS: AdminOperations = {
  "GET /service-accounts": lists(
    { filters: { isDisabled: ["true", "false"] }, sorts: ["name", "createdAt"] },
    serviceAccount,
    "List the service accounts: machines with access of their own",
    async ({ reads, instance, query }) => listOf(await reads.serviceAccounts.list(instance.id), query, ({ id }) => id),
  ),
  "POST /service-accounts": taking(closed({ name: text, groups: texts, scopes, proof }), {
    summary: "Create a service account",
    description: "Its id is its client id. A workload rule is refused if everybody at the issuer satisfies it.",
    act: "serviceAccounts.create",
    creates: true,
    answer: serviceAccount,
    run: ({ administration, instance, actor, body }) =>
      administration.serviceAccounts.create(instance, { ...body, proof: proofOf(body.proof) }, actor),
  }),
  "GET /service-accounts/:id": {
    summary: "Read a service account",
    answer: serviceAccount,
    unversioned,
    refusals: [404],
    run: accountOf,
  },
  "PATCH /service-accounts/:id": taking(
    closed({ groups: v.exactOptional(texts), scopes: v.exactOptional(scopes), proof: v.exactOptional(proof) }),
    {
      summary: "Change a service account’s groups, scopes or proof",
      description: "Members that you leave out don’t change. Changes apply to running tokens within 10 seconds.",
      act: "serviceAccounts.change",
      answer: serviceAccount,
      unversioned,
      refusals: [404, 412],
      run: async (call) => {
        const seen = await accountOf(call);
        await call.requireUnchanged(seen);
        const { administration, instance, actor } = call;
        const { proof: given, ...body } = call.body;
        const changes = { ...body, ...(given === undefined ? {} : { proof: proofOf(given) }) };
        return administration.serviceAccounts.change(instance, seen, changes, actor);
      },
    },
  ),
  "POST /service-accounts/:id/disable": deciding(accountOf, {
    summary: "Disable a service account; its tokens stop working within 10 seconds",
    act: "serviceAccounts.disable",
    decide: ({ administration, instance, actor }, { id }) =>
      administration.serviceAccounts.disable(instance, id, actor),
  }),
  "POST /service-accounts/:id/enable": deciding(accountOf, {
    summary: "Enable a service account again; it can get new tokens",
    act: "serviceAccounts.enable",
    decide: ({ administration, instance, actor }, { id }) => administration.serviceAccounts.enable(instance, id, actor),
  }),
  "DELETE /service-accounts/:id": {
    summary: "Delete a service account; its tokens stop working within 10 seconds",
    act: "serviceAccounts.remove",
    answer: outcome,
    run: ({ administration, instance, path, actor }) =>
      changed(administration.serviceAccounts.remove(instance, path("id"), actor)),
  },
};

function accountOf({ reads, instance, path }: AnyCall) {
  return found(reads.serviceAccounts.find(instance.id, path("id")), "service account");
}

function proofOf(given: v.InferOutput<typeof proof>): MachineProof {
  return "keys" in given ? { keys: requirePublicKeys(given.keys) } : given;
}
