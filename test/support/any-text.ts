import * as fc from "fast-check";

const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0xff), fc.nat(0x10ffff));

/**
 * Text of any characters, including controls and lone surrogates, but most often ASCII. fast-check's own unit for this spends
 * seconds on tables before the first text.
 */
export const anyText = fc.string({ unit: codePoint.map((point) => String.fromCodePoint(point)), maxLength: 20 });
