import type { Attributes } from "./markup.ts";
import { declarationsIn, followedBy, type Sheet, VALUE_CHARACTERS_MAX } from "./sheet.ts";

/** How text in an element looks. Elements inherit it. */
export interface Look {
  /** Whether a reader doesn't see the text. */
  readonly isHidden: boolean;
  /** Nothing within the element is shown, whatever it says itself. */
  readonly isGone: boolean;
  readonly isInvisible: boolean;
  readonly isTiny: boolean;
  /** The colours of text and background as 0xRRGGBB; `null`: unknown. */
  readonly ink: Colour | null;
  readonly paper: number | null;
}

type Colour = number | "transparent";

/** Letters smaller than this can't be read. */
const READABLE_PIXELS = 2;

/** Text that is moved this far to the left or up is outside of the window; to the right or down, ten times as far. */
const OUTSIDE_PIXELS = 500;

/** Colours that differ less in each of red, green and blue look the same. */
const SAME_COLOUR = 10;

const PIXELS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
  cm: 38,
  mm: 3.8,
  in: 96,
  vw: 12,
  vh: 8,
};

const LENGTH = /^(-?\d*\.?\d+)([a-z]*)(?![\d.%])/;

/** Returns a length in pixels; `null`: it depends on something else. */
function pixelsOf(value: string | undefined): number | null {
  const [, number = "", unit = ""] = LENGTH.exec(value ?? "") ?? [];
  if (number === "") return null;
  const size = Number(number);
  const factor = unit === "" ? (size === 0 ? 1 : undefined) : PIXELS[unit];
  return factor === undefined ? null : size * factor;
}

/** The look of a page before it says anything. @param paper `null`: what surrounds the page decides about its background */
export function plainLook(paper: number | null): Look {
  return { isHidden: false, isGone: false, isInvisible: false, isTiny: false, ink: 0, paper };
}

/**
 * Returns the look of an element. Only what certainly hides text counts.
 *
 * @param sheet the rules of the page's own `style` elements
 */
export function lookOf(parent: Look, name: string, attributes: Attributes, sheet: Sheet): Look {
  if (attributes.size === 0 && !sheet.hasRules && name !== "dialog") return parent;
  const style = attributes.get("style");
  const ofSheet = sheet.declarationsFor(name, attributes);
  const css = style === undefined ? ofSheet : followedBy(ofSheet, declarationsIn(style));
  const isHiddenByName = attributes.has("hidden") || (name === "dialog" && !attributes.has("open"));
  const hasUnknownRules = attributes.has("class") && ofSheet === null;
  const colours = ["color", "bgcolor"].map((one) => attributes.get(one)?.slice(0, VALUE_CHARACTERS_MAX));
  if (css === null && !isHiddenByName && !hasUnknownRules && colours.every((one) => one === undefined)) return parent;
  const of = (property: string) => css?.get(property)?.replace(/\s*!\s*important$/, "");
  const display = of("display");
  const visibility = of("visibility");
  const ink = inkOf(of, colours[0]) ?? parent.ink;
  const paper = paperOf(of, colours[1]);
  const look = {
    isGone:
      parent.isGone || (display === undefined ? isHiddenByName : display === "none") || (css !== null && isGone(of)),
    isInvisible: visibility === undefined ? parent.isInvisible : /^(?:hidden|collapse)/.test(visibility),
    isTiny: isTiny(of, parent.isTiny),
    ink: ink === "unknown" ? null : ink,
    paper: paper === "unknown" ? null : (paper ?? (hasUnknownRules ? null : parent.paper)),
  };
  return { ...look, isHidden: look.isGone || look.isInvisible || look.isTiny || isLost(look) };
}

type Of = (property: string) => string | undefined;

/** Whether an element is removed, transparent, cut off or moved away, so that nothing in it can be seen. */
function isGone(of: Of): boolean {
  if (of("content-visibility") === "hidden") return true;
  const isMoving = of("animation") !== undefined || of("animation-name") !== undefined;
  if (!isMoving && (isNothing(of("opacity")) || isNothing(/opacity\(([^)]*)\)/.exec(of("filter") ?? "")?.[1]))) {
    return true;
  }
  const transform = of("transform") ?? "";
  if (!isMoving && (/scale(?:3d|x|y)?\(\s*0*\.?0*\s*[,)]/.test(transform) || isNothing(of("scale")))) return true;
  const moved = /translate(?:3d|x|y)?\(([^)]*)\)/.exec(transform)?.[1]?.split(",") ?? [];
  const isPlaced = /^(?:absolute|fixed|relative)/.test(of("position") ?? "");
  const places = isPlaced ? ["left", "top", "right", "bottom"].map(of) : [];
  const margins = [of("margin-left"), of("margin-top"), of("margin")];
  const isOutside = [...moved, ...places, ...margins, of("text-indent")].some((length) => {
    const pixels = pixelsOf(length?.trim()) ?? 0;
    return pixels <= -OUTSIDE_PIXELS || pixels >= OUTSIDE_PIXELS * 10;
  });
  if (isOutside) return true;
  if (
    /^(?:inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*0(?:px)?\s+0(?:px)?\s*(?:,\s*0(?:px)?\s+0(?:px)?\s*)*\))/.test(
      of("clip-path") ?? "",
    )
  ) {
    return true;
  }
  const isAbsolute = /^(?:absolute|fixed)/.test(of("position") ?? "");
  if (
    isAbsolute &&
    /^rect\(\s*([01])(?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)/.test(of("clip") ?? "")
  ) {
    return true;
  }
  const isCut = ["overflow", "overflow-x", "overflow-y"].some((one) => /hidden|clip/.test(of(one) ?? ""));
  return isCut && ["width", "height", "max-width", "max-height"].some((one) => (pixelsOf(of(one)) ?? 99) <= 1);
}

