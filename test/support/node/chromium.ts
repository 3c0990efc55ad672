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
 * Nobody sees what is drawn, and each additional process takes time to start. So pages of all sites share the renderer of their
 * context, and the browser's own process does the GPU's work on the CPU.
 */
const FEWER_PROCESSES = [
  "--disable-site-isolation-trials",
  "--renderer-process-limit=1",
  "--in-process-gpu",
  "--disable-software-rasterizer",
];

/**
 * A test's page is gone before optimizing its scripts pays off. This matters most for axe-core, half a megabyte that V8 would
 * optimize anew for each page: without that, checking a page costs a quarter less.
 */
const UNOPTIMIZED = "--js-flags=--no-maglev --no-turbofan";

/**
 * Lets a page reuse the frame of the previous page. Otherwise Chromium would create a frame for each page and send it all scripts
 * of the context again, and opening a page with axe-core would take twice as long. Chromium only uses the last list of features,
 * so this one repeats the other two that Playwright turns on.
 */
const KEPT_FRAMES =
  "--enable-features=CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies,RenderDocument:level/crashed-frame";

const ARGUMENTS = [...FEWER_PROCESSES, UNOPTIMIZED, KEPT_FRAMES];

/** The folder of the tests' browser; `null` for the installed Chrome. */
export type ChromiumFolder = string | null;

/**
 * Prepares a Chromium for {@link launchChromium}.
 *
 * On Linux the browser comes from the npm package @sparticuz/chromium, with the libraries (nss, nspr, expat) and a font that a
 * bare machine lacks, so nothing has to be installed. Elsewhere it is the installed Chrome.
 */
export async function prepareChromium(): Promise<ChromiumFolder> {
  return process.platform === "linux" && process.arch === "x64" ? unpack() : null;
}

/** Starts a headless Chromium, which ends with this process. */
export async function launchChromium(folder: ChromiumFolder): Promise<Browser> {
  // Imported only here, because loading it takes a third of a second, and preparing the browser doesn't need it.
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
 * The package unpacks to the system's temporary folder and trusts any files with the right name there, even if they are
 * incomplete, outdated or somebody else's. Here it unpacks to our own folder, which gets its final name when it is complete.
 */
async function unpack(): Promise<string> {
  const folder = resolve(CACHE, await packageVersion());
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(resolve(CACHE, "partial-"));
  const script = fileURLToPath(new URL("./unpack-chromium.ts", import.meta.url));
  // The second variable claims to be one of the bare machines for which the package includes its libraries.
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

/** Prefers the package's font, so that screenshots look the same everywhere, and then the machine's fonts. */
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
