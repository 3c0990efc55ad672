import type { Approval, NewClientDescription } from "#administration/client-acts.ts";
import type { ListedClient } from "#clients/client-directory.ts";
import worker from "#index.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { SCOPES } from "#protocol/scopes.ts";
import type { SingleSignOnConnection } from "#single-sign-on/connection.ts";
import type { Bindings } from "#platform/bindings.ts";
import { servicesOf } from "#services.ts";
import { inject, vi } from "vitest";
import { createInstance } from "../../scripts/admin/create-instance.ts";
import { requireAsDescribed } from "./described-answer.ts";
import { env } from "./isolate.ts";
import { knownPerson } from "./people.ts";

/** The origin of most tests' instance. */
export const ORIGIN = "http://acme.localhost";

const ACTOR = "test";

/**
 * Sends one request to the Worker and waits for all of its work, also after the response. Every response of the APIs is checked
 * against their description.
 *
 * @param bindings other bindings are another isolate, which shares the storage but not this one's memory
 * @param onAnswer called when the Worker has responded, before its other work is done
 */
export async function send(
  url: string,
  init: RequestInit = {},
  bindings: Bindings = env,
  onAnswer: () => void = () => undefined,
): Promise<Response> {
  const after: Promise<unknown>[] = [];
  const target = url.startsWith("/") ? ORIGIN + url : url;
  const request = new Request(target, { redirect: "manual", ...init });
  const response = await worker.fetch(request, bindings, contextOf(after));
  onAnswer();
  // Also waits for work that this work begins.
  while (after.length > 0) await Promise.all(after.splice(0));
  await requireAsDescribed(request.method, target, response);
  return response;
}

/** Returns the bindings of a deployment whose service has another name. */
export function deploymentNamed(serviceName: string): Bindings {
  return { ...env, SERVICE_NAME: serviceName };
}

/** Returns a context that collects the work after a response. That of cloudflare:test has a timer for each request. */
function contextOf(after: Promise<unknown>[]): ExecutionContext {
  const context: Pick<ExecutionContext, "waitUntil" | "passThroughOnException"> = {
    waitUntil: (work) => {
      after.push(work);
      // Work that fails before the response is complete must not count as an unhandled rejection.
      work.catch(() => undefined);
    },
    passThroughOnException: () => undefined,
  };
  return context as ExecutionContext;
}

/** Sends a request to the Worker under test, or to the SSO that runs for the tests. */
export async function sendAnywhere(url: string, init: RequestInit): Promise<Response> {
  return url.startsWith(inject("sso").issuer) ? fetch(url, init) : send(url, init);
}

/** Creates an instance that is connected to the test SSO, with OAuth on unless the settings say otherwise. */
export async function makeInstance(name = "acme", settings: Record<string, unknown> = {}): Promise<InstanceRecord> {
  const services = servicesOf(env);
  await connectSso(await createInstance(services, name, ACTOR));
  await changeSettings(name, { oauthEnabled: true, ...settings });
  return services.instances.require(name);
}

/** Connects an instance to the test SSO, or to another issuer, whether it responds or not. */
export async function connectSso(instance: InstanceRecord, issuer = inject("sso").issuer): Promise<void> {
  await servicesOf(env).administrationOf(instance, ACTOR).singleSignOn.connect(connectionTo(issuer));
}

/** Returns a connection to an issuer, with the client of the test SSO. */
export function connectionTo(issuer: string, changes: Partial<SingleSignOnConnection> = {}): SingleSignOnConnection {
  const { clientId, clientSecret } = inject("sso");
  const claims = { groupsClaim: "groups", emailClaim: "email", requiredClaims: {} };
  return { issuer, clientId, clientSecret, ...claims, scopes: "openid profile email groups", ...changes };
}

/** Connects an instance to another SSO, too. The first one keeps the addresses of acme.example. */
export async function addSso(
  instance: InstanceRecord,
  first: string,
  issuer: string,
  changes: Partial<SingleSignOnConnection> = {},
): Promise<void> {
  const { singleSignOn } = servicesOf(env).administrationOf(instance, ACTOR);
  await singleSignOn.connect(connectionTo(first, { emailDomains: ["acme.example"] }));
  await singleSignOn.put(connectionTo(issuer, { emailDomains: ["other.example"], ...changes }));
}

