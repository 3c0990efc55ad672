import type { Brand } from "#instance/policy-snapshot.ts";
import { HiddenFields } from "#pages/views/form.tsx";
import { Layout } from "#pages/views/layout.tsx";
import type { HeldForm } from "#session/step-up.ts";

interface StepUpFrame {
  readonly service: string;
  readonly brand: Brand;
  readonly act: string;
}

/** Asks for a new sign-in before a decision; a link, because the console's forms lead to the console alone (`form-action`). */
export function StepUpPage(props: StepUpFrame & { readonly signInUrl: string; readonly keepsForm: boolean }) {
  return (
    <Layout title="Sign in again to continue" service={props.service} brand={props.brand}>
      <h1>Sign in again to continue</h1>
      <p class="lead">
        To continue with “{props.act}”, confirm that it’s you. Nothing has been changed yet.{" "}
        {props.keepsForm
          ? "You’ll come back here with everything you entered."
          : "You’ll have to fill in the form again, because it contains a secret that we don’t keep."}
      </p>
      <div class="actions">
        <a class="button" href="/admin">
          Cancel
        </a>
        <a class="button primary" href={props.signInUrl}>
          Sign in again
        </a>
      </div>
    </Layout>
  );
}

/** The form that waited for a new sign-in, to be sent by one more click. */
export function HeldFormPage(
  props: StepUpFrame & { readonly action: string; readonly csrfToken: string; readonly fields: HeldForm["fields"] },
) {
  return (
    <Layout title="Continue" service={props.service} brand={props.brand}>
      <h1>{props.act}?</h1>
      <p class="lead">
        You’re signed in again, and everything you entered is still here. Nothing has been changed yet.
      </p>
      <form method="post" action={props.action}>
        <input type="hidden" name="csrf_token" value={props.csrfToken} />
        <HiddenFields values={props.fields} />
        <div class="actions">
          <a class="button" href="/admin">
            Cancel
          </a>
          <button type="submit" class="primary">
            {props.act}
          </button>
        </div>
      </form>
    </Layout>
  );
}
