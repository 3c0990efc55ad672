import PostalMime from "postal-mime";
import { type Extracted, secondsOf, wordsOf } from "./extracted.ts";
import { sectionsOfHtml } from "./html.ts";
import { authorOf } from "./text.ts";

/** Reads a message: who wrote what to whom. Attachments are only named. */
export async function readEmail(bytes: Uint8Array): Promise<Extracted> {
  const mail = await PostalMime.parse(bytes, { attachmentEncoding: "arraybuffer" });
  const { from, to = [], cc = [], date, subject, text, html, attachments } = mail;
  const names = (list: readonly { readonly name?: string; readonly address?: string | undefined }[]) =>
    list.map(({ name, address }) => wordsOf(name) ?? address ?? "").join(", ");
  const shown = () => sectionsOfHtml(html ?? "").map((section) => section.text);
  const body = wordsOf(text) === undefined ? shown().join("\n\n") : text;
  const files = attachments.map(({ filename }) => filename ?? "unnamed");
  const head = [
    ...(from ? [`From: ${names([from])}`] : []),
    ...(to.length > 0 ? [`To: ${names(to)}`] : []),
    ...(cc.length > 0 ? [`Cc: ${names(cc)}`] : []),
    ...(files.length > 0 ? [`Attachments: ${files.join(", ")}`] : []),
  ];
  return {
    sections: [{ text: [head.join("\n"), body?.trim() ?? ""].join("\n\n").trim() }],
    title: wordsOf(subject),
    author: authorOf(from && { name: from.name, email: from.address }),
    createdAt: secondsOf(date),
    updatedAt: secondsOf(date),
  };
}
