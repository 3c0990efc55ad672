import type { TestProject } from "vitest/node";
import { people } from "../../../scripts/local/people.ts";
import { startSso } from "../../../scripts/local/sso-process.ts";

/** Hosts on which tests make instances; the SSO must know where each lets people come back. */
const HOSTS = ["acme.localhost", "other.localhost", "localhost"];

/** People that no organisation wants: each claims the email of somebody else. */
const IMPOSTORS = [
  { sub: "unverified", name: "Una Proven", email: "ada@acme.example", emailVerified: false, job: "", groups: [] },
  { sub: "namesake", name: "Ben Okafor", email: "BEN@acme.example", job: "", groups: [] },
];

/** One real OpenID provider for all tests in workerd. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const client = { clientId: "gatehouse", clientSecret: crypto.randomUUID() + crypto.randomUUID() };
  const redirectUris = [
    ...HOSTS.map((host) => `http://${host}/oauth/callback`),
    "https://acme-be.example.com/oauth/callback",
  ];
  const everybody = [...people, ...IMPOSTORS];
  const sso = await startSso({ ...client, redirectUris, people: everybody });
  project.provide("sso", { issuer: sso.issuer, ...client, people: everybody });
  return () => sso.stop();
}
