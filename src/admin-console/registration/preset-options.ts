import { HOSTS } from "#clients/hosts.ts";

/** The hosts that can be approved by name, as the choices of a form, each with the addresses that it stands for. */
export const PRESET_OPTIONS = HOSTS.map(({ id, name, redirectUris }) => {
  const isLocal = redirectUris.some((uri) => uri.startsWith("http://"));
  const warning = isLocal ? " Any program on the person’s computer can use such an address." : "";
  return { value: id, label: name, hint: `${redirectUris.join(", ")}.${warning}` };
});
