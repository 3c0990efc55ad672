/**
 * The one stylesheet of all pages. System fonts, two palettes, no images: nothing to load, nothing to leak.
 *
 * Text has a contrast of at least 4.5:1 on its ground, what can be pressed 3:1 (WCAG 2.2 §1.4.3, §1.4.11).
 */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --page: #f3f5f8; --card: #ffffff; --text: #16202c; --quiet: #526070; --line: #dfe4ea; --edge: #7f8c9b;
  --accent: #0b5cad; --accent-deep: #084a8c; --accent-text: #ffffff; --accent-soft: #e8f1fb;
  --warn: #6f4500; --warn-soft: #fff6e3; --warn-line: #ecd29c;
  --shadow: 0 1px 2px #10203014, 0 16px 40px -20px #10203040;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e141b; --card: #17202a; --text: #e9eff5; --quiet: #a3b1c0; --line: #2b3947; --edge: #74869a;
    --accent: #7db8f5; --accent-deep: #a5cefa; --accent-text: #0b1a2a; --accent-soft: #1a2d41;
    --warn: #f3cf8e; --warn-soft: #2c2413; --warn-line: #5f4b21;
    --shadow: 0 1px 2px #00000040;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
  padding: clamp(1.25rem, 5vh, 3.5rem) 1rem 2rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
}
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 600; margin-bottom: 1.1rem; }
.mark { width: 1.4rem; height: 1.4rem; border: .32rem solid var(--accent); border-bottom: 0; border-radius: .8rem .8rem 0 0; }
.logo { max-width: 9rem; max-height: 2.2rem; object-fit: contain; }
.card {
  width: 100%; max-width: 29rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1.1rem; box-shadow: var(--shadow);
}
.card.wide { max-width: 44rem; }
.notice.first { margin: 0 0 1.25rem; }
.apps, .abilities { list-style: none; margin: 0; padding: 0; }
.apps > li { padding: 1.1rem 0; border-top: 1px solid var(--line); }
.apps h2 { margin: 0 0 .15rem; font-size: 1.1rem; }
.apps .quiet { font-size: .925rem; margin: 0 0 .4rem; }
.apps button { min-height: 2.5rem; padding: .3rem 1rem; }
.apps time { white-space: nowrap; }
.abilities { margin: 0 0 .4rem; }
.abilities li { padding-left: 1.4rem; position: relative; }
.abilities li::before {
  content: ""; position: absolute; left: .25rem; top: .3rem; width: .35rem; height: .65rem;
  border: solid var(--accent); border-width: 0 .14rem .14rem 0; transform: rotate(45deg);
}
.signed-in, .afterwards { margin: 1.25rem 0 0; font-size: .925rem; }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 1rem; font-weight: 650; letter-spacing: -.012em; text-wrap: balance; }
h1 bdi { color: var(--accent); }
h2 { font-size: .95rem; margin: 1.4rem 0 .4rem; font-weight: 600; }
h2 .quiet { font-weight: 400; }
p { margin: 0 0 .75rem; }
a { color: var(--accent); text-underline-offset: .15em; }
a:hover { color: var(--accent-deep); }
.lead, .quiet { color: var(--quiet); }
.person {
  display: flex; align-items: center; gap: .8rem; margin: 0; padding: .65rem .85rem;
  border: 1px solid var(--line); border-radius: .8rem; font-size: .925rem; line-height: 1.35;
}
.person > span:last-child { display: grid; min-width: 0; }
.person strong { font-weight: 600; font-size: 1rem; }
.person .quiet:first-child { font-size: .85rem; }
.initials {
  flex: none; width: 2.6rem; height: 2.6rem; display: grid; place-items: center; border-radius: 50%;
  background: var(--accent-soft); color: var(--accent); font-weight: 600; font-size: .9rem;
}
.scopes { list-style: none; margin: 0 -.6rem; padding: 0; }
.scopes label, .scopes .fixed {
  position: relative; display: grid; grid-template-columns: 1.2rem 1fr; gap: .75rem; padding: .4rem .6rem;
  border-radius: .6rem; line-height: 1.4;
}
.scopes label { cursor: pointer; }
.scopes label:hover { background: var(--page); }
.scopes input { width: 1.15rem; height: 1.15rem; margin: .15rem 0 0; accent-color: var(--accent); cursor: inherit; }
.scopes .words { grid-column: 2; color: var(--quiet); font-size: .925rem; }
.scopes .words strong { display: block; font-size: 1rem; font-weight: 600; color: var(--text); }
.scopes .fixed::before {
  content: ""; position: absolute; left: 1rem; top: .6rem; width: .35rem; height: .65rem;
  border: solid var(--accent); border-width: 0 .14rem .14rem 0; transform: rotate(45deg);
}
.facts { margin: .9rem 0 0; font-size: .925rem; }
.facts div { padding: .5rem 0; line-height: 1.4; }
.facts div + div { border-top: 1px solid var(--line); }
.facts dt { color: var(--quiet); font-size: .85rem; }
.facts dd { margin: 0; font-weight: 600; }
.facts dd .quiet { font-weight: 400; }
.notice {
  margin: 1.4rem 0 0; padding: .75rem 1rem; border: 1px solid var(--warn-line); border-radius: .8rem;
  background: var(--warn-soft); color: var(--warn); font-size: .925rem; line-height: 1.45;
}
.notice p { margin: 0; }
.notice p + p { margin-top: .4rem; }
.notice.approved { border-color: transparent; background: var(--accent-soft); color: var(--text); }
.actions { display: flex; gap: .75rem; margin-top: 1.25rem; }
button, a.button {
  flex: 1; min-height: 3rem; padding: .6rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  border-radius: .8rem; border: 1px solid var(--edge); background: transparent; color: var(--text);
}
a.button { text-align: center; text-decoration: none; }
button:hover, a.button:hover { background: var(--page); }
button.primary, a.button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
button.primary:hover, a.button.primary:hover { background: var(--accent-deep); border-color: var(--accent-deep); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }
button:focus-visible, a.button:focus-visible { border-radius: .8rem; }
code { font: .9em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.address { display: block; padding: .75rem 1rem; border-radius: .8rem; background: var(--accent-soft); }
.links { list-style: none; padding: 0; margin: 1.1rem 0 0; font-size: .925rem; display: grid; gap: .35rem; }
.foot { margin-top: 1.25rem; font-size: .85rem; color: var(--quiet); }
@media (max-width: 30rem) {
  .card { padding: 1.4rem 1.25rem; }
  h1 { font-size: 1.3rem; }
}
`.trimStart();
