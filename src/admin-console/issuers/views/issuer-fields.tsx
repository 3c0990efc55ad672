import { Choices, LinesField, type Option, SelectField, TextField, Switch } from "#pages/views/fields.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface IssuerFieldsProps {
  readonly scopes: readonly Option[];
  readonly algorithms: readonly string[];
  readonly state: FormState;
}

const PERSON_BY: readonly Option[] = [
  { value: "email", label: "Their email address" },
  { value: "subject", label: "Their subject, if the same issuer is your single sign-on" },
];

const ACCEPTS: readonly Option[] = [
  { value: "access-tokens", label: "Access tokens" },
  { value: "id-jags", label: "Identity assertions (ID-JAG)" },
  { value: "both", label: "Both" },
];

const VOUCHING: readonly Option[] = [
  {
    value: "token",
    label: "The token",
    hint: "With the claim below, which must be true. Tokens without it are refused.",
  },
  {
    value: "administrator",
    label: "I vouch for every address of this provider",
    hint: "Only if nobody there, including guests, can set an address that they don’t own. Anybody who can would see what its owner may see.",
  },
];

/** The fields for all settings of a provider except its issuer. */
export function IssuerFields({ scopes, algorithms, state }: IssuerFieldsProps) {
  return (
    <>
      <TextField name="name" label="Name" maxlength={80} state={state} hint="Shown to administrators." />
      <SelectField
        name="accepts"
        label="Accept"
        options={ACCEPTS}
        state={state}
        hint="With an identity assertion (enterprise-managed authorization), an app connects for a person without a consent page."
      />
      <LinesField
        name="clientIds"
        label="Client ids"
        state={state}
        hint="The applications whose tokens are accepted, one per line. For identity assertions: their client ids here, such as https://claude.ai/oauth/mcp-oauth-client-metadata."
      />
      <TextField
        name="clientIdClaim"
        label="Claim that identifies the application"
        state={state}
        hint="If empty, the first of azp, appid, cid, client_id and aud that the token has."
      />
      <LinesField
        name="audiences"
        label="Audiences"
        rows={2}
        state={state}
        hint="Accepted audiences (aud), one per line; a token needs one of them. If empty, tokens that an application got for another service are accepted too, and that service could use them here."
      />
      <Choices
        name="scopes"
        label="Scopes of its tokens"
        type="checkbox"
        options={scopes}
        state={state}
        hint="The most that a token can have. If a token names some of these scopes, it has only those."
      />
      <Switch
        name="scopesRequired"
        label="Require tokens to name their scopes"
        hint="Off: a token that names none of these scopes has all that are selected above."
        state={state}
      />
      <SelectField
        name="personBy"
        label="People are identified by"
        options={PERSON_BY}
        state={state}
        hint="A subject is in the claim sub; at Okta in uid."
      />
      <TextField name="personClaim" label="Claim that identifies the person" state={state} hint="Usually email." />
      <EmailDomainsField state={state} />
      <TextField
        name="accountClaim"
        label="Claim that identifies the account"
        state={state}
        hint="If empty: sub; at Entra oid; at Okta uid. The account’s holder stays the same person if their email changes."
      />
      <VouchingField state={state} />
      <TextField
        name="emailVerifiedClaim"
        label="Claim that confirms the email"
        state={state}
        hint="Usually email_verified; at Entra xms_edov."
      />
      <TextField
        name="groupsClaim"
        label="Claim with the groups"
        state={state}
        hint="If empty, groups stay as they were at the person’s last sign-in."
      />
      <Switch
        name="groupsMeetDirectory"
        label="Treat its groups as directory groups"
        hint="Off: a group is named with its issuer, as in https://idp.example|finance, so that it is not your own finance."
        state={state}
      />
      <LinesField
        name="requiredClaims"
        label="Required claims"
        rows={2}
        state={state}
        placeholder="hd=acme.example"
        hint="One claim=value per line. Needed if one issuer serves several organisations."
      />
      <Choices
        name="algorithms"
        label="Signature algorithms"
        type="checkbox"
        options={algorithms.map((value) => ({ value, label: value }))}
        state={state}
        hint="Almost every provider uses RS256."
      />
      <TextField
        name="jwksUri"
        label="URL of its keys"
        state={state}
        hint="If empty, the URL in the provider’s discovery document."
      />
    </>
  );
}

/** The email domains that a provider may speak for, in every form of an issuer. */
export function EmailDomainsField({ state }: { readonly state: FormState }) {
  return (
    <LinesField
      name="emailDomains"
      label="Email domains"
      rows={2}
      state={state}
      placeholder="acme.example"
      hint="Your organisation’s email domains at this provider, one per line. Tokens with another email are refused."
    />
  );
}

/** Who confirms that people own their email address, in every form of an issuer. */
export function VouchingField({ state, hint }: { readonly state: FormState; readonly hint?: string }) {
  return (
    <Choices
      name="emailVouchedBy"
      label="Who confirms email addresses"
      type="radio"
      options={VOUCHING}
      state={state}
      hint={hint}
    />
  );
}
