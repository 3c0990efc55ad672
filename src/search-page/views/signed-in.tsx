import { type Locale, textOf } from "#messages/locale.ts";
import { PostForm } from "#pages/views/post-form.tsx";

export interface Reader {
  readonly locale: Locale;
  readonly person: { readonly name: string; readonly email: string };
  readonly csrfToken: string;
}

/** Who is signed in, with a button to sign out. */
export function SignedIn({ locale, person, csrfToken }: Reader) {
  return (
    <PostForm action="/sign-out" csrfToken={csrfToken} class="signed-in quiet">
      <span>
        {textOf(locale, "account_signed_in_as", { name: person.name, email: person.email })}{" "}
        <a href="/account">{locale.messages.welcome_apps}</a>
      </span>
      <button type="submit">{locale.messages.account_sign_out}</button>
    </PostForm>
  );
}
