import type { Options } from "./options.ts";
import type { PushResult } from "./sync/push.ts";
import { EXIT } from "./failure.ts";

/** Lines of each list, unless `--verbose` asks for all. */
const SHOWN = 10;

/** Shows on a terminal what was done so far, and nothing in a log. */
export class Progress {
  readonly #startedAt = performance.now();
  #shownAt = 0;

  show({ items, sent, unchanged, skipped }: PushResult): void {
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.#shownAt < 100) return;
    this.#shownAt = now;
    const rate = Math.round(items / ((now - this.#startedAt) / 1000));
    const line = `${items} files (${rate}/s): ${sent} documents sent, ${unchanged} unchanged, ${skipped.length} skipped`;
    process.stderr.write(`\r\u{1b}[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write("\r\u{1b}[K");
  }
}

/** Returns what a run did, or would do, for people and for the log of CI. */
export function reportOf(result: PushResult, options: Options, milliseconds: number): string {
  const { isDryRun, isVerbose, datasource, service } = options;
  const shown = (lines: readonly string[]) => {
    const some = isVerbose ? lines : lines.slice(0, SHOWN);
    const more = lines.length - some.length;
    return [...some.map((line) => `    ${line}`), ...(more > 0 ? [`    and ${more} more (--verbose)`] : [])];
  };
  const { items, bytes, sent, unchanged, removed, held, foreign, gone, changed, skipped, warnings } = result;
  const seconds = milliseconds / 1000;
  const failures = skipped.filter(({ isFailure }) => isFailure).map(({ path, reason }) => `${path}: ${reason}`);
  const audiences = [...result.audiences].flatMap(([who, paths]) => [
    `  ${who}: ${count(paths.length, "file")}`,
    ...shown(paths),
  ]);
  const compared =
    service === undefined ? "not compared with the service, because there is no token" : `datasource ${datasource}`;
  return [
    ...(isDryRun ? [`Who would see what (${compared}):`, ...audiences] : []),
    ...(isDryRun && service !== undefined && changed.length > 0 ? ["New or changed:", ...shown(changed)] : []),
    ...(isDryRun && held === 0 && gone.length > 0 ? ["Would be removed:", ...shown(gone)] : []),
    ...(failures.length > 0 ? ["Could not be read (what was pushed of them earlier stays):", ...shown(failures)] : []),
    ...leftOut(result, isVerbose, shown),
    ...(warnings.length > 0 ? ["Warnings of the service:", ...shown(warnings)] : []),
    ...(foreign > 0 ? [`${count(foreign, "document")} of ${datasource} came from elsewhere, and stay.`] : []),
    ...(held > 0
      ? [
          `${count(held, "document")} of ${datasource} are no longer in the source. That is more than 20 %, so none was removed:`,
          ...shown(gone),
          "  If that is right, run it again with --remove. If not, check the source and --datasource.",
        ]
      : []),
    `${isDryRun ? "Would push" : "Pushed"} ${options.source} to ${datasource}: ${count(sent, "document")} ${isDryRun ? "to send" : "sent"}, ` +
      `${unchanged} unchanged, ${isDryRun && held === 0 ? gone.length : removed} removed${held > 0 ? `, ${held} held` : ""}.`,
    `${count(items, "file")} (${(bytes / 1e6).toFixed(1)} MB) in ${seconds.toFixed(1)} s: ${Math.round(items / Math.max(seconds, 0.001))} files and ` +
      `${(bytes / 1e6 / Math.max(seconds, 0.001)).toFixed(1)} MB a second. ${failures.length} could not be read.`,
  ].join("\n");
}

/** Files that are left out on purpose: by reason, because there may be thousands. */
function leftOut({ skipped }: PushResult, isVerbose: boolean, shown: (lines: readonly string[]) => string[]): string[] {
  const reasons = Map.groupBy(
    skipped.filter(({ isFailure }) => !isFailure),
    ({ reason }) => reason,
  );
  return [...reasons].flatMap(([reason, files]) => [
    `Left out: ${count(files.length, "file")}: ${reason}`,
    ...(isVerbose ? shown(files.map(({ path }) => path)) : []),
  ]);
}

export function exitCodeOf({ held, skipped }: PushResult): number {
  if (held > 0) return EXIT.held;
  return skipped.some(({ isFailure }) => isFailure) ? EXIT.incomplete : EXIT.done;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
