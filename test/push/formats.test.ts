import { strToU8, zipSync } from "fflate";
import { afterAll, describe, expect, it } from "vitest";
import { Extractor } from "../../clients/push/formats/extractor.ts";
import { docx, openDocument, paragraph, pdf, pptx, xlsx } from "./files.ts";

const extractor = new Extractor();
afterAll(() => extractor.close());

function read(format: string, content: string | Uint8Array) {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
  return extractor.read({ format, bytes, charactersMax: 1000 });
}

async function textOf(format: string, content: string | Uint8Array): Promise<string> {
  return (await read(format, content)).sections.map(({ text }) => text).join("\n¶\n");
}

describe("formats that the push tool reads", () => {
  it("Markdown: its front matter, or else its first heading; no code of MDX", async () => {
    const matter =
      "---\ntitle: Leave\nauthor: Ada Marlow <ada@acme.example>\ndate: 2026-01-02\ntags: [hr, leave]\n---\n";
    const found = await read("md", `${matter}# Ignored\n28 days\n\`\`\`\n# code\n\`\`\`\n`);
    expect(found).toMatchObject({
      mimeType: "text/markdown",
      title: "Leave",
      tags: ["hr", "leave"],
      author: { name: "Ada Marlow", email: "ada@acme.example" },
      createdAt: 1_767_312_000,
    });
    expect(found.sections).toMatchObject([{ label: "Ignored", text: "# Ignored\n28 days\n```\n# code\n```" }]);
    const module = await read(
      "mdx",
      "import { A } from 'a'\n\n# Hello\n\n```js\nimport b\n```\nexport const x = {\n  y: 1,\n}\n\nend",
    );
    expect(module.title).toBe("Hello");
    expect(module.sections[0]?.text.replaceAll(/\n+/g, " ")).toBe("# Hello ```js import b ``` end");
  });

  it("front matter that is none stays part of the text, and no alias bomb grows", async () => {
    const author = `Ada <${"a".repeat(65)}@acme.example>`;
    expect((await read("md", `---\nauthor: ${author}\n---\ntext`)).author).toEqual({ name: "Ada" });
    expect(await textOf("md", "---\nnot: [closed\n---\ntext")).toContain("not: [closed");
    const names = "abcdefghi".split("");
    const lines = names.map((name, at) => `${name}: &${name} [${(at === 0 ? "x," : `*${names[at - 1]},`).repeat(9)}]`);
    const bomb = lines.join("\n");
    expect(await textOf("md", `---\n${bomb}\n---\ntext`)).toContain("text");
  });

  it("text in UTF-8, UTF-16 and Windows-1252, and nothing that only has the name of text", async () => {
    expect(await textOf("txt", "Grüße")).toBe("Grüße");
    expect(await textOf("txt", new Uint8Array([0xff, 0xfe, 0x47, 0, 0xfc, 0]))).toBe("Gü");
    expect(await textOf("txt", new Uint8Array([0x47, 0xfc]))).toBe("Gü");
    await expect(read("txt", new Uint8Array([0x47, 0, 1, 2]))).rejects.toThrow("not text");
  });

  it("lines that end as on old Macs: front matter and headings", async () => {
    const found = await read("md", "---\rtitle: Leave\r---\r# Days\r28\r# More\rx");
    expect(found).toMatchObject({ title: "Leave", sections: [{ text: "# Days\n28" }, { text: "# More\nx" }] });
  });

  it("HTML: text without an element, nothing, and a wrong encoding", async () => {
    expect(await textOf("html", "Grüße")).toBe("Grüße");
    expect((await read("html", "")).sections).toEqual([]);
    for (const declared of ["utf-16", "unicode", "utf8", "nonsense"]) {
      expect(await textOf("html", `<meta charset="${declared}"><p>Grüße</p>`)).toBe("Grüße");
    }
    const latin = Buffer.from('<meta charset="iso-8859-1"><p>Grüße</p>', "latin1");
    expect(await textOf("html", new Uint8Array(latin))).toBe("Grüße");
  });

  it("reStructuredText and AsciiDoc: their headings", async () => {
    expect((await read("rst", "Leave policy\n============\n28 days\n\nMore\n----\nx")).sections).toEqual([
      { label: "Leave policy", text: "Leave policy\n28 days" },
      { label: "More", text: "More\nx" },
    ]);
    expect(await read("adoc", "= Leave policy\n28 days")).toMatchObject({ title: "Leave policy" });
  });

  it("CSV: each part of a long table has the headings", async () => {
    const rows = Array.from({ length: 100 }, (_, at) => `${at},somebody-${at}`);
    const { sections } = await read("csv", ["id,name", ...rows].join("\n"));
    expect(sections.length).toBeGreaterThan(1);
    expect(sections.every(({ text }) => text.startsWith("id,name\n"))).toBe(true);
    expect(sections.flatMap(({ text }) => text.split("\n").slice(1))).toEqual(rows);
    expect(sections.at(-1)?.label).toMatch(/^rows \d+–100$/);
    expect((await read("csv", ["id,name", ...rows].join("\r"))).sections).toEqual(sections);
  });

  it("HTML: the article without its frame and without what is hidden, with lists, tables and code in their shape", async () => {
    const prose = "Everybody has 28 days of leave a year, and takes them after asking their lead. ".repeat(5);
    const page = `<html><head><title>Leave – Acme</title><meta name=author content="Ada Marlow"></head><body>
      <nav>Home Products</nav><main><h1>Leave</h1><p>${prose}</p><ul><li><p>one</p></li><li>two</li></ul>
      <table><tr><td><p>DE</p></td><td><p>30</p></td></tr></table><pre>a  {\n  b\n}</pre>
      <p style="display: none">secret one</p><p hidden>secret two</p><!-- secret three --></main><footer>Imprint</footer></body></html>`;
    const found = await read("html", page);
    expect(found).toMatchObject({ title: "Leave", author: { name: "Ada Marlow" } });
    const [section] = found.sections;
    expect(section?.text).toContain("- one\n- two");
    expect(section?.text).toContain("DE | 30\n");
    expect(section?.text).toContain("a  {\n  b\n}");
    expect(section?.text).not.toMatch(/secret|Home|Imprint/);
    expect(await textOf("html", `<p>flat</p>${"<div>".repeat(20_000)}deep`)).toContain("deep");
  });

  it("Word: headings, tables and properties", async () => {
    const table = `<w:tbl><w:tr><w:tc>${paragraph("DE")}</w:tc><w:tc>${paragraph("30")}</w:tc></w:tr></w:tbl>`;
    const found = await read("docx", docx(paragraph("Leave", "H1") + paragraph("28 days") + table));
    expect(found).toMatchObject({ title: "Travel", author: { name: "Ada Marlow" }, createdAt: 1_767_323_045 });
    expect(found.sections).toEqual([{ label: "Leave", text: "Leave\n\n28 days\n\nDE | 30" }]);
  });

  it("PowerPoint: slides in the order of the presentation, with notes", async () => {
    expect((await read("pptx", pptx())).sections).toEqual([
      { label: "slide 1", text: "Opening\nleft | right\n\nSay hello first" },
      { label: "slide 2", text: "Closing & thanks\nleft | right" },
    ]);
  });

  it("Excel: each sheet by its name, with dates as dates", async () => {
    expect((await read("xlsx", xlsx())).sections).toEqual([
      { label: "Budget", text: "Travel | 1200.5 | 2025-01-01", isAlone: true },
      { label: "Staff", text: "Ada Marlow", isAlone: true },
    ]);
  });

  it("OpenDocument: text without deleted text and comments, slides, sheets", async () => {
    const text = `<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:h text:outline-level="1">Leave</text:h>
      <text:p>28<text:s/>days<office:annotation><text:p>comment</text:p></office:annotation></text:p>`;
    expect(await read("odt", openDocument("text", text))).toMatchObject({
      title: "Travel",
      author: { name: "Ada Marlow" },
      sections: [{ label: "Leave", text: "Leave\n28 days" }],
    });
    const cell = (words: string) => `<table:table-cell><text:p>${words}</text:p></table:table-cell>`;
    const sheet = `<table:table table:name="Budget"><table:table-row>${cell("Travel")}${cell("12")}</table:table-row></table:table>`;
    expect((await read("ods", openDocument("spreadsheet", sheet))).sections).toEqual([
      { label: "Budget", text: "Travel | 12", isAlone: true },
    ]);
    const slides = "<draw:page><text:p>One</text:p></draw:page><draw:page><text:p>Two</text:p></draw:page>";
    expect((await read("odp", openDocument("presentation", slides))).sections).toMatchObject([
      { label: "slide 1", text: "One" },
      { label: "slide 2", text: "Two" },
    ]);
  });

  it("PDF: its pages and properties", async () => {
    expect(await read("pdf", pdf("Who approves travel", "The lead"))).toMatchObject({
      title: "Travel policy",
      author: { name: "Ada Marlow" },
      createdAt: 1_767_323_045,
      sections: [
        { label: "page 1", text: "Who approves travel" },
        { label: "page 2", text: "The lead" },
      ],
    });
  });

  it("email: who wrote to whom, in any encoding, and the names of attachments", async () => {
    const message = [
      "From: =?utf-8?Q?J=C3=B6rg?= <joerg@acme.example>",
      "To: ada@acme.example",
      "Subject: =?utf-8?B?UMOkY2tjaGVu?=",
      "Date: Fri, 02 Jan 2026 03:04:05 +0000",
      "Content-Type: multipart/mixed; boundary=x",
      "",
      "--x",
      "Content-Type: text/html; charset=iso-8859-1",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "<p>Gr=FC=DFe</p>",
      "--x",
      "Content-Type: text/plain",
      "Content-Disposition: attachment; filename=plan.txt",
      "",
      "not read",
      "--x--",
    ].join("\r\n");
    const found = await read("eml", message);
    expect(found).toMatchObject({
      title: "Päckchen",
      author: { name: "Jörg", email: "joerg@acme.example" },
      createdAt: 1_767_323_045,
    });
    expect(found.sections[0]?.text).toBe("From: Jörg\nTo: ada@acme.example\nAttachments: plan.txt\n\nGrüße");
  });
});

