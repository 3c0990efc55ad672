import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";

const CACHE = "node_modules/.cache/chromium";

/**
 * Nobody looks at what is drawn, and each process more is a start: pages share the renderer of their context whatever their site, and
 * the GPU's work is done, by the processor, in the browser's own process.
 */
const FEWER_PROCESSES = [
  "--disable-site-isolation-trials",
  "--renderer-process-limit=1",
  "--in-process-gpu",
  "--disable-software-rasterizer",
];

/**
 * A page of the tests is gone before what it runs is worth optimizing. That goes for axe-core above all, half a megabyte that V8 would
 * optimize anew for each page: looking at one costs a quarter less without.
 */
const UNOPTIMIZED = "--js-flags=--no-maglev --no-turbofan";

/**
 * A page takes over the frame of the page before it. With a frame of its own for each page, Chromium would send that frame all scripts
 * of the context anew, and opening a page with axe-core would take twice as long. Chromium takes the last such list alone, so this one
 * repeats the other two features that Playwright turns on.
 */
const KEPT_FRAMES =
  "--enable-features=CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies,RenderDocument:level/crashed-frame";

const ARGUMENTS = [...FEWER_PROCESSES, UNOPTIMIZED, KEPT_FRAMES];

/** Where the browser of the tests is; `null`: it is the Chrome that is installed. */
export type ChromiumFolder = string | null;

/**
 * Prepares a Chromium for {@link launchChromium}.
 *
 * On Linux the browser comes out of the npm package @sparticuz/chromium, with the libraries (nss, nspr, expat) and a font
 * that a bare machine lacks, so nothing has to be installed. Elsewhere it is the Chrome that is installed.
 */
export async function prepareChromium(): Promise<ChromiumFolder> {
  return process.platform === "linux" && process.arch === "x64" ? unpack() : null;
}

/** Starts a headless Chromium, which ends with this process. */
export async function launchChromium(folder: ChromiumFolder): Promise<Browser> {
  // Loading it takes a third of a second, and whoever only prepares the browser doesn't need it.
  const { chromium } = await import("playwright-core");
  if (folder === null) return chromium.launch({ channel: "chrome", args: ARGUMENTS });
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    // The sandbox needs rights that containers and root do not have; the pages are our own.
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", ...ARGUMENTS],
    env: {
      ...process.env,
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
      LD_LIBRARY_PATH: [join(folder, "al2023/lib"), process.env["LD_LIBRARY_PATH"]].filter(Boolean).join(":"),
    },
  });
}

/**
 * Unpacks the package once for each of its versions: 70 MB that become 200 take some seconds.
 *
 * The package unpacks to the system's temporary folder and trusts whatever lies there under the right name, half-written,
 * outdated or somebody else's. Here it unpacks to a folder of our own, which gets its name when it is whole.
 */
async function unpack(): Promise<string> {
  const folder = resolve(CACHE, await packageVersion());
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(resolve(CACHE, "partial-"));
  const script = fileURLToPath(new URL("./unpack-chromium.ts", import.meta.url));
  // The second variable claims one of the bare machines that the package brings its libraries for.
  const env = { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" };
  await promisify(execFile)(process.execPath, [script], { env });
  await writeFile(join(partial, "fonts.conf"), fontConfiguration(folder));
  await rename(partial, folder).catch(async (error: unknown) => {
    // Another process was faster.
    await rm(partial, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

async function packageVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const manifest = await readFile(join(dirname(entry), "../package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The package's font first, so that screenshots look alike everywhere; then what the machine has. */
function fontConfiguration(folder: string): string {
  const prefer = (family: string, font: string) =>
    `<alias binding="strong"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  ${prefer("system-ui", "Open Sans")}
  ${prefer("sans-serif", "Open Sans")}
  ${prefer("monospace", "DejaVu Sans Mono")}
</fontconfig>
`;
}
