import type { Brand } from "#instance/policy-snapshot.ts";
import { Layout } from "#pages/views/layout.tsx";

/** Stands before a sign-in to our own pages: it begins when the person says so, and never because a link led here. */
export function SignInPage(props: {
  readonly service: string;
  readonly brand: Brand;
  /** The page that the person comes back to. */
  readonly returnTo: string;
  readonly formToken: string;
}) {
  const { service, brand } = props;
  return (
    <Layout title="Sign in" service={service} brand={brand}>
      <h1>Sign in to {service}</h1>
      <p class="lead">Use your {brand.organisation} account.</p>
      <form method="post" action="/sign-in">
        <input type="hidden" name="csrf_token" value={props.formToken} />
        <input type="hidden" name="to" value={props.returnTo} />
        <div class="actions">
          <button type="submit" class="primary" name="begin" value="yes">
            Sign in
          </button>
        </div>
      </form>
    </Layout>
  );
}
