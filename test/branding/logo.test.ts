import { readLogo } from "#branding/logo.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { describe, expect, it } from "vitest";

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const file = (begin: readonly number[], length = begin.length) => {
  const bytes = new Uint8Array(length);
  bytes.set(begin);
  return bytes;
};
const textFile = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

describe("an uploaded logo", () => {
  it.each([
    ["image/png", file(PNG)],
    ["image/jpeg", file([0xff, 0xd8, 0xff])],
    ["image/webp", textFile("RIFF....WEBP")],
  ])("has the type that its bytes show: %s", (type, bytes) => {
    expect(readLogo(bytes).type).toBe(type);
  });

  it.each([
    ["an SVG, which can contain scripts", textFile('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["a page", textFile("<!doctype html>")],
    ["sound in the container of WebP", textFile("RIFF....WAVE")],
    ["the beginning of a PNG", file(PNG.slice(0, 7))],
    ["nothing", file([])],
    ["one byte more than 32 KB", file(PNG, 32 * 1024 + 1)],
  ])("is refused if it is %s", (_, bytes) => {
    expect(() => readLogo(bytes)).toThrow(AdministrationRefused);
  });
});
