import type { Child } from "hono/jsx";

/** A POST form with the CSRF token. The console uses `Form` (form.tsx) instead. */
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
