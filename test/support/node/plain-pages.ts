import { expect } from "vitest";
import { openConsole } from "./browser-administrator.ts";
import { BROWSER_ORIGIN } from "./gatehouse.ts";

/**
 * A script for the browser that parses pages, and then asks the browser which field a label belongs to, whether a form may be
 * sent and what it sends. The page's own scripts don't run, and nothing is drawn.
 */
const READER = `globalThis.reader = {
  async open(url, init) {
    const response = await fetch(url, init);
    this.url = response.url;
    this.page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (response.status >= 500) throw new Error(this.url + " answered " + response.status);
  },
  wordsOf(element, between = "") {
    const texts = this.page.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const words = [];
    while (texts.nextNode()) if (!texts.currentNode.parentElement.closest("select, textarea")) words.push(texts.currentNode.data);
    return words.join(between).replace(/\\s+/g, " ").trim();
  },
  part(selector) {
    const found = this.page.querySelector(selector);
    if (!found) throw new Error("no " + selector + " at " + this.url + ": " + this.wordsOf(this.page.body));
    return found;
  },
  nameOf(element) {
    const namedBy = element.querySelector(":scope > legend, :scope > caption") ?? element.labels?.[0] ?? element;
    return element.getAttribute("aria-label") ?? this.wordsOf(namedBy, " ");
  },
  all(selector, name, within) {
    const scope = within === undefined ? this.page : this.one("fieldset", within);
    const shown = [...scope.querySelectorAll(selector)].filter((element) => !element.closest("[hidden]"));
    const named = shown.filter((element) => this.nameOf(element) === name);
    return named.length > 0 ? named : shown.filter((element) => this.nameOf(element).startsWith(name));
  },
  one(selector, name, within) {
    const found = this.all(selector, name, within);
    if (found.length === 1 || (found.length > 1 && found.every(({ href }) => href && href === found[0].href))) return found[0];
    throw new Error(found.length + " times " + selector + " named " + name + " at " + this.url + ": " + this.wordsOf(this.page.body));
  },
  field(name, within) {
    return this.one("input:not([type=hidden]), select, textarea", name, within);
  },
  follow(name) {
    return this.open(new URL(this.one("a[href]", name).getAttribute("href"), this.url));
  },
  enter(name, value, within) {
    const field = this.field(name, within);
    if (typeof value === "boolean") field.checked = value;
    else field.value = value;
    if (typeof value === "string" && field.matches("select") && field.value !== value) throw new Error(name + " has no " + value);
  },
  press(name) {
    const button = this.one("button:not([type=button])", name);
    const { form } = button;
    if (!form.noValidate && !form.checkValidity()) throw new Error("the browser does not send this form: " + name);
    const url = new URL(button.getAttribute("formaction") ?? form.getAttribute("action") ?? "", this.url);
    const fields = [...new FormData(form, button)].map(([key, value]) => [key, value.replace(/\\r?\\n/g, "\\r\\n")]);
    const body = new URLSearchParams(fields);
    if (form.method === "post") return this.open(url, { method: "POST", body });
    url.search = body;
    return this.open(url);
  },
}`;

/** A text, or whether a box is ticked. */
type Value = string | boolean;

/**
 * A page of the console as it works without scripts, for somebody who follows its links and sends its forms. This takes an eighth
 * of the time of drawing a page. What only drawing shows, such as hidden fields, needs a browser: see `openConsole`.
 */
export interface PlainPage {
  /** Follows a link. @param name its text, or the beginning of it */
  follow(name: string): Promise<void>;
  /** Fills in fields by their labels. @param within the legend of their group */
  enter(values: Readonly<Record<string, Value>>, within?: string): Promise<void>;
  /** Presses a button, which sends its form as a browser does. Fails if a browser would not send the form. */
  press(name: string): Promise<void>;
  /** Returns the content of a field: its text, or whether it is ticked. */
  value(field: string, within?: string): Promise<Value>;
  /** Expects that a message links to the field, and that the field is marked as invalid. */
  expectRefused(field: string, within?: string): Promise<void>;
  /** Returns the text of the page, or of its part with a role, such as a status. */
  text(role?: "status" | "alert"): Promise<string>;
  /** Returns the HTML of the page. */
  html(): Promise<string>;
  /** Returns how many links have this name or one that begins with it. */
  countLinks(name: string): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a page of the console as Ada. */
export async function openPlainPage(path: string, origin = BROWSER_ORIGIN): Promise<PlainPage> {
  // A small file of the same origin that has no script or policy of its own.
  const ada = await openConsole("/assets/icon.svg", undefined, origin);
  const run = <Answer>(call: string, ...values: readonly unknown[]) =>
    ada.page.evaluate<Answer>(`reader.${call.replace("…", values.map((value) => JSON.stringify(value)).join(", "))}`);
  await ada.page.evaluate(READER);
  await run("open(…)", origin + path);
  return {
    follow: (name) => run("follow(…)", name),
    async enter(values, within) {
      for (const [name, value] of Object.entries(values)) await run("enter(…)", name, value, within);
    },
    press: (name) => run("press(…)", name),
    value: (...field) =>
      run("field(…).matches('[type=checkbox], [type=radio]')", ...field).then((isBox) =>
        run<Value>(isBox === true ? "field(…).checked" : "field(…).value", ...field),
      ),
    async expectRefused(...field) {
      const id = await run<string>("field(…).id", ...field);
      expect(await run("field(…).getAttribute('aria-invalid')", ...field)).toBe("true");
      expect(await run("part('[role=alert] a').hash")).toBe(`#${id}`);
    },
    text: (role) => run("wordsOf(reader.part(…))", role === undefined ? "main" : `[role=${role}]`),
    html: () => run("page.documentElement.outerHTML"),
    countLinks: (name) => run("all('a[href]', …).length", name),
    [Symbol.asyncDispose]: ada[Symbol.asyncDispose],
  };
}
