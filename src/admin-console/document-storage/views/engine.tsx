/** An engine, as pages call it. */
export function Engine({ name }: { readonly name: string }) {
  if (name === "object") return <>this instance’s own object</>;
  return (
    <>
      PostgreSQL (<code class="word">{name}</code>)
    </>
  );
}
