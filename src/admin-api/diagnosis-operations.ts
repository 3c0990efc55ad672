import { type ClientApiRoute, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import { closed, emailAddress } from "#platform/members.ts";
import * as v from "valibot";
import { contentOfApp } from "#administration/content-of-app.ts";
import { flag, text } from "./members.ts";
import { type AdminOperations, taking } from "./operation.ts";
import { issuerOf } from "./issuer-operations.ts";

const ROUTES = Object.keys(ROUTE_SCOPES) as [ClientApiRoute, ...ClientApiRoute[]];

/** Operations that find out what works, what does not, and why. */
export const DIAGNOSIS_OPERATIONS: AdminOperations = {
  "GET /doctor": {
    run: ({ reads, policy, issuer }) => reads.doctor.examine(policy, issuer),
  },
  "GET /issuers/:issuer/check": {
    refusals: [404],
    run: async (call) => ({ findings: await call.reads.checkIssuer((await issuerOf(call)).configuration) }),
  },
  "POST /token-explanations": taking(
    closed({
      token: text,
      route: v.optional(v.picklist(ROUTES, `a call is one of ${ROUTES.join(", ")}`), ROUTES[0]),
      isExternal: v.optional(flag, false),
      address: v.optional(text),
    }),
    {
      run: async ({ reads, policy, issuer, body, caller }) => {
        const { isExternal: announcedAsExternal, address = caller.address, ...trial } = body;
        const { authTypeHeader, waitUntil } = caller;
        const explained = await reads.tokenExplainer.explain(
          { issuer, policy },
          { ...trial, announcedAsExternal, address, authTypeHeader, waitUntil },
        );
        const { status, code = null, message, steps } = explained;
        return { status, code, message, steps };
      },
    },
  ),
  "POST /access-explanations": taking(
    closed({ email: emailAddress, document: v.pipe(text, v.maxLength(2000)), app: v.optional(text) }),
    {
      refusals: [404],
      run: async ({ reads, instance, policy, body }) => {
        const content = await contentOfApp(reads, policy, body.app);
        const explained = await reads.accessCheck.explain(instance.id, body.email, body.document, content);
        const { rules, ...others } = explained;
        return {
          ...others,
          rules: rules.map(({ principal: { kind, name }, isHeld, groups }) => ({ kind, name, isHeld, groups })),
        };
      },
    },
  ),
};
