import { strToU8, zipSync } from "fflate";

/** Packs the parts of an office file. */
function archive(parts: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

const RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

const relationships = (targets: readonly (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;

const CORE = `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Travel</dc:title><dc:creator>Ada Marlow</dc:creator>
  <dcterms:created>2026-01-02T03:04:05Z</dcterms:created></cp:coreProperties>`;

export function docx(body: string): Uint8Array {
  return archive({
    "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    "_rels/.rels": relationships([["a", "officeDocument", "word/document.xml"]]),
    "word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    "word/styles.xml": `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    "word/_rels/document.xml.rels": relationships([["s", "styles", "styles.xml"]]),
    "docProps/core.xml": CORE,
  });
}

export const paragraph = (text: string, style = "") =>
  `<w:p>${style === "" ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

/** A presentation whose second file is its first slide, which has notes. */
export function pptx(): Uint8Array {
  const slide = (text: string) =>
    `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>${text}</a:t></a:r></a:p><a:tbl><a:tr><a:tc><a:p><a:t>left</a:t></a:p></a:tc><a:tc><a:p><a:t>right</a:t></a:p></a:tc></a:tr></a:tbl></p:sld>`;
  return archive({
    "ppt/presentation.xml": `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="b"/><p:sldId r:id="a"/></p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships([
      ["a", "slide", "slides/slide1.xml"],
      ["b", "slide", "slides/slide2.xml"],
    ]),
    "ppt/slides/slide1.xml": slide("Closing &amp; thanks"),
    "ppt/slides/slide2.xml": slide("Opening"),
    "ppt/slides/_rels/slide2.xml.rels": relationships([["n", "notesSlide", "../notesSlides/notesSlide7.xml"]]),
    "ppt/notesSlides/notesSlide7.xml": "<p:notes><a:p><a:t>Say hello first</a:t></a:p></p:notes>",
    "docProps/core.xml": CORE,
  });
}

/** A workbook with two sheets, a shared text, a number and a date. */
export function xlsx(): Uint8Array {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  return archive({
    "xl/workbook.xml": `<workbook ${main} xmlns:r="${RELATIONSHIPS}"><sheets><sheet name="Budget" sheetId="1" r:id="a"/><sheet name="Staff" sheetId="2" r:id="b"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships([
      ["a", "worksheet", "worksheets/sheet1.xml"],
      ["b", "worksheet", "worksheets/sheet2.xml"],
      ["c", "sharedStrings", "sharedStrings.xml"],
      ["d", "styles", "styles.xml"],
    ]),
    "xl/sharedStrings.xml": `<sst ${main}><si><t>Travel</t></si></sst>`,
    "xl/styles.xml": `<styleSheet ${main}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": `<worksheet ${main}><dimension ref="A1:C1"/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>1200.5</v></c><c r="C1" s="1"><v>45658</v></c></row></sheetData></worksheet>`,
    "xl/worksheets/sheet2.xml": `<worksheet ${main}><dimension ref="A1"/><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Ada Marlow</t></is></c></row></sheetData></worksheet>`,
    "docProps/core.xml": CORE,
  });
}

export function openDocument(kind: "text" | "presentation" | "spreadsheet", content: string): Uint8Array {
  return archive({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d">${content}</office:document-content>`,
    "meta.xml": `<office:document-meta xmlns:office="o" xmlns:dc="d" xmlns:meta="m"><dc:title>Travel</dc:title><meta:initial-creator>Ada Marlow</meta:initial-creator></office:document-meta>`,
  });
}

/** A PDF with a page for each text. */
export function pdf(...pages: readonly string[]): Uint8Array {
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, at) => {
      const stream = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
    "<< /Title (Travel policy) /Author (Ada Marlow) /CreationDate (D:20260102030405Z) >>",
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  file += `trailer << /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${start}\n%%EOF`;
  return strToU8(file, true);
}
