/** Where the console's own style and script are. */
export const CONSOLE_STYLESHEET_PATH = "/assets/console.css";
export const CONSOLE_SCRIPT_PATH = "/assets/console.js";

/** The console works without it: it adds "Copy" beside a secret, where the browser can copy. */
export const CONSOLE_SCRIPT = `
for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = "Copied";
  });
}
`.trimStart();

/** The console's style, over the one of all pages: same palettes, same controls, room for tables. */
export const CONSOLE_STYLESHEET = `
body.console {
  display: grid; grid-template: auto 1fr / 14rem minmax(0, 1fr); align-items: start; padding: 0;
  --good: #11643a; --good-soft: #e5f5ec; --bad: #a11b1b; --bad-soft: #fdecec; --bad-line: #eab8b8;
}
@media (prefers-color-scheme: dark) {
  body.console { --good: #86dcae; --good-soft: #12301f; --bad: #ff9f9f; --bad-soft: #361717; --bad-line: #6d2f2f; }
}
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; z-index: 2; padding: .5rem .9rem; background: var(--card); border-radius: .6rem; }
.console .bar {
  grid-column: 1 / -1; display: flex; justify-content: space-between; align-items: center; gap: 1rem;
  padding: .65rem 1.5rem; background: var(--card); border-bottom: 1px solid var(--line);
}
.console .bar .brand { margin: 0; }
.who { display: flex; align-items: center; gap: 1rem; font-size: .925rem; margin: 0; }
.console button, .console .button {
  flex: none; display: inline-flex; align-items: center; justify-content: center; min-height: 2.5rem; padding: .4rem 1rem;
  font: inherit; font-weight: 600; font-size: .95rem; border-radius: .6rem; text-decoration: none;
  border: 1px solid var(--edge); background: transparent; color: var(--text);
}
.console button[hidden] { display: none; }
.console button.primary, .console .button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
.console button.danger, .console .button.danger { border-color: var(--bad); color: var(--bad); }
.console button.primary:hover, .console .button.primary:hover { background: var(--accent-deep); border-color: var(--accent-deep); }
.console button.danger.primary { background: var(--bad); color: var(--card); }
.console .bar button { min-height: 2.2rem; padding: .2rem .8rem; }
.sections { padding: 1.25rem .75rem; position: sticky; top: 0; }
.sections ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .1rem; }
.sections a { display: block; padding: .45rem .75rem; border-radius: .55rem; text-decoration: none; color: var(--text); }
.sections a:hover { background: var(--accent-soft); }
.sections a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.console main { padding: 1.75rem 2rem 4rem; max-width: 68rem; outline: none; }
.console h1 { margin-bottom: .4rem; }
.console main > .lead { max-width: 44rem; }
.console main > .notice { margin: 0 0 1.25rem; }
.panel {
  background: var(--card); border: 1px solid var(--line); border-radius: .9rem; padding: 1.25rem 1.5rem; margin-top: 1.25rem;
}
.panel h2 { margin: 0 0 .5rem; font-size: 1.05rem; }
.table { overflow-x: auto; border: 1px solid var(--line); border-radius: .9rem; background: var(--card); margin-top: 1rem; }
.panel .table { border: 0; border-radius: 0 0 .9rem .9rem; margin: .5rem -1.5rem -1.25rem; }
table { border-collapse: collapse; width: 100%; font-size: .925rem; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .85rem; }
th, td { padding: .6rem 1.5rem .6rem 0; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
th:first-child, td:first-child { padding-left: 1.5rem; }
tbody tr:last-child td { border-bottom: 0; }
td .quiet { display: block; font-size: .85rem; }
.decide { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0; }
.id { display: block; overflow-wrap: anywhere; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.empty { color: var(--quiet); padding: 1rem 0 0; margin: 0; }
.badge { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: .82rem; font-weight: 600; white-space: nowrap; }
.badge.good { background: var(--good-soft); color: var(--good); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }
.badge.off { background: var(--page); color: var(--quiet); }
.form { display: grid; gap: 1.1rem; max-width: 40rem; margin-top: .75rem; }
.form .actions { margin: 0; flex-wrap: wrap; }
.form > ul, .form > p, .form > .facts { margin-top: 0; margin-bottom: 0; }
.field { display: grid; gap: .3rem; }
.field > label, .secret > label, .choices legend { font-weight: 600; font-size: .95rem; padding: 0; }
.field input:not([type=checkbox]), .field textarea, .field select, .secret input {
  width: 100%; min-height: 2.5rem; padding: .45rem .7rem; font: inherit; color: var(--text); background: var(--page);
  border: 1px solid var(--edge); border-radius: .6rem;
}
.field textarea, .secret input { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9rem; }
.hint { margin: 0; color: var(--quiet); font-size: .875rem; }
.error { margin: 0; color: var(--bad); font-size: .9rem; font-weight: 600; }
.wrong input, .wrong textarea, .wrong select { border-color: var(--bad) !important; }
.choices { border: 0; margin: 0; padding: 0; display: grid; gap: .35rem; min-width: 0; }
.choices > label, .switch { display: grid; grid-template-columns: 1.2rem 1fr; gap: .7rem; align-items: start; cursor: pointer; }
.choices > label { padding: .35rem 0; }
.choices input, .switch input { width: 1.1rem; height: 1.1rem; margin: .2rem 0 0; accent-color: var(--accent); }
.choices .words { display: grid; }
.choices .words strong { font-weight: 500; }
.choices .words span { color: var(--quiet); font-size: .875rem; }
.switch span { font-weight: 600; }
.notice.problem { border-color: var(--bad-line); background: var(--bad-soft); color: var(--bad); margin: 0; }
.notice.problem a { color: inherit; }
.notice ul { margin: .4rem 0 0; padding-left: 1.2rem; }
.secret { display: grid; gap: .4rem; padding: 1rem 1.25rem; border: 1px solid var(--warn-line); background: var(--warn-soft); border-radius: .9rem; margin-top: 1rem; }
.secret > div { display: flex; gap: .6rem; }
.steps { margin: .75rem 0 0; padding-left: 1.6rem; display: grid; gap: .6rem; }
.steps p { margin: .1rem 0 0; overflow-wrap: anywhere; }
.steps .open { color: var(--quiet); }
.decoded { margin: .3rem 0 0; padding: .7rem .9rem; overflow: auto; max-height: 24rem; background: var(--page); border: 1px solid var(--line); border-radius: .6rem; font: .85rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.panel h3 { margin: .9rem 0 0; font-size: .95rem; }
.form > .notice { margin: 0; }
#algorithms { grid-template-columns: repeat(auto-fill, minmax(6rem, 1fr)); }
#algorithms > p { grid-column: 1 / -1; }
.table code { overflow-wrap: anywhere; }
.copied { display: flex; gap: .6rem; }
.danger-zone { border-color: var(--bad-line); }
.findings { list-style: none; margin: .5rem 0 0; padding: 0; }
.findings li { display: grid; grid-template-columns: 5.2rem minmax(0, 1fr); gap: .75rem; padding: .6rem 0; border-top: 1px solid var(--line); }
.findings li:first-child { border-top: 0; }
.findings p { margin: 0; color: var(--quiet); font-size: .925rem; }
.findings .remedy { color: var(--text); }
.findings .badge { justify-self: start; align-self: start; margin-top: .1rem; }
.table + .hint, .panel + .hint { margin-top: .6rem; }
.dangers, .dangers dd { margin: 0; }
.dangers > div { padding: 1rem 0; border-top: 1px solid var(--line); }
.dangers > div:first-child { border-top: 0; padding-top: .25rem; }
.dangers dt { font-weight: 600; }
.dangers p { color: var(--quiet); margin: .1rem 0 .6rem; }
.logo-shown img { max-width: 12rem; max-height: 4rem; object-fit: contain; }
.command {
  margin: .5rem 0 0; padding: .8rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .6rem;
  background: var(--page); font: .85rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
.panel h3 { margin: 1.25rem 0 .3rem; font-size: .95rem; }
.links-in-row { display: flex; flex-wrap: wrap; gap: .2rem .9rem; }
.toolbar { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin-top: 1rem; }
.chart { margin: 0; }
.chart svg { display: block; width: 100%; height: 5rem; fill: var(--accent); }
.chart + .table { margin-top: 1rem; }
.detail { margin: 0; white-space: pre-wrap; font: .82rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; max-width: 26rem; }
.toolbar .field { flex: 1 1 11rem; max-width: 16rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; margin: 1.25rem 0 0; padding: 0; }
.figures > div { display: grid; align-content: space-between; gap: .2rem; background: var(--card); border: 1px solid var(--line); border-radius: .9rem; padding: 1rem 1.25rem; }
.figures dt { color: var(--quiet); font-size: .875rem; }
.figures dd { margin: 0; font-size: 1.6rem; font-weight: 650; }
@media (min-width: 64rem) {
  .console .facts div { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 1rem; align-items: baseline; }
}
.key-rows { display: grid; gap: .8rem; }
.key-row {
  margin: 0; padding: .35rem .9rem .8rem; border: 1px solid var(--line); border-radius: .7rem; min-width: 0;
  display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .6rem .9rem; align-items: start;
}
.key-row legend { padding: 0 .3rem; font-size: .85rem; color: var(--quiet); }
.key-row > .field:last-child { grid-column: 1 / -1; }
.form summary { cursor: pointer; font-weight: 600; font-size: .95rem; }
.form details[open] summary { margin-bottom: .8rem; }
@media (max-width: 52rem) {
  body.console { grid-template: auto auto 1fr / minmax(0, 1fr); }
  .console .bar { padding: .6rem 1rem; }
  .sections { position: static; padding: .5rem .75rem; overflow-x: auto; border-bottom: 1px solid var(--line); }
  .sections ul { display: flex; width: max-content; }
  .console main { padding: 1.25rem 1rem 3rem; }
  .panel { padding: 1rem; }
  .panel .table { margin: .5rem -1rem -1rem; }
}
@media (max-width: 40rem) {
  .table thead { display: none; }
  .table tr { display: block; padding: .7rem 1rem; border-bottom: 1px solid var(--line); }
  .table tbody tr:last-child { border-bottom: 0; }
  .table td, .table td:first-child { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: 0 .75rem; padding: .2rem 0; border: 0; }
  .table td > * { grid-column: 2; justify-self: start; }
  .table td::before { content: attr(data-heading); color: var(--quiet); font-size: .85rem; }
  .who a { display: none; }
  .key-row { grid-template-columns: minmax(0, 1fr); }
}
`.trimStart();
