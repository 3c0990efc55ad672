import { found } from "#administration/found.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { listOf } from "#platform/listing.ts";
import { closed } from "#platform/members.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import { connectionSchema } from "#single-sign-on/connection.ts";
import { ssoOfIssuer } from "#single-sign-on/choosing.ts";
import { callbackUri } from "#single-sign-on/sign-in.ts";
import * as v from "valibot";
import { type AdminOperations, type AnyCall, deciding, lists, taking } from "./operation.ts";

/** Operations about the SSOs where people sign in. `/single-sign-on` is the only one, or the first. */
export const SINGLE_SIGN_ON_OPERATIONS: AdminOperations = {
  "GET /single-sign-on": {
    refusals: [404],
    run: async (call) => found(Promise.resolve(firstOf(await recordOf(call))), "connection"),
  },
  "PUT /single-sign-on": taking(closed(connectionSchema.entries), {
    act: "singleSignOn.connect",
    refusals: [412],
    run: async (call) => {
      const { administration, body, requireUnchanged } = call;
      await administration.singleSignOn.connect(body, (current) => requireUnchanged(firstOf(current)));
      const sso = ssoOfIssuer((await recordOf(call)).singleSignOns, body.issuer);
      return sso ? connectionOf(sso) : null;
    },
  }),
  "GET /single-sign-ons": lists({ filters: {}, sorts: ["issuer"] }, async (call) => {
    const { singleSignOns } = await recordOf(call);
    return listOf(
      singleSignOns.map((sso) => shownOf(call, sso)),
      call.query,
      ({ issuer }) => issuer,
    );
  }),
  "GET /single-sign-ons/:issuer": {
    refusals: [404],
    run: async (call) => shownOf(call, await ssoOf(call)),
  },
  "PUT /single-sign-ons/:issuer": taking(closed(v.omit(connectionSchema, ["issuer"]).entries), {
    act: "singleSignOn.put",
    refusals: [412],
    run: async (call) => {
      const { administration, body, isConditional, path, requireUnchanged } = call;
      const issuer = path("issuer");
      const requireSeen = ({ singleSignOns }: InstanceRecord) => {
        const sso = ssoOfIssuer(singleSignOns, issuer);
        return requireUnchanged(sso ? shownOf(call, sso) : null);
      };
      await administration.singleSignOn.put({ ...body, issuer }, isConditional ? requireSeen : undefined);
      return shownOf(call, await ssoOf(call));
    },
  }),
  "DELETE /single-sign-ons/:issuer": deciding("singleSignOn.remove", ssoOf, ({ administration }, { issuer }) =>
    administration.singleSignOn.remove(issuer),
  ),
};

function recordOf({ reads, instance }: AnyCall): Promise<InstanceRecord> {
  return reads.instances.require(instance.name);
}

async function ssoOf(call: AnyCall): Promise<SingleSignOn> {
  const { singleSignOns } = await recordOf(call);
  return found(Promise.resolve(ssoOfIssuer(singleSignOns, call.path("issuer")) ?? null), "single sign-on");
}

function firstOf({ singleSignOns: [sso] }: InstanceRecord) {
  return sso ? connectionOf(sso) : null;
}

function connectionOf({ sealedClientSecret: _secret, number: _number, ...shown }: SingleSignOn) {
  return shown;
}

function shownOf({ issuer }: AnyCall, sso: SingleSignOn) {
  return { ...connectionOf(sso), redirectUri: callbackUri({ issuer }, sso) };
}
