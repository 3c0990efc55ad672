import type { ListedClient } from "#clients/client-directory.ts";
import { cutOff, type Question } from "#pages/views/asking-page.tsx";
import { counted } from "#pages/views/count.ts";

type Named = Pick<ListedClient, "name">;

/** The people and grants that lose access. */
interface Reach {
  readonly people: number;
  readonly grants: number;
}

/** Asks before a client's secret is replaced. */
export function rotateSecretQuestion({ name }: Named, reach: Reach): Question {
  return {
    title: "Replace the secret?",
    lead: leadOf(name),
    words: [
      "The old secret stops working at once. Until the app has the new one, it can’t sign people in or renew tokens.",
      `Grants are kept: ${counted(reach.grants, "grant")} of ${counted(reach.people, "person", "people")} will work with the new secret.`,
      "The new secret is shown once, on the next page.",
    ],
  };
}

/** Asks before a client is disabled. */
export function disableClientQuestion({ name }: Named, reach: Reach): Question {
  return {
    title: "Disable this app?",
    lead: leadOf(name),
    words: [
      cutOff(reach),
      "People can no longer sign in with it.",
      "It stays in the list. If you enable it again, its grants work again.",
    ],
  };
}

/** Asks before a client is deleted. */
export function deleteClientQuestion({ name }: Named, reach: Reach): Question {
  return {
    title: "Delete this app?",
    lead: leadOf(name),
    words: [
      cutOff(reach),
      "It is removed from the list, and its client id never works again. The audit log keeps its history.",
    ],
  };
}

function leadOf(name: string) {
  return (
    <>
      The app <bdi>{name}</bdi>.
    </>
  );
}
