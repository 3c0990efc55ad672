/**
 * Where a link leads that an app or a document chose: nowhere, if that is here. What a browser opens from a page of ours counts as our
 * own navigation, for which remembered consent is silent: the link could be an authorization request that nobody made.
 *
 * @param issuer our origin, against which browsers read `https:oauth/authorize`, too
 * @returns `undefined`, with which `<a>` is no link
 */
export function outsideHref(address: string, issuer: string): string | undefined {
  return URL.canParse(address, issuer) && new URL(address, issuer).origin === issuer ? undefined : address;
}
