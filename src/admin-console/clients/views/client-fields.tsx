import { Choices, LinesField, type Option, TextField } from "#pages/views/fields.tsx";
import type { FormState } from "#platform/form-state.ts";

/** An app's public keys. */
export function KeysField({ hint, state }: { readonly hint: string; readonly state: FormState }) {
  return (
    <LinesField
      name="keys"
      label="Public keys"
      state={state}
      placeholder="https://app.example.com/jwks.json"
      hint={`${hint} The https address of its JWK Set, or the set itself: ES256, PS256 or RS256, up to four keys.`}
    />
  );
}

/** The fields that an administrator fills in when creating or changing an app. */
export function ClientFields({
  scopes,
  requirements,
  state,
}: {
  readonly scopes: readonly Option[];
  readonly requirements: readonly Option[];
  readonly state: FormState;
}) {
  return (
    <>
      <TextField
        name="name"
        label="Name"
        required
        maxlength={100}
        state={state}
        hint="People see it when the app asks for access."
      />
      <LinesField
        name="redirectUris"
        label="Redirect URIs"
        state={state}
        placeholder="https://app.example.com/callback"
        hint="One per line, from the app’s documentation. Use https or the app’s own scheme; http only for this computer (http://127.0.0.1/callback), where every port matches."
      />
      <Choices name="scopes" label="What it may do" type="checkbox" options={scopes} state={state} />
      <Choices name="requirements" label="What it must do" type="checkbox" options={requirements} state={state} />
    </>
  );
}
