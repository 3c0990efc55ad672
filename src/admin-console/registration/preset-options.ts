import { HOSTS, RECOGNISABLE_HOSTS } from "#clients/hosts.ts";

/**
 * The hosts that can be approved by name, as options of a form. Each hint lists the redirect URIs that this approves.
 */
export const PRESET_OPTIONS = HOSTS.map(({ id, name, redirectUris }) => {
  const isLocal = redirectUris.some((uri) => uri.startsWith("http://"));
  const warning = isLocal ? " Any program on the person’s computer can use such an address." : "";
  return { value: id, label: name, hint: `${redirectUris.join(", ")}.${warning}` };
});

/** The hosts that can be allowed to ask who people are, as options of a form. */
export const IDENTITY_HOST_OPTIONS = RECOGNISABLE_HOSTS.map(({ id, name }) => ({ value: id, label: name }));
