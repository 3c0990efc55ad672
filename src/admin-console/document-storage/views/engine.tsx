/** The name of an engine on pages. */
export function Engine({ name }: { readonly name: string }) {
  if (name === "object") return <>this instance’s own Durable Object</>;
  return (
    <>
      PostgreSQL (<code class="word">{name}</code>)
    </>
  );
}
