import { found } from "#administration/found.ts";
import { listOf } from "#platform/listing.ts";
import { closed } from "#platform/members.ts";
import { type StoredTransmitter, transmitterSchema } from "#signals/transmitter.ts";
import * as v from "valibot";
import { text } from "./members.ts";
import { type AdminOperations, type AnyCall, deciding, lists, taking } from "./operation.ts";

export const TRANSMITTER_OPERATIONS: AdminOperations = {
  "GET /transmitters": lists(
    { filters: {}, sorts: ["issuer", "name", "createdAt"] },
    async ({ reads, instance, query }) =>
      listOf((await reads.transmitters.list(instance.id)).map(transmitterShown), query, (each) => each.issuer),
  ),
  "GET /transmitters/:issuer": {
    unversioned: ["verifiedAt"],
    refusals: [404],
    run: async (call) => transmitterShown(await transmitterOf(call)),
  },
  "PUT /transmitters/:issuer": taking(
    closed({
      ...v.omit(transmitterSchema, ["issuer"]).entries,
      authorizationSecret: v.optional(v.nullable(text)),
    }),
    {
      act: "signals.put",
      unversioned: ["verifiedAt"],
      refusals: [412],
      run: async ({ administration, body, path, isConditional, requireUnchanged }) => {
        const { authorizationSecret, ...draft } = body;
        const requireSeen = (before: StoredTransmitter | null) => requireUnchanged(before && transmitterShown(before));
        return transmitterShown(
          await administration.signals.put(
            { ...draft, issuer: path("issuer") },
            authorizationSecret,
            isConditional ? requireSeen : undefined,
          ),
        );
      },
    },
  ),
  "DELETE /transmitters/:issuer": deciding("signals.remove", transmitterOf, ({ administration }, stored) =>
    administration.signals.remove(stored),
  ),
};

function transmitterOf({ reads, instance, path }: AnyCall): Promise<StoredTransmitter> {
  return found(reads.transmitters.find(instance.id, path("issuer")), "transmitter");
}

function transmitterShown({ configuration, authorizationHash, createdAt, changedAt, verifiedAt }: StoredTransmitter) {
  return { ...configuration, hasAuthorizationSecret: authorizationHash !== null, createdAt, changedAt, verifiedAt };
}
