import type { PendingKey } from "#authorization-requests/pending-requests.ts";
import { awaitConsent } from "#authorization-requests/await-consent.sql.ts";
import { D1PendingRequests } from "#authorization-requests/pending-requests.d1.ts";
import { D1TokenGrants } from "#grants/token-grants.d1.ts";
import { hashToken, randomId, randomSecret, sha256 } from "#crypto/secrets.ts";
import { Keyring } from "#crypto/keyring.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { AppClient } from "./app-client.ts";
import { env } from "./isolate.ts";
import { knownPerson } from "./people.ts";
import { audited } from "./audited.ts";

/** What a grant stores about its app. */
type GrantedApp = Pick<AppClient, "clientId" | "origin" | "redirectUri">;

/** A grant whose code was not redeemed yet, and what its client needs to redeem it. */
export interface DirectGrant {
  readonly grantId: string;
  readonly code: string;
  readonly verifier: string;
}

/** A request at the consent page, and what the browser that shows the page posts. */
export interface PendingConsent {
  readonly handle: string;
  readonly browser: string;
  readonly csrfToken: string;
  readonly verifier: string;
  readonly clientId: string;
}

/**
 * Creates grants, and requests that wait for consent, directly in the stores, for tests that need thousands: a sign-in at the SSO
 * costs fifty times as much. The rows are the same as those that the flow writes.
 */
export class DirectGrants {
  readonly #instance: InstanceRecord;
  readonly #pending = new D1PendingRequests(audited());
  readonly #grants = new D1TokenGrants(audited());
  readonly #keyring = new Keyring(env.MASTER_KEYS);

  constructor(instance: InstanceRecord) {
    this.#instance = instance;
  }

  /** Creates a grant of one person to an app, which lasts `lifetimeSeconds`. */
  async grant(
    app: GrantedApp,
    email = "ben@acme.example",
    scope = "SEARCH CHAT offline_access",
    lifetimeSeconds = 180 * 24 * 3600,
  ): Promise<DirectGrant> {
    const person = await knownPerson(this.#instance, email);
    const { handle, browser, verifier } = await this.awaitConsent(app, email);
    const key = await this.#key(handle, browser);
    const code = randomSecret();
    const grantId = randomId();
    const now = Math.floor(Date.now() / 1000);
    const granted = await this.#grants.add(key, {
      id: grantId,
      instanceId: this.#instance.id,
      issuer: app.origin,
      clientId: app.clientId,
      personId: person.id,
      scope,
      resource: app.origin,
      redirectUri: app.redirectUri,
      codeHash: await hashToken(code),
      codeChallenge: await sha256(verifier),
      keyThumbprint: undefined,
      nonce: undefined,
      codeExpiresAt: now + 60,
      createdAt: now,
      expiresAt: now + lifetimeSeconds,
    });
    if (granted !== "added") throw new Error(`no grant was added: ${granted}`);
    return { grantId, code, verifier };
  }

  /** Creates a request of a signed-in person who hasn't answered the consent page yet. */
  async awaitConsent(app: GrantedApp, email = "ben@acme.example"): Promise<PendingConsent> {
    const person = await knownPerson(this.#instance, email);
    const { state, browser, verifier } = await this.awaitSignIn(app);
    const key = await this.#key(state, browser);
    if (!(await this.#pending.claimReturn(key, Math.floor(Date.now() / 1000)))) throw new Error("nobody signed in");
    const handle = randomSecret();
    const next = { key, nextHandleHash: await hashToken(handle) };
    const signIn = { ssoSession: undefined, signedInAt: Math.floor(Date.now() / 1000) };
    await awaitConsent(env.DB, next, { sql: "SELECT ?1 AS id", bound: [person.id] }, signIn).run();
    const csrfToken = await this.#keyring.mac("consent-csrf", `${browser} ${handle}`);
    return { handle, browser, csrfToken, verifier, clientId: app.clientId };
  }

  /** Creates a request whose person is at the SSO. */
  async awaitSignIn(app: GrantedApp): Promise<{ state: string; browser: string; verifier: string }> {
    const [state, browser, verifier] = [randomSecret(), randomSecret(), randomSecret()];
    await this.#pending.begin(
      {
        ...(await this.#key(state, browser)),
        request: {
          grantId: randomId(),
          issuer: app.origin,
          clientId: app.clientId,
          redirectUri: app.redirectUri,
          state: "state-of-the-app",
          scope: ["SEARCH", "CHAT", "offline_access"],
          resource: app.origin,
          codeChallenge: await sha256(verifier),
          keyThumbprint: undefined,
          nonce: undefined,
          prompt: undefined,
          maxAge: undefined,
          loginHint: undefined,
          uiLocales: undefined,
        },
        expiresAt: Math.floor(Date.now() / 1000) + 900,
        caller: undefined,
      },
      0,
    );
    return { state, browser, verifier };
  }

  async #key(handle: string, browser: string): Promise<PendingKey> {
    return {
      instanceId: this.#instance.id,
      handleHash: await hashToken(handle),
      browserHash: await hashToken(browser),
    };
  }
}
