import type { Locale } from "#messages/locale.ts";
import { PostForm } from "./post-form.tsx";

export interface Reader {
  readonly locale: Locale;
  readonly person: { readonly name: string; readonly email: string; readonly role: string | null };
  readonly csrfToken: string;
}

/** Who is signed in, at the top of their pages: links to the other ones, and a button to sign out. */
export function SignedIn({ locale: { messages }, person, csrfToken }: Reader) {
  return (
    <PostForm action="/sign-out" csrfToken={csrfToken} class="who">
      <span class="me">
        <bdi>{person.name}</bdi> <bdi class="quiet">{person.email}</bdi>
      </span>
      <a href="/search">{messages.search}</a>
      <a href="/account">{messages.account_title}</a>
      {person.role === null ? null : <a href="/admin">{messages.account_admin}</a>}
      <button type="submit">{messages.account_sign_out}</button>
    </PostForm>
  );
}
