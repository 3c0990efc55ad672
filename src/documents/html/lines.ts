/** Where text goes: the page, or a cell of a table. */
interface Block {
  readonly parts: string[];
  /** What the next text begins with: the sign of a list's entry. */
  sign: string;
  /** Whether its line breaks are those of code. */
  hasCode: boolean;
}

/** A place in the text, to which it can be cut back. */
export interface Mark {
  readonly block: Block;
  readonly length: number;
  readonly sign: string;
}

/** Longer rows are made for the layout of a page, or hold paragraphs. Each line of their cells is a line. */
const ROW_CHARACTERS_MAX = 500;

/** Rows within rows, of which older pages consist. Deeper ones are lines. */
const ROWS_DEEP_MAX = 8;

/** A line break in code after an empty line. No text contains this character, because control characters are removed. */
const EMPTY_LINE = "\u0000";

/** Put together, the lines that a reader sees: a paragraph, an entry of a list, a row of a table, a line of code. */
export class Lines {
  #block: Block = newBlock();
  readonly #rows: ({ readonly outer: Block; readonly cells: Block[] } | null)[] = [];

  /** Adds text. @param isCode whether its spaces and line breaks are kept */
  text(chunk: string, isCode: boolean): void {
    const { parts } = this.#block;
    if (isCode) return this.#code(chunk);
    let shown = chunk.replace(/[ \t\r\n\f]+/g, " ");
    if (shown.startsWith(" ") && /^$|[ \n]$/.test(parts.at(-1)?.slice(-1) ?? "")) shown = shown.slice(1);
    if (shown !== "") this.#add(shown);
  }

  #code(chunk: string): void {
    const [first = "", ...lines] = chunk.replaceAll("\r\n", "\n").split("\n");
    if (first !== "") this.#add(first);
    for (const line of lines) {
      const isEmpty = this.#block.parts.at(-1)?.endsWith("\n") ?? true;
      this.#block.parts.push(isEmpty ? `${EMPTY_LINE}\n` : "\n");
      if (line !== "") this.#add(line);
    }
    if (lines.length > 0) this.#block.hasCode = true;
  }

  #add(shown: string): void {
    const { parts, sign } = this.#block;
    if (sign !== "" && shown.trim() !== "") {
      parts.push(sign);
      this.#block.sign = "";
    }
    parts.push(shown);
  }

  /** Ends the line, if it has begun. */
  end(): void {
    const { parts } = this.#block;
    if (parts.length > 0 && parts.at(-1) !== "\n") parts.push("\n");
  }

  /** Begins an entry of a list. */
  startEntry(sign: string): void {
    this.#block.sign = sign;
  }

  startRow(): void {
    this.end();
    this.#rows.push(this.#rows.length < ROWS_DEEP_MAX ? { outer: this.#block, cells: [] } : null);
  }

  startCell(): void {
    const row = this.#rows.at(-1);
    if (!row) return this.end();
    this.#block = newBlock();
    row.cells.push(this.#block);
  }

  endRow(): void {
    const row = this.#rows.pop();
    if (!row) return this.end();
    this.#block = row.outer;
    this.end();
    const cells = row.cells.map((cell) => linesOf(cell));
    const line = cells.map((lines) => lines.join(" ")).join(" | ");
    const isOne = line.length <= ROW_CHARACTERS_MAX && !row.cells.some(({ hasCode }) => hasCode);
    const isTable = cells.filter((lines) => lines.length > 0).length > 1;
    if (isOne && isTable) this.#block.parts.push(line.replace(/^[ |]+/, "").replace(/(?:\s\|)+\s?$/, ""));
    else for (const one of cells.flat()) this.#block.parts.push(one === "" ? EMPTY_LINE : one, "\n");
    this.end();
  }

  mark(): Mark {
    const { parts, sign } = this.#block;
    return { block: this.#block, length: parts.length, sign };
  }

  /** Returns the text since a mark without the spaces around it, if it has at most `max` characters. */
  since({ block, length }: Mark, max: number): string | null {
    let text = "";
    for (let at = length; at < block.parts.length; at++) {
      text += block.parts[at];
      if (text.length > max) return null;
    }
    return text.trim();
  }

  /** Removes the text since a mark. */
  cutBack({ block, length, sign }: Mark): void {
    block.parts.length = Math.min(block.parts.length, length);
    block.sign = sign;
  }

  toString(): string {
    while (this.#rows.length > 0) this.endRow();
    return linesOf(this.#block).join("\n");
  }
}

function newBlock(): Block {
  return { parts: [], sign: "", hasCode: false };
}

/** What links to neighbouring pages say: "Prev | Up | Home". */
const LINKS = /^(?:(?:prev(?:ious)?|next|up|home|top|contents|index)(?![^\s|])[\s|]*){3,}$/i;

/** Returns the lines that have text, and empty ones between lines of code. */
function linesOf({ parts }: Block): string[] {
  const lines = parts
    .join("")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !(line.length < 100 && LINKS.test(line)))
    .map((line) => (line === EMPTY_LINE ? "" : line));
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}
