import PostalMime from "postal-mime";
import { type Extracted, secondsOf, wordsOf } from "./extracted.ts";
import { sectionsOfHtml } from "./html.ts";
import { authorOf } from "./text.ts";

/** Reads a message: who wrote what to whom. Attachments are only named. */
export async function readEmail(bytes: Uint8Array): Promise<Extracted> {
  const {
    from,
    to = [],
    cc = [],
    date,
    subject,
    text,
    html,
    attachments,
  } = await PostalMime.parse(bytes, {
    attachmentEncoding: "arraybuffer",
  });
  const names = (list: readonly { readonly name?: string; readonly address?: string | undefined }[]) =>
    list.map(({ name, address }) => wordsOf(name) ?? address ?? "").join(", ");
  const body =
    wordsOf(text) === undefined
      ? sectionsOfHtml(html ?? "")
          .map((section) => section.text)
          .join("\n\n")
      : text;
  const head = [
    ...(from ? [`From: ${names([from])}`] : []),
    ...(to.length > 0 ? [`To: ${names(to)}`] : []),
    ...(cc.length > 0 ? [`Cc: ${names(cc)}`] : []),
    ...(attachments.length > 0
      ? [`Attachments: ${attachments.map(({ filename }) => filename ?? "unnamed").join(", ")}`]
      : []),
  ];
  return {
    mimeType: "text/plain",
    sections: [{ text: [head.join("\n"), body?.trim() ?? ""].join("\n\n").trim() }],
    title: wordsOf(subject),
    author: authorOf(from && { name: from.name, email: from.address }),
    createdAt: secondsOf(date),
    updatedAt: secondsOf(date),
  };
}
