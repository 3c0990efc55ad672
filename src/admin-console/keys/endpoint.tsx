import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { OAuthError } from "#protocol/errors.ts";
import { KeysPage, rotateKeyQuestion } from "./views/keys-page.tsx";

/** The keys that sign access tokens. They are rotated as a routine, or because the old key may be compromised. */
export const KEY_PATHS: ConsolePaths = {
  "/keys": {
    page: async (c) => {
      const { instance, services } = c.var;
      const keys = await services.signingKeys.list(instance.policy.instanceId);
      return render(c, <KeysPage jwksUri={instance.issuer + ENDPOINTS.jwks} keys={keys} />);
    },
  },
  "/keys/rotate": consoleForm({
    act: "signingKeys.rotate",
    button: "Rotate the key",
    when: (form) => form.all("reason").includes("compromised"),
    question: async (c) => rotateKeyQuestion(await c.var.services.grants.reach(c.var.instance.policy)),
    async decide({ form, administration }) {
      const reason = form.one("reason");
      if (reason !== "habit" && reason !== "compromised") {
        throw new OAuthError("invalid_request", {
          reason: "rotation_without_reason",
          description: "Go back and choose whether the old key is safe or may be compromised",
        });
      }
      await administration.signingKeys.rotate(reason === "compromised");
      return reason === "compromised" ? "replaced" : "rotated";
    },
    leadsTo: "/keys",
    says: {
      rotated: "A new key signs from now on. Tokens of the old key work until they expire.",
      replaced: "A new key signs from now on. Tokens of the old key have ended.",
    },
  }),
};
