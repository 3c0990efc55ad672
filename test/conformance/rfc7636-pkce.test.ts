import { sha256 } from "#crypto/secrets.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, VERIFIER } from "../support/app-client.ts";
import { expectErrorAtApp, expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { makeInstance, send } from "../support/world.ts";

describe("PKCE (RFC 7636)", () => {
  let apps: { public: AppClient; confidential: AppClient };

  beforeAll(async () => {
    await makeInstance();
    apps = {
      public: await AppClient.registered(),
      confidential: await AppClient.registered({ token_endpoint_auth_method: "client_secret_post" }),
    };
  });

  describe.each(["public", "confidential"] as const)("of a %s client", (kind) => {
    it(`accepts the example of appendix B from a ${kind} client`, async () => {
      const { code } = await apps[kind].authorize("ben", { code_challenge: CHALLENGE });
      await expectTokens(await apps[kind].redeem({ code, verifier: VERIFIER }));
    });

    it.each([
      ["no challenge", { code_challenge: undefined, code_challenge_method: undefined }],
      ["a method without a challenge", { code_challenge: undefined }],
      ["an empty challenge", { code_challenge: "" }],
      ["a challenge without a method, which would mean plain", { code_challenge_method: undefined }],
      ["the method plain", { code_challenge: VERIFIER, code_challenge_method: "plain" }],
      ["the method s256 in lower case", { code_challenge_method: "s256" }],
      ["the method S512", { code_challenge_method: "S512" }],
      ["a challenge that is one character short", { code_challenge: CHALLENGE.slice(1) }],
      ["a challenge that is one character long", { code_challenge: `${CHALLENGE}A` }],
      ["a padded challenge", { code_challenge: `${CHALLENGE}=` }],
      ["a challenge in the other base64", { code_challenge: CHALLENGE.replace("-", "+") }],
    ])("refuses %s (OAuth 2.1 §4.1.1)", async (_, changes) => {
      const response = await send(apps[kind].authorizeUrl(CHALLENGE, changes));
      expectErrorAtApp(response, apps[kind].redirectUri, "invalid_request");
    });

    it(`refuses every wrong verifier of a ${kind} client without using up the code (§4.6)`, async () => {
      const app = apps[kind];
      const { code } = await app.authorize("ben", { code_challenge: CHALLENGE });
      const wrong = [
        undefined,
        "",
        VERIFIER.slice(0, -1),
        VERIFIER.slice(1),
        `${VERIFIER}A`,
        `${VERIFIER} `,
        VERIFIER.toUpperCase(),
        CHALLENGE,
        `${VERIFIER.slice(0, -1)}é`,
        "A".repeat(129),
        await sha256(CHALLENGE),
      ];
      for (const verifier of wrong) {
        const response = await app.redeem({ code, verifier: VERIFIER }, { code_verifier: verifier });
        await expectOAuthError(response, 400, "invalid_grant");
      }
      await expectTokens(await app.redeem({ code, verifier: VERIFIER }));
    });
  });

  it.each([43, 128])("accepts a verifier of %i characters (§4.1)", async (length) => {
    const verifier = "a-._~9Z".repeat(20).slice(0, length);
    const { code } = await apps.public.authorize("ben", { code_challenge: await sha256(verifier) });
    await expectTokens(await apps.public.redeem({ code, verifier }));
  });

  it.each([42, 129])(
    "refuses a verifier of %i characters, although it hashes to the challenge (§4.1)",
    async (length) => {
      const verifier = "v".repeat(length);
      const { code } = await apps.public.authorize("ben", { code_challenge: await sha256(verifier) });
      await expectOAuthError(await apps.public.redeem({ code, verifier }), 400, "invalid_grant");
    },
  );

  it("requires each code's own verifier", async () => {
    const mine = await apps.public.authorize();
    const theirs = await apps.public.authorize("elin");
    const crossed = await apps.public.redeem({ code: theirs.code, verifier: mine.verifier });
    await expectOAuthError(crossed, 400, "invalid_grant");
    expect((await apps.public.redeem(theirs)).status).toBe(200);
  });
});
