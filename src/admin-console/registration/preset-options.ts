import { HOSTS, RECOGNISABLE_HOSTS } from "#clients/hosts.ts";

const isLocal = (uri: string) => uri.startsWith("http://");

/** The hosts that can be approved by name, as options of a form. At a local address, any program may listen. */
export const PRESET_OPTIONS = HOSTS.map(({ id, name, redirectUris }) => ({
  value: id,
  label: redirectUris.some(isLocal) ? `${name} (local)` : name,
}));

/** The redirect URIs that approving each host approves, by its name. */
export const PRESET_ADDRESSES = HOSTS.map(({ name, redirectUris }) => [name, redirectUris.join(", ")] as const);

/** The hosts that can be allowed to ask who people are, as options of a form. */
export const IDENTITY_HOST_OPTIONS = RECOGNISABLE_HOSTS.map(({ id, name }) => ({ value: id, label: name }));
