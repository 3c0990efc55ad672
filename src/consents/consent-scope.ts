/** Whose consents, or which app's, an act is about, in one instance. */
export type ConsentScope =
  | { readonly kind: "person"; readonly personId: string }
  | { readonly kind: "client"; readonly clientId: string }
  | { readonly kind: "client-of-person"; readonly personId: string; readonly clientId: string }
  | { readonly kind: "instance" };
