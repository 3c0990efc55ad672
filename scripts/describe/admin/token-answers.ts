import { SERVICE_TOKEN_KINDS } from "#service-tokens/service-token.ts";
import * as v from "valibot";
import { seconds, text, texts } from "#admin-api/members.ts";
import { type DescribedOperations, listed } from "./described.ts";

const token = v.object({
  id: text,
  kind: v.picklist(SERVICE_TOKEN_KINDS),
  name: text,
  scopes: texts,
  personId: v.nullable(text),
  personEmail: v.nullable(text),
  networks: texts,
  createdAt: seconds,
  createdBy: text,
  changedAt: seconds,
  expiresAt: v.nullable(seconds),
  revokedAt: v.nullable(seconds),
  lastUsedAt: v.nullable(seconds),
});

export const TOKEN_DESCRIPTIONS: DescribedOperations = {
  "GET /tokens": listed(token, "List service-issued tokens, without their secrets"),
  "POST /tokens": { summary: "Issue a token", answer: v.object({ token, secret: text }) },
  "GET /tokens/:id": { summary: "Read a token", answer: token },
  "POST /tokens/:id/rotate": {
    summary: "Give a token a new secret",
    description: "The old one works for ten more minutes, or with `endOthersNow` stops at once.",
    answer: v.object({ secret: text }),
  },
  "POST /tokens/:id/revoke": "Revoke a token; it and all admin tokens that it issued stop working within 10 seconds",
};
