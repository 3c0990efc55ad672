import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { decision } from "#admin-console/decision-endpoint.tsx";
import { pages } from "#admin-console/http.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { OAuthError } from "#protocol/errors.ts";
import { KeysPage, rotateKeyQuestion } from "./views/keys-page.tsx";

/** GET /admin/keys */
export const keysPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const keys = await services.signingKeys.list(instance.policy.instanceId);
  return render(c, <KeysPage jwksUri={instance.issuer + ENDPOINTS.jwks} keys={keys} />);
});

/** /admin/keys/rotate: as a routine, or because the old key may be compromised. */
export const rotateKey = decision({
  question: async (c) => rotateKeyQuestion(await c.var.services.grants.reach(c.var.instance.policy)),
  async decide(c) {
    const { form, services } = c.var;
    const reason = form.one("reason");
    if (reason !== "habit" && reason !== "compromised") {
      throw new OAuthError("invalid_request", {
        reason: "rotation_without_reason",
        description: "Go back and choose whether the old key is safe or may be compromised",
      });
    }
    const isCompromised = reason === "compromised";
    await services.administration.signingKeys.rotate(isCompromised);
    return done(c, "/keys", isCompromised ? "replaced" : "rotated");
  },
});
