import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { AppClient, basic, CHALLENGE } from "./app-client.ts";
import type { Chance } from "./chance.ts";
import { DpopKey } from "./dpop-key.ts";
import type { Call } from "./fuzz-calls.ts";
import { env } from "./isolate.ts";
import { makeKeyedAccount } from "./service-accounts.ts";
import { SigningSso } from "./signing-sso.ts";
import { TestIssuer } from "./test-issuer.ts";
import { ORIGIN } from "./world.ts";

type Json = Readonly<Record<string, unknown>>;

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const EVENTS = "https://schemas.openid.net/secevent/";
const SET_AUDIENCE = `${ORIGIN}/signals/events`;

/** Signed messages that work once. */
interface Signed {
  readonly logout: string;
  readonly event: string;
  readonly revocation: string;
  readonly idJag: string;
  readonly machine: Readonly<Record<string, string>>;
  readonly proof: string;
}

/**
 * What other systems send, genuinely signed: sign-outs, assertions about people and machines, proofs, and pushed requests.
 */
export class FuzzMessages {
  readonly #chance: Chance;
  readonly #odd: () => unknown;
  readonly #instance: InstanceRecord;
  readonly #sso: SigningSso;
  /** The origin of the instance whose SSO signs here. */
  readonly ssoOrigin: string;
  readonly #sender: TestIssuer;
  readonly #app: AppClient;
  readonly #key: DpopKey;
  #machine: Awaited<ReturnType<typeof makeKeyedAccount>>;
  #signed: Signed[] = [];
  /** References of pushed requests, newest last. */
  readonly pushed: { readonly clientId: string; readonly uri: string }[] = [];

  private constructor(
    chance: Chance,
    odd: () => unknown,
    made: {
      instance: InstanceRecord;
      sso: SigningSso;
      ssoOrigin: string;
      sender: TestIssuer;
      app: AppClient;
      key: DpopKey;
      machine: Awaited<ReturnType<typeof makeKeyedAccount>>;
    },
  ) {
    this.#chance = chance;
    this.#odd = odd;
    this.#instance = made.instance;
    this.#sso = made.sso;
    this.ssoOrigin = made.ssoOrigin;
    this.#sender = made.sender;
    this.#app = made.app;
    this.#key = made.key;
    this.#machine = made.machine;
  }

