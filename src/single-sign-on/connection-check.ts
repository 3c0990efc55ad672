import type { Keyring } from "#crypto/keyring.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { SingleSignOnConnection } from "#single-sign-on/connection.ts";
import { singleSignOnPurpose } from "#settings/settings.ts";
import { describeError } from "#platform/log.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import * as oauth from "oauth4webapi";
import {
  authenticationStep,
  type CheckedStep,
  flowStep,
  issuerStep,
  type Metadata,
  methodOf,
  pkceStep,
  scopesStep,
} from "./metadata-steps.ts";

/** Tries a connection to an SSO from outside, as far as that goes without a person who signs in. */
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
   * Fetches what the SSO publishes, past every cache, and asks its token endpoint to redeem a code that nobody was given: an SSO
   * that knows the client refuses the code, and one that does not refuses the client.
   *
   * The stored secret goes to the SSO that it was stored for and to no other.
   *
   * @param order what an administrator typed, stored or not
   * @returns the steps as far as they could be taken; never throws for what the SSO does
   */
  async describe(instance: InstanceRecord, order: SingleSignOnConnection, callbackUri: string): Promise<CheckedStep[]> {
    const found = await this.#discover(order.issuer);
    if (!found.metadata) return [found.step];
    const { metadata } = found;
    const steps = [found.step, issuerStep(metadata, order.issuer)];
    if (steps.some(({ outcome }) => outcome === "fails")) return steps;
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

  async #discover(issuer: string): Promise<{ step: CheckedStep; metadata: Metadata | undefined }> {
    const title = "Discovery document";
    let asked = issuer;
    try {
      const response = await oauth.discoveryRequest(new URL(issuer), {
        [oauth.allowInsecureRequests]: this.#localDevelopment,
        [oauth.customFetch]: (url: string, init: object) => {
          asked = url;
          return this.#fetch(url, init);
        },
      });
      if (response.status !== 200) throw new Error(`the answer is ${response.status}`);
      const metadata = await response.json();
      if (typeof metadata !== "object" || metadata === null) throw new Error("the answer is no JSON object");
      return { step: { title, outcome: "holds", text: `It is at ${asked}.` }, metadata: metadata as Metadata };
    } catch (error) {
      const text = `${asked} gave none: ${describeError(error)}. Compare the issuer with what your SSO’s own pages call it.`;
      return { step: { title, outcome: "fails", text }, metadata: undefined };
    }
  }

  async #keysStep({ jwks_uri: location }: Metadata): Promise<CheckedStep> {
    const title = "Keys";
    if (typeof location !== "string") return { title, outcome: "fails", text: "The document names no jwks_uri." };
    try {
      const response = await this.#fetch(location);
      const set: unknown = await response.json();
      const count =
        typeof set === "object" && set !== null && "keys" in set && Array.isArray(set.keys) ? set.keys.length : 0;
      if (count === 0) throw new Error("there is no key");
      return { title, outcome: "holds", text: `There are ${count} at ${location}.` };
    } catch (error) {
      return {
        title,
        outcome: "fails",
        text: `${location} gave none: ${describeError(error)}. No sign-in can be believed.`,
      };
    }
  }

  async #clientStep(
    metadata: Metadata,
    instance: InstanceRecord,
    order: SingleSignOnConnection,
    callbackUri: string,
  ): Promise<CheckedStep> {
    const title = "Client id and secret";
    const secret = await this.#secretOf(instance, order);
    if (secret === undefined)
      return { title, outcome: "unsure", text: "Not tried: there is no secret for this client." };
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
      return { title, ...(await judge(response)) };
    } catch (error) {
      return { title, outcome: "unsure", text: `The token endpoint gave no answer: ${describeError(error)}.` };
    }
  }

  async #secretOf({ name, singleSignOn }: InstanceRecord, order: SingleSignOnConnection): Promise<string | undefined> {
    if (order.clientSecret !== undefined) return order.clientSecret;
    if (singleSignOn?.issuer !== order.issuer || singleSignOn.clientId !== order.clientId) return undefined;
    return this.#keyring.open(singleSignOnPurpose(name), singleSignOn.sealedClientSecret);
  }
}

async function judge(response: Response): Promise<Pick<CheckedStep, "outcome" | "text">> {
  const answer: unknown = await response.json().catch(() => undefined);
  const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : undefined;
  if (error === "invalid_grant") {
    return {
      outcome: "holds",
      text: "The SSO knows the client and takes its secret: it refused only the code, which was made up.",
    };
  }
  if (error === "invalid_client" || response.status === 401) {
    const text =
      "The SSO refuses the client. Compare the client id, give the secret again, or choose how it is sent below.";
    return { outcome: "fails", text };
  }
  const said = typeof error === "string" ? `${response.status}, ${error.slice(0, 100)}` : String(response.status);
  return {
    outcome: "unsure",
    text: `The token endpoint answered ${said} to a code that was made up; that does not say whether the secret is right.`,
  };
}
