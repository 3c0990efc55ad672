import type { Reach } from "#grants/grant-directory.ts";
import type { Question } from "#pages/views/asking-page.tsx";
import { counted } from "#pages/views/count.ts";
import { TextField } from "#pages/views/fields.tsx";
import type { FormState } from "#platform/form-state.ts";

/** Asks before all grants are revoked. The administrator types the instance's name to confirm. */
export function endGrantsQuestion(name: string, reach: Reach, state: FormState): Question {
  return {
    title: "End every app’s access?",
    words: [
      `Within 10 seconds ${counted(reach.clients, "app")} of ${counted(reach.people, "person", "people")} stop working: ${counted(reach.grants, "grant")} end, and so do sign-ins in progress.`,
      "Each app must ask each person again, and each person must allow it again. You can’t undo this.",
      "Service-issued tokens and identity providers’ tokens keep working.",
    ],
    more: <TextField name="name" label={`To continue, type ${name}`} required state={state} />,
  };
}

/** Asks before all sessions on our own pages end. */
export function signEverybodyOutQuestion(sessions: number): Question {
  return {
    title: "Sign everybody out?",
    words: [
      `${counted(sessions, "sign-in")} to this console and to /account end at once, including yours.`,
      "People can sign in again. Apps are not affected.",
    ],
  };
}

/** Asks before tokens of all identity providers are refused. */
export function refuseExternalTokensQuestion(issuers: readonly string[]): Question {
  return {
    title: "Refuse identity providers’ tokens?",
    words: [
      `Within 10 seconds the Client API refuses the access tokens of ${counted(issuers.length, "provider")}${issuers.length === 0 ? "" : `: ${issuers.join(", ")}`}.`,
      "Nothing is deleted. If you accept them again, tokens that haven’t expired work again. Sign-in is not affected.",
    ],
  };
}
