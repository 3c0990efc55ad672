import * as v from "valibot";
import { flag, integer, text } from "#admin-api/members.ts";
import type { DescribedOperations } from "./described.ts";

const finding = v.object({
  check: text,
  verdict: v.picklist(["ok", "warning", "failed"]),
  meaning: text,
  remedy: v.optional(text),
});

const findings = v.array(finding);

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
  isWithheld: flag,
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

/** Descriptions of operations that find out what works, what does not, and why. */
export const DIAGNOSIS_DESCRIPTIONS: DescribedOperations = {
  "GET /doctor": {
    summary: "Check whether the instance works",
    description: "What apps and browsers get can only be checked from outside, which the command `doctor` does too.",
    answer: v.object({ providers: findings, documents: findings, foundations: findings }),
  },
  "GET /issuers/:issuer/check": {
    summary: "Fetch the keys of an identity provider, as the gate does",
    answer: v.object({ findings }),
  },
  "POST /token-explanations": {
    summary: "Explain, check by check, how the Client API would respond to a token",
    description: "Creates no person, doesn’t count as a use of the token, and stores nothing.",
    answer: explanation,
  },
  "POST /access-explanations": {
    summary: "Explain whether a person can find a document, and why",
    description:
      "For people who have never signed in, this shows what they would find without groups from single sign-on. With an app, it also counts what the app may search, but not who may use it.",
    answer: access,
  },
};
