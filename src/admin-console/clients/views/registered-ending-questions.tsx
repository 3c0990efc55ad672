import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { cutOff, type Question } from "#pages/views/asking-page.tsx";
import type { AppPageProps } from "./registered-page.tsx";

type Reach = AppPageProps["reach"];

/** Asks before an app is disabled, or, if it waits for approval, denied. */
export function disableAppQuestion(app: AppShown, reach: Reach): Question {
  return {
    ...about(app),
    title: app.isPending ? "Deny this app?" : "Disable this app?",
    ...(app.isPending && { button: "Deny the app" }),
    words: [
      cutOff(reach),
      "It stays in the list. You can enable it again.",
      app.kind === "document"
        ? "Its address is refused too, so it can’t come back."
        : "It can register again as a new app, if the registration rules allow it.",
      <>
        To remove it from the list instead, <a href={app.path.replace("/app?", "/delete?")}>delete it</a>.
      </>,
    ],
  };
}

/** Asks before an app is deleted. */
export function deleteAppQuestion(app: AppShown, reach: Reach): Question {
  return {
    ...about(app),
    title: "Delete this app?",
    words: [
      cutOff(reach),
      "It is removed from the list. The audit log keeps its history.",
      app.kind === "document"
        ? "It comes back when somebody uses it again. To prevent this, disable it."
        : "It can register again as a new app.",
    ],
  };
}

function about({ id, name, destinations, path }: AppShown) {
  const lead = (
    <>
      <bdi>{name}</bdi>, which returns to <bdi>{destinations}</bdi>.
    </>
  );
  return { lead, fields: { id }, back: path };
}
