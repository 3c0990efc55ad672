import { getDocumentProxy } from "unpdf";
import { type Extracted, type Section, secondsOf, wordsOf } from "./extracted.ts";
import { authorOf } from "./text.ts";

/** Reads the text of a PDF, page by page. */
export async function readPdf(bytes: Uint8Array): Promise<Extracted> {
  const document = await getDocumentProxy(bytes, { verbosity: 0 }).catch((error: Error) => {
    throw error.name === "PasswordException" ? new Error("protected by a password") : error;
  });
  const sections: Section[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    // A word that is divided at the end of a line is one word.
    const joined = text.replaceAll(/(\p{Ll})-\n(?=\p{Ll})/gu, "$1").trim();
    if (joined !== "") sections.push({ label: `page ${number}`, text: joined });
    page.cleanup();
  }
  const info = ((await document.getMetadata()).info ?? {}) as Readonly<Record<string, unknown>>;
  return {
    sections,
    title: titleOf(info["Title"]),
    author: authorOf(info["Author"]),
    createdAt: timeOf(info["CreationDate"]),
    updatedAt: timeOf(info["ModDate"]),
  };
}

/** Programs often write the name of the file that they printed. */
function titleOf(title: unknown): string | undefined {
  const words = wordsOf(title);
  return words === undefined || /^(untitled|microsoft (word|powerpoint) - )|\.\w{3,4}$/i.test(words)
    ? undefined
    : words;
}

/** Reads `D:20260131120000+01'00'`, of which everything after the year may be missing. */
function timeOf(written: unknown): number | undefined {
  const [, digits = "", sign, hours = "", minutes = "00"] =
    /^D:(\d{4}(?:\d\d){0,5})(?:([+-])(\d\d)'?(\d\d)?)?/.exec(String(written)) ?? [];
  const whole = digits + "00000101000000".slice(digits.length);
  const time = whole.replace(/^(....)(..)(..)(..)(..)(..)$/, "$1-$2-$3T$4:$5:$6");
  return digits === "" ? undefined : secondsOf(`${time}${sign === undefined ? "Z" : `${sign}${hours}:${minutes}`}`);
}