describe("hostile files", () => {
  it("are reported, and the next file is read", async () => {
    await expect(read("pdf", "%PDF-1.7 broken")).rejects.toThrow();
    await expect(read("docx", "PK\u0003\u0004 broken")).rejects.toThrow();
    await expect(read("html", "<div>".repeat(30_001))).rejects.toThrow("nested more than 30000 deep");
    await expect(read("odt", zipSync({ "content.txt": strToU8("x") }))).rejects.toThrow("not an OpenDocument file");
    expect(await textOf("txt", "next")).toBe("next");
  });

  it("that unpack to more than a document can have are not unpacked", async () => {
    const small = zipSync({ "word/document.xml": strToU8("x"), "content.xml": strToU8("x") });
    const bomb = sayingSize(small, 120_000_000);
    for (const format of ["docx", "xlsx", "pptx", "odt"]) {
      await expect(read(format, bomb)).rejects.toThrow("more than 100 MB");
    }
    const names = Array.from({ length: 20_001 }, (_, at) => [`${at}.xml`, strToU8("")] as const);
    await expect(read("xlsx", zipSync(Object.fromEntries(names), { level: 0 }))).rejects.toThrow(
      "more than 20000 files",
    );
    // What an archive unpacks to is never longer than it says.
    const content = openDocument("text", `<text:p>${"x".repeat(50_000)}</text:p>`);
    expect(await textOf("odt", sayingSize(content, 300))).toMatch(/^x{0,300}$/);
  });

  it("that take too long or too much memory end their thread, and not the run", async () => {
    const hasty = new Extractor({ milliseconds: 1, heapMegabytes: 256, growthMegabytes: 350 });
    const order = { format: "pdf", bytes: pdf("slow"), charactersMax: 1000 };
    await expect(hasty.read({ ...order, bytes: order.bytes.slice() })).rejects.toThrow("not read within");
    await hasty.close();
    const narrow = new Extractor({ milliseconds: 60_000, heapMegabytes: 16, growthMegabytes: 350 });
    const deep = strToU8(`<html><body>${"<p>text</p>".repeat(100_000)}</body></html>`);
    await expect(narrow.read({ format: "html", bytes: deep, charactersMax: 1000 })).rejects.toThrow(
      "needs too much memory",
    );
    expect((await narrow.read({ format: "txt", bytes: strToU8("next"), charactersMax: 1000 })).sections).toEqual([
      { text: "next" },
    ]);
    await narrow.close();
  });
});

/** Returns an archive that says of each of its files that it unpacks to this many bytes. */
function sayingSize(archive: Uint8Array, size: number): Uint8Array {
  const bytes = archive.slice();
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length - 4; at += 1) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, size, true);
  }
  return bytes;
}
