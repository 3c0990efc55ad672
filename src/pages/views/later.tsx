import type { Child } from "hono/jsx";

/** A text with values that is written before its page is rendered, which knows the language. */
export function later(text: () => Child) {
  return <Later text={text} />;
}

function Later({ text }: { readonly text: () => Child }) {
  return <>{text()}</>;
}
