import { addressText, isWithinNetwork, type IpNetwork, parseIpAddress, parseIpNetwork } from "#platform/ip-network.ts";

/**
 * A network in its one spelling: CIDR, host bits zero, IPv4 that is mapped into IPv6 as IPv4. A single address is a network of
 * one.
 *
 * @returns `undefined` for anything else
 */
export function parseNetwork(text: string): string | undefined {
  const network = parseIpNetwork(text);
  return network && `${addressText(network)}/${network.prefix}`;
}

/**
 * Whether a token with these networks may be used from an address. Without networks it may be from anywhere; with them, an
 * address that is absent or unreadable is outside: nobody gets in by hiding where they are.
 *
 * @param networks as {@link parseNetwork} writes them
 */
export function isWithinNetworks(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true;
  const caller = parseIpAddress(address);
  return caller !== undefined && isWithinAny(caller, networks);
}

/** Whether every address within some networks is within others too, both as {@link parseNetwork} writes them; none: any. */
export function areWithinNetworks(networks: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0) return true;
  const inner = networks.map(parseIpNetwork);
  return inner.length > 0 && inner.every((network) => network !== undefined && isWithinAny(network, outer));
}

function isWithinAny(inner: IpNetwork, outer: readonly string[]): boolean {
  return outer.some((text) => {
    const network = parseIpNetwork(text);
    return network !== undefined && isWithinNetwork(inner, network);
  });
}
