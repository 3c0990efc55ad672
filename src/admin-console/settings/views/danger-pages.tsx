import { AskingPage } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import { TextField } from "#pages/views/fields.tsx";
import type { FormState } from "#platform/form-state.ts";
import type { Reach } from "#grants/grant-directory.ts";
import type { Child } from "hono/jsx";

export interface EndGrantsPageProps {
  readonly frame: ConsoleFrame;
  readonly name: string;
  readonly reach: Reach;
  readonly state: FormState;
}

/** Asks before all grants are revoked. The administrator types the instance's name to confirm. */
export function EndGrantsPage({ frame, name, reach, state }: EndGrantsPageProps) {
  return (
    <Asking frame={frame} title="End every app’s access?" act="end-grants" button="End all access" state={state}>
      <ul>
        <li>
          Within 10 seconds {counted(reach.clients, "app")} of {counted(reach.people, "person", "people")} stop working:{" "}
          {counted(reach.grants, "grant")} end, and so do sign-ins in progress.
        </li>
        <li>Each app must ask each person again, and each person must allow it again. You can’t undo this.</li>
        <li>Service-issued tokens and identity providers’ tokens keep working.</li>
      </ul>
      <TextField name="name" label={`To continue, type ${name}`} required state={state} />
    </Asking>
  );
}

/** Asks before all sessions on our own pages end. */
export function SignEverybodyOutPage({ frame, sessions }: { readonly frame: ConsoleFrame; readonly sessions: number }) {
  return (
    <Asking frame={frame} title="Sign everybody out?" act="sign-everybody-out" button="Sign everybody out">
      <ul>
        <li>{counted(sessions, "sign-in")} to this console and to /account end at once, including yours.</li>
        <li>People can sign in again. Apps are not affected.</li>
      </ul>
    </Asking>
  );
}

/** Asks before tokens of all identity providers are refused. */
export function RefuseExternalTokensPage(props: { readonly frame: ConsoleFrame; readonly issuers: readonly string[] }) {
  return (
    <Asking
      frame={props.frame}
      title="Refuse identity providers’ tokens?"
      act="refuse-external-tokens"
      button="Refuse all"
    >
      <ul>
        <li>
          Within 10 seconds the Client API refuses the access tokens of {counted(props.issuers.length, "provider")}
          {props.issuers.length === 0 ? "" : `: ${props.issuers.join(", ")}`}.
        </li>
        <li>
          Nothing is deleted. If you accept them again, tokens that haven’t expired work again. Sign-in is not affected.
        </li>
      </ul>
    </Asking>
  );
}

function Asking(props: {
  readonly frame: ConsoleFrame;
  readonly title: string;
  readonly act: string;
  readonly button: string;
  readonly state?: FormState;
  readonly children?: Child;
}) {
  const { act, ...others } = props;
  return <AskingPage {...others} section="/admin/settings" action={`/admin/settings/${act}`} back="/admin/settings" />;
}
