import type { TestProject } from "vitest/node";
import { people } from "../../../scripts/local/people.ts";
import { startSso } from "../../../scripts/local/sso-process.ts";

/** The hosts of the tests' instances, for the SSO's list of redirect URIs. */
const HOSTS = ["acme.localhost", "other.localhost", "localhost"];

/** Impostors: each claims somebody else's email. */
const IMPOSTORS = [
  { sub: "unverified", name: "Una Proven", email: "ada@acme.example", emailVerified: false, job: "", groups: [] },
  { sub: "namesake", name: "Ben Okafor", email: "BEN@acme.example", job: "", groups: [] },
];

/** Starts one real OpenID provider for all tests in workerd. */
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
