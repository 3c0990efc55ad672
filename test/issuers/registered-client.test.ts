import { requireRegisteredClient } from "#issuers/registered-client.ts";
import { describe, expect, it } from "vitest";

const TENANT = "0f1c2d3e-0000-4000-8000-000000000001";
const APP = "0f1c2d3e-0000-4000-8000-0000000000a1";

/** An application that is its own API, registered by hand: its access tokens have its client id as audience. */
const ENTRA = {
  issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
  clientIds: [APP],
  clientIdClaim: undefined,
};

describe("the application that a token was issued to", () => {
  it.each([{ azp: APP }, { appid: APP }])("is the one that an access token of Entra names: %j", (claims) => {
    expect(requireRegisteredClient({ aud: APP, ...claims }, ENTRA)).toBe(APP);
  });

  it("is not the audience of Entra's ID tokens, which would then be accepted as access tokens", () => {
    for (const issuer of [ENTRA.issuer, `https://sts.windows.net/${TENANT}/`]) {
      const idToken = {
        iss: issuer,
        aud: APP,
        nonce: "n",
        oid: "o",
        email: "ada@acme.example",
        client_id: APP,
        cid: APP,
      };
      expect(() => requireRegisteredClient(idToken, { ...ENTRA, issuer })).toThrow("external_client_not_registered");
    }
  });

  it("may be the audience for another issuer, if nothing else names it", () => {
    const issuer = "https://idp.example";
    expect(requireRegisteredClient({ aud: [APP, "https://api.example"] }, { ...ENTRA, issuer })).toBe(APP);
  });
});