  /**
   * @param other an instance that gets an SSO whose messages this signs
   * @param odd returns any value, for a claim
   */
  static async of(
    instance: InstanceRecord,
    other: InstanceRecord,
    chance: Chance,
    odd: () => unknown,
  ): Promise<FuzzMessages> {
    const sender = await TestIssuer.publishing("rsa");
    const app = await AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: "client_secret_basic" });
    const messages = new FuzzMessages(chance, odd, {
      instance,
      sso: await SigningSso.of(other),
      ssoOrigin: `http://${other.name}.localhost`,
      sender,
      app,
      key: await DpopKey.make(),
      machine: await makeKeyedAccount(instance, { groups: ["finance"] }),
    });
    await messages.renew();
    return messages;
  }

  get ssoIssuer(): string {
    return this.#sso.issuer.url;
  }

  /** Creates again what an administrator's form removed, and signs new messages, because each works once. */
  async renew(): Promise<void> {
    const { administrationOf, serviceAccounts } = servicesOf(env);
    const draft = { issuer: this.#sender.url, name: "EDR", audience: SET_AUDIENCE };
    // Removes the header that a form of the console may require of it. Otherwise all of its events would be refused.
    await administrationOf(this.#instance, "test").signals.put(draft, null);
    await this.#sender.register(this.#instance, {
      accepts: "id-jags",
      clientIds: [this.#app.clientId],
      audiences: [],
      scopes: ["SEARCH", "CHAT"],
    });
    if (!(await serviceAccounts.find(this.#instance.id, this.#machine.account.id))) {
      this.#machine = await makeKeyedAccount(this.#instance, { groups: ["finance"] });
    }
    this.#signed = await Promise.all(Array.from({ length: 4 }, () => this.#sign()));
  }

  async #sign(): Promise<Signed> {
    const forge = await this.#sender.forge();
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: this.#sender.url, iat: now, jti: crypto.randomUUID() };
    const sign = (typ: string, claims: Json) =>
      forge.sign({ ...forge.header, typ }, this.#changed({ ...usual, exp: now + 300, ...claims }));
    const type = this.#chance.pick([
      `${EVENTS}caep/event-type/session-revoked`,
      `${EVENTS}risc/event-type/account-disabled`,
      `${EVENTS}ssf/event-type/verification`,
      "__proto__",
    ]);
    const { account, key } = this.#machine;
    return {
      logout: await this.#sso.logoutToken(
        this.#changed({ sub: this.#chance.pick(["ben", "nobody"]), sid: this.#chance.pick([undefined, "sid"]) }),
      ),
      event: await sign("secevent+jwt", {
        aud: SET_AUDIENCE,
        sub_id: this.subject(),
        events: { [type]: this.#event() },
      }),
      revocation: await sign("global-token-revocation+jwt", { aud: `${ORIGIN}/oauth/global-token-revocation` }),
      idJag: await sign("oauth-id-jag+jwt", {
        ...forge.claims,
        azp: undefined,
        aud: ORIGIN,
        client_id: this.#app.clientId,
        resource: this.#chance.pick([undefined, ORIGIN, `${ORIGIN}/mcp`]),
        scope: this.#chance.pick([undefined, "search chat", 7]),
        jti: crypto.randomUUID(),
      }),
      machine: await key.authenticates(account.id, this.#changed({})),
      proof: await this.#key.freshProof({ claims: this.#changed({}) }),
    };
  }

  /** Returns the claims, now and then with an odd one. */
  #changed(claims: Json): Json {
    if (!this.#chance.happens(0.3)) return claims;
    const names = [...Object.keys(claims), "exp", "iat", "nbf", "aud", "sub", "jti", "htu", "cnf", "email", "groups"];
    return { ...claims, [this.#chance.pick(names)]: this.#odd() };
  }

  #event(): unknown {
    const { pick } = { pick: <Item>(items: readonly Item[]) => this.#chance.pick(items) };
    return pick<unknown>([{}, { subject: this.subject() }, { change_type: this.#odd() }, null, []]);
  }

  /** Returns a subject in a format of RFC 9493: a person, or nobody. */
  subject(): unknown {
    const email = { format: "email", email: this.#chance.pick(["person-0@acme.example", "x@y", "BEN@acme.example"]) };
    return this.#chance.pick<unknown>([
      email,
      { format: "iss_sub", iss: this.#sender.url, sub: "00u-ben" },
      { format: "opaque", id: this.#odd() },
      { format: "aliases", identifiers: [email, this.#odd(), email] },
      { format: "complex", user: email, session: { format: "opaque", id: "sid" } },
      { user: this.#odd() },
      this.#odd(),
    ]);
  }

  /** Returns the header of a proof of possession of a key. */
  proof(): string {
    return this.#chance.pick(this.#signed).proof;
  }

  /** Returns the drafts, by route or path. */
  drafts(registered: ReadonlyMap<string, readonly string[]>): Record<string, () => Call & { origin?: string }> {
    const one = () => this.#chance.pick(this.#signed);
    return {
      "/oauth/backchannel-logout": () => ({
        method: "POST",
        origin: this.#chance.happens(0.9) ? this.ssoOrigin : ORIGIN,
        body: { form: [["logout_token", one().logout]] },
      }),
      "/oauth/global-token-revocation": () => ({
        method: "POST",
        body: { json: { sub_id: this.subject() } },
        headers: { Authorization: `Bearer ${one().revocation}` },
      }),
      "/signals/events": () => ({
        method: "POST",
        body: { text: one().event },
        headers: { "Content-Type": "application/secevent+jwt", Accept: "application/json" },
      }),
      "/oauth/par": () => {
        const clientId = this.#chance.pick([...registered.keys()]);
        return {
          method: "POST",
          body: {
            form: [
              ["response_type", "code"],
              ["client_id", clientId],
              ["redirect_uri", this.#chance.pick(registered.get(clientId) ?? [""])],
              ["code_challenge", CHALLENGE],
              ["code_challenge_method", "S256"],
              ["state", "state-of-the-app"],
              ["dpop_jkt", this.#key.thumbprint],
            ],
          },
          headers: this.#chance.happens(0.3) ? { DPoP: one().proof } : {},
        };
      },
      "/oauth/token by assertion": () => {
        const machine = Object.entries(one().machine);
        const bound = this.#chance.happens(0.3) ? { DPoP: one().proof } : {};
        if (this.#chance.happens(0.5)) {
          const form: [string, string][] = [["grant_type", "client_credentials"], ...machine];
          return { method: "POST", path: "/oauth/token", body: { form }, headers: bound };
        }
        const form: [string, string][] = [
          ["grant_type", JWT_BEARER],
          ["assertion", one().idJag],
          ["scope", this.#chance.pick(["SEARCH", "search chat", ""])],
        ];
        const headers = { Authorization: basic(this.#app.clientId, this.#app.secret ?? ""), ...bound };
        return { method: "POST", path: "/oauth/token", body: { form }, headers };
      },
      "/oauth/authorize, pushed": () => {
        const { clientId, uri } = this.pushed.length > 0 ? this.#chance.pick(this.pushed) : { clientId: "x", uri: "x" };
        return {
          path: "/oauth/authorize",
          query: [
            ["client_id", clientId],
            ["request_uri", uri],
          ],
        };
      },
    };
  }
}
