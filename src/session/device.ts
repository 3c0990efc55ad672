/** Browsers by what their User-Agent contains. Most also name others, so the first one that matches is meant. */
const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["CriOS/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const SYSTEMS = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["CrOS", "ChromeOS"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;

/**
 * Returns a browser and its system as people know them: "Firefox, Windows". Only these words are stored, never the header itself, which
 * can identify a device. @returns an empty text if neither is known
 */
export function deviceOf(userAgent: string): string {
  const named = [BROWSERS, SYSTEMS].map((names) => names.find(([sign]) => userAgent.includes(sign))?.[1]);
  return named.filter((name) => name !== undefined).join(", ");
}
