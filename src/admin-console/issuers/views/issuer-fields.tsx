import { Choices, LinesField, type Option, SelectField, TextField, Switch } from "#pages/views/fields.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface IssuerFieldsProps {
  readonly scopes: readonly Option[];
  readonly algorithms: readonly string[];
  readonly state: FormState;
}

const PERSON_BY: readonly Option[] = [
  { value: "email", label: "Their email address" },
  { value: "subject", label: "Their subject, where the same issuer signs people in here" },
];

/** Who says that an address is its holder's. */
export const VOUCHING: readonly Option[] = [
  {
    value: "token",
    label: "The token says so",
    hint: "By the claim named below, which has to be true. A token without it lets nobody in.",
  },
  {
    value: "administrator",
    label: "I vouch for every address of this provider",
    hint: "Only where nobody there, guests included, can set an address that is not theirs. Whoever can, reads here what its owner may read.",
  },
];

/** Everything that can be set about a provider but its issuer. */
export function IssuerFields({ scopes, algorithms, state }: IssuerFieldsProps) {
  return (
    <>
      <TextField name="name" label="Name" maxlength={80} state={state} hint="What administrators call it." />
      <LinesField
        name="clientIds"
        label="Client ids"
        state={state}
        hint="The applications whose tokens pass, one a line. Any other application’s token is refused."
      />
      <TextField
        name="clientIdClaim"
        label="Claim that names the application"
        state={state}
        hint="Empty: the first there is of azp, appid, cid, client_id and aud."
      />
      <LinesField
        name="audiences"
        label="Audiences"
        rows={2}
        state={state}
        hint="Whom tokens must be for (aud), one a line; one of them is enough. Without any, a token that an application got for another service passes too, and that service could use it here."
      />
      <Choices name="scopes" label="What its tokens may do" type="checkbox" options={scopes} state={state} />
      <SelectField
        name="personBy"
        label="A person is known by"
        options={PERSON_BY}
        state={state}
        hint="A subject is in the claim sub, at Okta in uid."
      />
      <TextField name="personClaim" label="Claim that holds it" state={state} hint="Usually email." />
      <EmailDomainsField state={state} />
      <TextField
        name="accountClaim"
        label="Claim that identifies the account"
        state={state}
        hint="Empty: sub, at Entra oid, at Okta uid. Whoever has it stays the same person under another email."
      />
      <Choices
        name="emailVouchedBy"
        label="Who says that an address is its holder’s"
        type="radio"
        options={VOUCHING}
        state={state}
      />
      <TextField
        name="emailVerifiedClaim"
        label="Claim by which the token says it"
        state={state}
        hint="Usually email_verified; at Entra xms_edov."
      />
      <TextField
        name="groupsClaim"
        label="Claim that lists groups"
        state={state}
        hint="Empty: a person’s groups stay as their last sign-in here left them."
      />
      <Switch
        name="groupsMeetDirectory"
        label="Its groups are the directory’s"
        hint="Off: a group is named with its issuer, as in https://idp.example|finance, so that it is not your own finance."
        state={state}
      />
      <LinesField
        name="requiredClaims"
        label="Required claims"
        rows={2}
        state={state}
        placeholder="hd=acme.example"
        hint="One a line as claim=value. Needed where one issuer serves several organisations."
      />
      <Choices
        name="algorithms"
        label="Signatures that hold"
        type="checkbox"
        options={algorithms.map((value) => ({ value, label: value }))}
        state={state}
        hint="RS256 for nearly every provider."
      />
      <TextField
        name="jwksUri"
        label="Address of its keys"
        state={state}
        hint="Empty: as the provider’s discovery document says."
      />
    </>
  );
}

/** For whose addresses a provider speaks, in every form of an issuer. */
export function EmailDomainsField({ state }: { readonly state: FormState }) {
  return (
    <LinesField
      name="emailDomains"
      label="Email domains"
      rows={2}
      state={state}
      placeholder="acme.example"
      hint="The domains of the people that this provider speaks for, one a line. A token with any other email is refused."
    />
  );
}