/** Returns the current rules of an instance. */
export async function policyOf({ name }: InstanceRecord): Promise<PolicySnapshot> {
  const policy = await servicesOf(env).policySnapshots.of(name, () => undefined);
  if (!policy) throw new Error(`there is no instance ${name}`);
  return policy;
}

/** Changes settings, which this isolate sees at once. */
export async function changeSettings(name: string, changes: Record<string, unknown>): Promise<void> {
  const { administrationOf, instances } = servicesOf(env);
  await administrationOf(await instances.require(name), ACTOR).settings.change(changes);
}

/** Creates a client as an administrator does: public, with all scopes, unless the description says otherwise. */
export function makeStaticClient(instance: InstanceRecord, description: Partial<NewClientDescription> = {}) {
  const redirectUris = ["https://app.example/cb"];
  const usual = { name: "Static app", redirectUris, scopes: SCOPES, tokenEndpointAuthMethod: "none" as const };
  return servicesOf(env)
    .administrationOf(instance, ACTOR)
    .clients.create({ ...usual, ...description });
}

/** Disables a client as an administrator does, which this isolate sees at once. */
export async function disableClient(instance: InstanceRecord, clientId: string): Promise<void> {
  await servicesOf(env).administrationOf(instance, ACTOR).clients.disable(clientId);
}

/** Enables a client again as an administrator does. */
export async function enableClient(instance: InstanceRecord, clientId: string): Promise<void> {
  await servicesOf(env).administrationOf(instance, ACTOR).clients.enable(clientId);
}

/** Deletes a client as an administrator does. */
export async function removeClient(instance: InstanceRecord, clientId: string): Promise<void> {
  await servicesOf(env).administrationOf(instance, ACTOR).clients.remove(clientId);
}

/** Leaves a client only these scopes. */
export async function narrowClient(clientId: string, scopes: readonly string[]): Promise<void> {
  await env.DB.prepare("UPDATE clients SET scopes = ?2 WHERE id = ?1").bind(clientId, JSON.stringify(scopes)).run();
}

/** Returns the client as administrators see it. */
export async function requireClient(instance: InstanceRecord, clientId: string): Promise<ListedClient> {
  const client = await servicesOf(env).clientDirectory.find(instance.id, clientId);
  if (!client) throw new Error("there is no such client");
  return client;
}

/** Approves a client as an administrator does who has just looked at it. */
export async function approveClient(instance: InstanceRecord, clientId: string): Promise<Approval> {
  return servicesOf(env)
    .administrationOf(instance, ACTOR)
    .clients.approve(await requireClient(instance, clientId));
}

/** Deactivates a person, or reactivates them, which this isolate sees at once. */
export async function setDeactivated(instance: InstanceRecord, email: string, deactivated = true): Promise<void> {
  const { people } = servicesOf(env).administrationOf(instance, ACTOR);
  const person = await knownPerson(instance, email);
  await (deactivated ? people.deactivate(person) : people.reactivate(person));
}

/** Issues a service-issued token, and returns its secret. */
export async function issueIndexingToken(instance: InstanceRecord, ...scopes: string[]): Promise<string> {
  const draft = { kind: "indexing" as const, name: "test", scopes, person: null, lifetimeSeconds: 3600 };
  return (await servicesOf(env).administrationOf(instance, ACTOR).serviceTokens.issue(draft, true)).secret;
}

/** Issues a Client API token of one person, and returns its secret. */
export async function issueClientApiToken(
  instance: InstanceRecord,
  email: string,
  ...scopes: string[]
): Promise<string> {
  const { administrationOf } = servicesOf(env);
  const draft = { kind: "client-api" as const, name: "test", scopes, person: email, lifetimeSeconds: null };
  return (await administrationOf(instance, ACTOR).serviceTokens.issue(draft, true)).secret;
}

/**
 * Moves the clock of the Worker and of the test, but not of storage and the SSO. Undone at the end of the file, or by
 * `vi.useRealTimers()`.
 */
export function travel(seconds: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(now + seconds * 1000);
}