/** Whether a share, as a number or in percent, is so small that nothing is seen. */
function isNothing(share: string | undefined): boolean {
  const [, number = "", percent] = /^\s*(\d*\.?\d+)(%?)\s*$/.exec(share ?? "") ?? [];
  return number !== "" && Number(number) / (percent === "%" ? 100 : 1) <= 0.05;
}

/** Whether letters are too small to be seen. A size relative to nothing is nothing. */
function isTiny(of: Of, isParentTiny: boolean): boolean {
  const size = of("font-size") ?? /(?:^|\s)(\d*\.?\d+[a-z%]*)(?:\s*\/|\s)/.exec(of("font") ?? "")?.[1];
  if (size === undefined || size === "inherit") return isParentTiny;
  if (/^(?:0*\.?0+)(?:%|[a-z]+)?$/.test(size)) return true;
  if (/(?:em|%|ex|ch|smaller|larger)$/.test(size) && !size.endsWith("rem")) return isParentTiny;
  const pixels = pixelsOf(size);
  return pixels !== null && pixels < READABLE_PIXELS;
}

/** Whether text has no colour, or the colour of its background. */
function isLost({ ink, paper }: Pick<Look, "ink" | "paper">): boolean {
  if (ink === "transparent") return true;
  if (ink === null || paper === null) return false;
  return [16, 8, 0].every((bits) => Math.abs(((ink >> bits) & 255) - ((paper >> bits) & 255)) < SAME_COLOUR);
}

/** `undefined`: nothing is said. */
function inkOf(of: Of, attribute: string | undefined): Colour | "unknown" | undefined {
  const value = of("-webkit-text-fill-color") ?? of("color") ?? attribute?.toLowerCase();
  if (value === undefined || /^(?:inherit|unset|currentcolor)/.test(value)) return undefined;
  // The background may be cut to the shape of the letters.
  const colour = colourOf(value);
  return colour === "transparent" && /url|gradient/.test(`${of("background")} ${of("background-image")}`)
    ? "unknown"
    : (colour ?? "unknown");
}

function paperOf(of: Of, attribute: string | undefined): number | "unknown" | undefined {
  const value = of("background-color") ?? of("background") ?? attribute?.toLowerCase();
  if (value === undefined || /^(?:inherit|none|unset|initial)/.test(value)) return undefined;
  const colour = /url|gradient|var/.test(value) ? null : (colourOf(value) ?? null);
  return colour === "transparent" ? undefined : (colour ?? "unknown");
}

const COLOURS = new Map<string, Colour>([
  ["white", 0xffffff],
  ["black", 0],
  ["transparent", "transparent"],
  ["red", 0xff0000],
  ["green", 0x008000],
  ["blue", 0x0000ff],
  ["yellow", 0xffff00],
  ["gray", 0x808080],
  ["grey", 0x808080],
  ["silver", 0xc0c0c0],
  ["snow", 0xfffafa],
  ["ivory", 0xfffff0],
  ["whitesmoke", 0xf5f5f5],
  ["ghostwhite", 0xf8f8ff],
]);

/** Returns the colour that a value is or begins with; `null`: it isn't known. */
function colourOf(value: string): Colour | null {
  const [hex] = /(?<=^#)[\da-f]+/.exec(value) ?? [];
  if (hex !== undefined) {
    const digits = hex.length <= 4 ? hex.replace(/./g, "$&$&") : hex;
    if (/^.{6}(?:0[0-9a-c])$/.test(digits)) return "transparent";
    return digits.length === 6 || digits.length === 8 ? Number.parseInt(digits.slice(0, 6), 16) : null;
  }
  const [, kind, list = ""] = /^(rgb|hsl)a?\(([^)]*)\)/.exec(value) ?? [];
  if (kind === undefined) return COLOURS.get(/^[a-z]+/.exec(value)?.[0] ?? "") ?? null;
  const numbers = list.split(/[\s,/]+/).filter((part) => part !== "");
  const [first = "", second = "", third = "", alpha] = numbers;
  if (isNothing(alpha)) return "transparent";
  if (kind === "hsl") return third === "100%" ? 0xffffff : third === "0%" ? 0 : null;
  const parts = [first, second, third].map((part) =>
    part.endsWith("%") ? Number.parseFloat(part) * 2.55 : Number(part),
  );
  return parts.some(Number.isNaN) ? null : parts.reduce((all, part) => (all << 8) | Math.min(Math.round(part), 255), 0);
}
