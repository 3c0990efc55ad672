import { type ClientApiRoute, ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import { emailAddress } from "#platform/email-address.ts";
import { closed } from "#platform/members.ts";
import * as v from "valibot";
import { flag, integer, text } from "./answers.ts";
import { type AdminOperations, taking } from "./operation.ts";
import { issuerOf } from "./security-operations.ts";

const finding = v.object({
  check: text,
  verdict: v.picklist(["ok", "warning", "failed"]),
  meaning: text,
  remedy: v.optional(text),
});
const findings = v.array(finding);

const ROUTES = Object.keys(ROUTE_SCOPES) as [ClientApiRoute, ...ClientApiRoute[]];

const explanation = v.object({
  status: integer,
  code: v.nullable(text),
  message: text,
  steps: v.array(v.object({ title: text, outcome: v.picklist(["holds", "fails", "open"]), text })),
});

const source = v.object({ by: v.picklist(["directory", "user", "email"]), member: text, path: v.array(text) });

const access = v.object({
  datasource: text,
  externalId: text,
  title: text,
  url: text,
  isAllowed: flag,
  isDeactivated: flag,
  rules: v.array(
    v.object({
      kind: v.picklist(["everyone", "datasource", "person", "group", "intersection"]),
      name: text,
      isHeld: flag,
      groups: v.array(v.object({ name: text, source: v.nullable(source) })),
    }),
  ),
  ruleCount: integer,
});

/** What works, what does not, and why. */
export const DIAGNOSIS_OPERATIONS: AdminOperations = {
  "GET /doctor": {
    summary: "Check whether the instance works",
    description:
      "The Worker calls its own address without the network. DNS, the certificate and proxies can only be checked from outside.",
    answer: v.object({ outside: findings, providers: findings, documents: findings, foundations: findings }),
    run: ({ reads, policy, issuer, askSelf }) => reads.doctor.examine(policy, issuer, askSelf, "worker"),
  },
  "GET /issuers/:issuer/check": {
    summary: "Fetch the keys of an identity provider, as the gate does",
    answer: v.object({ findings }),
    refusals: [404],
    run: async (call) => ({ findings: await call.reads.issuerCheck.check((await issuerOf(call)).configuration) }),
  },
  "POST /token-explanations": taking(
    closed({
      token: text,
      route: v.optional(v.picklist(ROUTES, `a call is one of ${ROUTES.join(", ")}`), ROUTES[0]),
      isExternal: v.optional(flag, false),
      address: v.optional(text),
    }),
    {
      summary: "Explain, check by check, what the Client API would answer to a token",
      description: "Creates no person, doesn’t count as a use of the token, and stores nothing.",
      answer: explanation,
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
  "POST /access-explanations": taking(closed({ email: emailAddress, document: v.pipe(text, v.maxLength(2000)) }), {
    summary: "Explain whether a person can find a document, and why",
    description:
      "For people who have never signed in, this shows what they would find without groups from single sign-on.",
    answer: access,
    refusals: [404],
    run: async ({ reads, instance, body }) => {
      const { rules, ...explained } = await reads.accessCheck.explain(instance.id, body.email, body.document);
      return {
        ...explained,
        rules: rules.map(({ principal: { kind, name }, isHeld, groups }) => ({ kind, name, isHeld, groups })),
      };
    },
  }),
};
