import { servicesOf } from "#services.ts";
import { inject } from "vitest";
import { openLocalAdmin } from "../../../scripts/admin.ts";

/**
 * Lets an app register as if administrators had to approve it first. The instance's own rule stays: it is everybody's, and other
 * test files register apps at the same time.
 *
 * @returns its client id
 */
export async function registerWaitingApp(clientName: string, redirectUri: string): Promise<string> {
  const admin = await openLocalAdmin(inject("gatehouse").folder);
  try {
    const { clientRegistration, policySnapshots } = servicesOf(admin.bindings);
    const policy = await policySnapshots.of("acme", () => undefined);
    if (!policy) throw new Error("there is no instance acme");
    const approval = { ...policy, settings: { ...policy.settings, registration: "approval" as const } };
    const metadata = { client_name: clientName, redirect_uris: [redirectUri], token_endpoint_auth_method: "none" };
    return (await clientRegistration.register(approval, metadata, "192.0.2.1")).client.id;
  } finally {
    await admin.dispose();
  }
}
