import type { Brand } from "#instance/policy-snapshot.ts";
import { Layout } from "#pages/views/layout.tsx";

export function SignedOutPage({ service, brand }: { readonly service: string; readonly brand: Brand }) {
  return (
    <Layout title="Signed out" service={service} brand={brand}>
      <h1>You are signed out</h1>
      <p class="lead">
        You may still be signed in to your {brand.organisation} account. On a shared computer, sign out there too.
      </p>
      <p>
        <a href="/account">Sign in again</a>
      </p>
    </Layout>
  );
}
