import { APP_MEMBERS } from "#clients/app-members.ts";
import { AUTHENTICATION_METHODS } from "#clients/client.ts";
import { schemasOf } from "#platform/described-members.ts";
import * as v from "valibot";
import { flag, integer, seconds, text, texts } from "#admin-api/members.ts";
import { type DescribedOperations, listed } from "./described.ts";

const app = v.object({
  id: text,
  kind: v.picklist(["static", "dynamic", "document"]),
  app: text,
  ...schemasOf(APP_MEMBERS),
  clientUri: v.nullable(text),
  policyUri: v.nullable(text),
  tosUri: v.nullable(text),
  tokenEndpointAuthMethod: v.picklist(AUTHENTICATION_METHODS),
  isPublic: flag,
  keys: v.nullable(APP_MEMBERS.keys.schema),
  declaredRequirements: texts,
  isPending: flag,
  isApproved: flag,
  isDisabled: flag,
  createdAt: seconds,
  changedAt: seconds,
  lastUsedAt: v.nullable(seconds),
  installs: integer,
  deniedInstalls: integer,
  requests: v.array(v.object({ email: text, purpose: text, askedAt: seconds })),
});

const grant = v.object({
  id: text,
  personId: text,
  personEmail: text,
  clientId: text,
  clientName: text,
  scope: text,
  createdAt: seconds,
  lastTokensAt: seconds,
  expiresAt: seconds,
  assertedBy: v.nullable(text),
});

const appRules = v.object({
  app: text,
  rules: v.array(v.object({ group: text, scopes: texts })),
  content: v.array(v.object({ field: text, values: texts, isExcluded: flag })),
  changedAt: v.nullable(seconds),
});

export const appContent = v.object({ ...appRules.entries, warnings: texts });

/** Descriptions of operations about apps, who may use them, and what people allowed them. */
export const APP_DESCRIPTIONS: DescribedOperations = {
  "GET /apps": listed(app, "List apps of every kind"),
  "POST /apps": {
    summary: "Create an app",
    description: "Only this response contains the app’s secret, if it has one.",
    answer: v.object({ app, secret: v.optional(text) }),
  },
  "GET /apps/:id": { summary: "Read an app", answer: app },
  "PATCH /apps/:id": {
    summary: "Change an enabled app",
    description:
      "Members that you leave out don’t change. If you remove a scope, running tokens lose it within 10 seconds. Requirements apply from the app’s next token.",
    answer: app,
  },
  "DELETE /apps/:id": "Delete an app and its grants",
  "POST /apps/:id/secret": {
    summary: "Replace the secret of an app",
    description: "The old one stops working at once. Only this response contains the new one.",
    answer: v.object({ secret: text }),
  },
  "POST /apps/:id/approve": {
    summary: "Approve a waiting app",
    description:
      "Send the `changedAt` of the app that you read. If the app has changed since then, it is not approved, and the response is 409.",
  },
  "POST /apps/:id/deny": "Deny a waiting app",
  "POST /apps/:id/disable": "Disable an app; its tokens stop working within 10 seconds",
  "POST /apps/:id/enable": "Enable an app again, with its grants",
  "GET /app-rules": listed(
    appRules,
    "List which groups may use which apps, and what these may search; an app that is not in the list is limited by neither",
  ),
  "GET /app-rules/:app": {
    summary: "Read who may use an app, and what it may search; its id is one percent-encoded part of the path",
    description:
      "An identity provider's application is `<issuer>|<client id>`. Without rules, everybody may use it, and the response is 404.",
    answer: appRules,
  },
  "PUT /app-rules/:app": {
    summary: "Set which groups may use an app, and with which scopes",
    description:
      "`*` is everybody. Without rules, everybody may use the app, with the app's scopes. Changes apply to running tokens within 10 seconds.",
    answer: appRules,
  },
  "PUT /app-rules/:app/content": {
    summary: "Set what an app may search, whoever uses it",
    description:
      "Documents that don't meet all conditions don't exist for the app. Without conditions, it may search everything that its person may see. Changes apply to running tokens within 10 seconds.",
    answer: appContent,
  },
  "GET /grants": listed(grant, "List grants: what people allowed, and what identity providers asserted"),
  "DELETE /grants": { summary: "End every app’s access for everybody", answer: v.object({ revoked: integer }) },
  "DELETE /grants/:id": "End one person’s access by one app",
};
