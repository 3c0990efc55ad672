import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, postForm, search } from "../support/app-client.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { makeInstance } from "../support/world.ts";

const LENGTHS = [1, 2, 3, 4, 5, 8, 16];

/** Returns variants of a token, such as with a few characters cut or added at either end (CVE-2026-27840). */
function variantsOf(token: string): string[] {
  return [
    ...LENGTHS.flatMap((n) => [token.slice(0, -n), token.slice(n), token + "A".repeat(n), "A".repeat(n) + token]),
    `${token}=`,
    `${token} `,
    ` ${token}`,
    `${token}.`,
    `${token}\u00e9`,
    token + token,
    token.toLowerCase(),
    token.toUpperCase(),
    token.slice(0, token.length / 2),
  ];
}

describe("the binding of codes and tokens to their client (RFC 9700 §2.2, §4.14)", () => {
  let owner: AppClient;
  let strangers: AppClient[];

  beforeAll(async () => {
    await makeInstance();
    owner = await AppClient.registered();
    strangers = [
      await AppClient.registered(),
      await AppClient.registered({ token_endpoint_auth_method: "client_secret_post" }),
    ];
  });

  it("refuses a code from another client, and leaves it valid", async () => {
    const authorized = await owner.authorize();
    for (const stranger of strangers) await expectOAuthError(await stranger.redeem(authorized), 400, "invalid_grant");
    await expectTokens(await owner.redeem(authorized));
  });

  it("refuses a refresh token from another client, and leaves it valid", async () => {
    const { refresh_token } = await owner.tokens();
    for (const stranger of strangers) {
      await expectOAuthError(await stranger.refresh(refresh_token), 400, "invalid_grant");
    }
    const successor = await expectTokens(await owner.refresh(refresh_token));
    for (const stranger of strangers) {
      await expectOAuthError(await stranger.refresh(refresh_token), 400, "invalid_grant");
    }
    await expectTokens(await owner.refresh(successor.refresh_token));
  });

  it("lets no other client revoke a token", async () => {
    const tokens = await owner.tokens();
    for (const stranger of strangers) {
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        expect((await stranger.revoke(token)).status).toBe(200);
      }
    }
    expect((await search(tokens.access_token)).status).toBe(200);
    await expectTokens(await owner.refresh(tokens.refresh_token));
  });

  it("lets no client use another one's token by sending two client ids", async () => {
    const { refresh_token } = await owner.tokens();
    const [stranger] = strangers;
    const body = { grant_type: "refresh_token", refresh_token };
    const twice = `/oauth/token?client_id=${owner.clientId}`;
    await expectOAuthError(await postForm(twice, { ...body, client_id: stranger?.clientId }), 400, "invalid_grant");
    await expectTokens(await owner.refresh(refresh_token));
  });

  it("refuses a code that was cut or extended, and leaves the code valid", async () => {
    const { code, verifier } = await owner.authorize();
    for (const variant of variantsOf(code)) {
      await expectOAuthError(await owner.redeem({ code: variant, verifier }), 400, "invalid_grant");
    }
    await expectTokens(await owner.redeem({ code, verifier }));
  });

  it("refuses a refresh token that was cut or extended, and treats none as a reuse", async () => {
    const first = await owner.tokens();
    const { refresh_token = "" } = await expectTokens(await owner.refresh(first.refresh_token));
    for (const variant of [...variantsOf(refresh_token), ...variantsOf(first.refresh_token ?? "")]) {
      await expectOAuthError(await owner.refresh(variant), 400, "invalid_grant");
    }
    await expectTokens(await owner.refresh(refresh_token));
  });

  it("revokes nothing for a token that was cut or extended", async () => {
    const tokens = await owner.tokens();
    for (const variant of [...variantsOf(tokens.access_token), ...variantsOf(tokens.refresh_token ?? "")]) {
      expect((await owner.revoke(variant)).status).toBe(200);
    }
    expect((await search(tokens.access_token)).status).toBe(200);
    await expectTokens(await owner.refresh(tokens.refresh_token));
  });

  it("keeps one kind of token from being used as another", async () => {
    const authorized = await owner.authorize();
    const tokens = await expectTokens(await owner.redeem(authorized));
    const { verifier } = authorized;
    for (const token of [tokens.access_token, tokens.refresh_token ?? ""]) {
      await expectOAuthError(await owner.redeem({ code: token, verifier }), 400, "invalid_grant");
    }
    for (const token of [tokens.access_token, authorized.code]) {
      await expectOAuthError(await owner.refresh(token), 400, "invalid_grant");
    }
    for (const token of [tokens.refresh_token, authorized.code]) expect((await search(token)).status).toBe(401);
  });
});
