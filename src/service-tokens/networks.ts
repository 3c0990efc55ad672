import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Returns a network in its canonical form: CIDR, host bits zero, IPv4-mapped IPv6 as IPv4. A single address is a network of one.
 *
 * @returns `undefined` for anything else
 */
export function parseNetwork(text: string): string | undefined {
  const [written = "", length, ...rest] = text.split("/");
  const address = parseAddress(written);
  if (!address || rest.length > 0) return undefined;
  const bits = address.kind() === "ipv4" ? 32 : 128;
  if (length !== undefined && (!/^(0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > bits)) return undefined;
  const prefix = length === undefined ? bits : Number(length);
  const cidr = `${address.toString()}/${prefix}`;
  if (address.kind() === "ipv4") return `${ipaddr.IPv4.networkAddressFromCIDR(cidr).toString()}/${prefix}`;
  const network = ipaddr.IPv6.networkAddressFromCIDR(cidr);
  return network.isIPv4MappedAddress() && prefix >= 96
    ? `${network.toIPv4Address().toString()}/${prefix - 96}`
    : `${network.toString()}/${prefix}`;
}

/**
 * Checks whether a token with these networks may be used from an address. Without networks, any address is allowed. Otherwise an
 * absent or unreadable address is refused, so nobody gets in by hiding their address.
 *
 * @param networks as {@link parseNetwork} writes them
 */
export function isWithinNetworks(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true;
  const read = parseAddress(address);
  if (!read) return false;
  const caller = read instanceof ipaddr.IPv6 && read.isIPv4MappedAddress() ? read.toIPv4Address() : read;
  return networks.some((text) => {
    const network = ipaddr.parseCIDR(text);
    return network[0].kind() === caller.kind() && caller.match(network);
  });
}

/**
 * Checks whether all addresses of some networks are within other networks, both as {@link parseNetwork} writes them. An empty list
 * means any address.
 */
export function areWithinNetworks(networks: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0) return true;
  const blocks = outer.map((text) => ipaddr.parseCIDR(text));
  return (
    networks.length > 0 &&
    networks.every((text) => {
      const [address, prefix] = ipaddr.parseCIDR(text);
      return blocks.some((block) => block[0].kind() === address.kind() && prefix >= block[1] && address.match(block));
    })
  );
}

/**
 * Parses an address. Forms that readers understand differently are refused: octal, hexadecimal and shortened IPv4, the deprecated
 * `::192.0.2.1` (RFC 4291 §2.5.5.1), and zones, which name a machine's own interfaces.
 */
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (/%|^::[0-9]+\./.test(text) || !ipaddr.IPv6.isValid(text)) return undefined;
  const embedded = text.slice(text.lastIndexOf(":") + 1);
  if (embedded.includes(".") && !ipaddr.IPv4.isValidFourPartDecimal(embedded)) return undefined;
  return ipaddr.IPv6.parse(text);
}
