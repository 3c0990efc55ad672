/** Returns a function that finds the row of a path at an address below `/admin`. Literal paths come before those with parameters. */
export function byPath<Row>(table: Readonly<Record<string, Row>>): (address: string) => Row | undefined {
  const literal = new Map(Object.entries(table).map(([path, row]) => [`/admin${path}`, row]));
  const patterns = [...literal]
    .filter(([path]) => path.includes(":"))
    .map(([path, row]) => [new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`), row] as const);
  return (address) => {
    const [path = ""] = address.split("?");
    return literal.get(path) ?? patterns.find(([pattern]) => pattern.test(path))?.[1];
  };
}
