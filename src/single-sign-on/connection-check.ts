import type { Keyring } from "#crypto/keyring.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { SingleSignOnConnection } from "#single-sign-on/connection.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";
import { failed, type Finding, ok, reasonOf, warning } from "#platform/finding.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import * as oauth from "oauth4webapi";
import {
  authenticationStep,
  flowStep,
  issuerStep,
  type Metadata,
  methodOf,
  pkceStep,
  scopesStep,
} from "./metadata-steps.ts";

/** The result of reading an SSO's discovery document. */
export interface Discovered {
  readonly findings: readonly Finding[];
  /** `undefined` if there is no document. */
  readonly metadata: Metadata | undefined;
  /** The `Date` header of the SSO's response. */
  readonly date: string | null;
}

/** Tests a connection to an SSO, as far as that is possible without a person who signs in. */
export class ConnectionCheck {
  readonly #fetch: OutgoingFetch;
  readonly #keyring: Keyring;
  readonly #localDevelopment: boolean;

  constructor(outgoingFetch: OutgoingFetch, keyring: Keyring, localDevelopment: boolean) {
    this.#fetch = outgoingFetch;
    this.#keyring = keyring;
    this.#localDevelopment = localDevelopment;
  }

  /**
   * Fetches what the SSO publishes, bypassing every cache, and sends a made-up code to its token endpoint. An SSO that accepts the
   * client refuses the code; otherwise it refuses the client.
   *
   * The stored secret is sent only to the SSO that it was stored for.
   *
   * @param order the connection that an administrator entered, saved or not
   * @returns the findings of the steps that were possible; never throws because of the SSO's behaviour
   */
  async check(instance: InstanceRecord, order: SingleSignOnConnection, callbackUri: string): Promise<Finding[]> {
    const { findings, metadata } = await this.discover(order.issuer);
    const steps = [...findings];
    if (!metadata || steps.some(({ verdict }) => verdict === "failed")) return steps;
    steps.push(
      flowStep(metadata),
      pkceStep(metadata),
      authenticationStep(metadata, order),
      scopesStep(metadata, order),
    );
    steps.push(await this.#keysStep(metadata));
    steps.push(await this.#clientStep(metadata, instance, order, callbackUri));
    return steps;
  }

  /**
   * Fetches the SSO's discovery document, bypassing every cache, and checks that it is this issuer's. Never throws because of the SSO's
   * behaviour.
   */
  async discover(issuer: string): Promise<Discovered> {
    const check = "Discovery document";
    let asked = issuer;
    try {
      const response = await oauth.discoveryRequest(new URL(issuer), {
        [oauth.allowInsecureRequests]: this.#localDevelopment,
        [oauth.customFetch]: (url: string, init: object) => {
          asked = url;
          return this.#fetch(url, init);
        },
      });
      if (response.status !== 200) throw new Error(`the status is ${response.status}`);
      const document: unknown = await response.json();
      if (typeof document !== "object" || document === null) throw new Error("the response is not a JSON object");
      const metadata = document as Metadata;
      const findings = [ok(check, `It is at ${asked}.`), issuerStep(metadata, issuer)];
      return { findings, metadata, date: response.headers.get("date") };
    } catch (error) {
      const meaning = `No valid document at ${asked}: ${reasonOf(error)}.`;
      const findings = [failed(check, meaning, "Compare the issuer with the one on your SSO’s own pages.")];
      return { findings, metadata: undefined, date: null };
    }
  }

  async #keysStep({ jwks_uri: location }: Metadata): Promise<Finding> {
    const check = "Keys";
    const remedy = "Sign-ins can’t be verified without keys: ask the SSO’s administrator.";
    if (typeof location !== "string") return failed(check, "The document has no jwks_uri.", remedy);
    try {
      const response = await this.#fetch(location);
      const set: unknown = await response.json();
      const count =
        typeof set === "object" && set !== null && "keys" in set && Array.isArray(set.keys) ? set.keys.length : 0;
      if (count === 0) throw new Error("there is no key");
      return ok(check, `It has ${count === 1 ? "1 key" : `${count} keys`} at ${location}.`);
    } catch (error) {
      return failed(check, `No keys at ${location}: ${reasonOf(error)}.`, remedy);
    }
  }

  async #clientStep(
    metadata: Metadata,
    instance: InstanceRecord,
    order: SingleSignOnConnection,
    callbackUri: string,
  ): Promise<Finding> {
    const check = "Client id and secret";
    const secret = await this.#secretOf(instance, order);
    if (secret === undefined) return warning(check, "Not tried: there is no secret for this client.");
    try {
      const isPost = methodOf(metadata, order) === "client_secret_post";
      const response = await oauth.genericTokenEndpointRequest(
        metadata as unknown as oauth.AuthorizationServer,
        { client_id: order.clientId },
        isPost ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret),
        "authorization_code",
        { code: "connection-test", redirect_uri: callbackUri, code_verifier: "connection-test".repeat(3) },
        {
          [oauth.allowInsecureRequests]: this.#localDevelopment,
          [oauth.customFetch]: (url: string, init: object) => this.#fetch(url, init),
        },
      );
      return await judge(check, response);
    } catch (error) {
      return warning(check, `The token endpoint didn’t respond: ${reasonOf(error)}.`);
    }
  }

  async #secretOf({ name, singleSignOns }: InstanceRecord, order: SingleSignOnConnection): Promise<string | undefined> {
    if (order.clientSecret !== undefined) return order.clientSecret;
    const stored = singleSignOns.find(({ issuer, clientId }) => issuer === order.issuer && clientId === order.clientId);
    return stored && this.#keyring.open(singleSignOnPurpose(name), stored.sealedClientSecret);
  }
}

async function judge(check: string, response: Response): Promise<Finding> {
  const answer: unknown = await response.json().catch(() => undefined);
  const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : undefined;
  if (error === "invalid_grant") {
    return ok(check, "The SSO accepts the client and its secret: it refused only the made-up code.");
  }
  if (error === "invalid_client" || response.status === 401) {
    const remedy = "Check the client id, enter the secret again, or choose another way to send it below.";
    return failed(check, "The SSO refuses the client.", remedy);
  }
  const said = typeof error === "string" ? `${response.status}, ${error.slice(0, 100)}` : String(response.status);
  return warning(
    check,
    `The token endpoint responded with ${said} to a made-up code. This doesn't show whether the secret is right.`,
  );
}
