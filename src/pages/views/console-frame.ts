import type { Locale } from "#messages/locale.ts";

/** What every page of the console needs besides its content. */
export interface ConsoleFrame {
  /** The time of the request, in epoch seconds. */
  readonly now: number;
  /** The path of the request. */
  readonly path: string;
  readonly locale: Locale;
  readonly service: string;
  readonly organisation: string;
  /** The URL of the organisation's logo. */
  readonly logo: string | undefined;
  /** Who is signed in. Without a role, it is the first administrator, before there is a single sign-on to sign in with. */
  readonly person: { readonly name: string; readonly email: string; readonly role: string | null };
  /** What this person's role doesn't allow; absent if it allows everything. */
  readonly limits: string | undefined;
  /** What was just done. */
  readonly done: string | undefined;
  readonly csrfToken: string;
  /** Creates a new id for one form of the page. */
  readonly newFormId: () => string;
  /** Returns why this person may not send the form at an address; `undefined` if they may. */
  readonly refusalOf: (href: string) => string | undefined;
}

let current: ConsoleFrame | undefined;

/**
 * Renders a page, whose components get the frame by {@link useFrame}. All of it is rendered before this returns, so the frames of
 * concurrent requests can't mix.
 *
 * @param page an element without asynchronous components
 */
export function renderWithin(frame: ConsoleFrame, page: { readonly toString: () => string }): string {
  current = frame;
  try {
    return page.toString();
  } finally {
    current = undefined;
  }
}

/** Returns the frame of the page that is being rendered. */
export function useFrame(): ConsoleFrame {
  if (!current) throw new Error("This component is part of a page of the console");
  return current;
}

/** The tag of texts, in the language of the page that is being rendered. */
export const t = ((...text: Parameters<Locale["t"]>) => useFrame().locale.t(...text)) as Locale["t"];

/** Returns a text that was written elsewhere, or before the page was rendered, in the language of the page. */
export function known(english: string): string {
  return useFrame().locale.known(english);
}

/** Returns a list with commas, whose items are {@link known}. */
export function knownList(english: string): string {
  return english.split(", ").map(known).join(", ");
}
