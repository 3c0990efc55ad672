import { transmitterSchema } from "#signals/transmitter.ts";
import * as v from "valibot";
import { flag, seconds } from "#admin-api/members.ts";
import { type DescribedOperations, listed } from "./described.ts";

const transmitter = v.object({
  ...transmitterSchema.entries,
  hasAuthorizationSecret: flag,
  createdAt: seconds,
  changedAt: seconds,
  verifiedAt: v.nullable(seconds),
});

export const TRANSMITTER_DESCRIPTIONS: DescribedOperations = {
  "GET /transmitters": listed(transmitter, "List transmitters: systems that send sign-out signals"),
  "GET /transmitters/:issuer": {
    summary: "Read a transmitter; its issuer is one percent-encoded part of the path",
    answer: transmitter,
  },
  "PUT /transmitters/:issuer": {
    summary: "Create or change a transmitter",
    description:
      "Without `authorizationSecret`, the stored value is kept. With `null`, no Authorization header is required.",
    answer: transmitter,
  },
  "DELETE /transmitters/:issuer": "Remove a transmitter; its events are refused at once",
};
