import type { Child } from "hono/jsx";

/** A form of our own pages: it posts, and carries the CSRF token. The console has `Form` (form.tsx). */
export function PostForm(props: {
  readonly action: string;
  readonly csrfToken: string;
  readonly class?: string;
  readonly children?: Child;
}) {
  const { csrfToken, children, ...attributes } = props;
  return (
    <form method="post" {...attributes}>
      <input type="hidden" name="csrf_token" value={csrfToken} />
      {children}
    </form>
  );
}
