import type { Reporter, TestModule } from "vitest/node";

/** The number of files that are named. */
const NAMED = 10;

/** Prints at the end of a run which files took longest, and what their time was spent on. */
export class TimeReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(timesOf).sort((left, right) => right.total - left.total);
    console.log(`\nThe slowest files, of ${files.length}:`);
    for (const { path, total, tests } of files.slice(0, NAMED)) {
      console.log(`${seconds(total).padStart(8)}  ${path} (${tests} tests)`);
    }
    console.log("Where the time of all workers went:");
    for (const project of new Set(files.map((file) => file.project))) {
      const own = files.filter((file) => file.project === project);
      const sum = (part: "imports" | "setup" | "run" | "total") =>
        seconds(own.reduce((all, file) => all + file[part], 0));
      console.log(
        `${sum("total").padStart(8)}  ${project}: ${own.length} files, tests and hooks ${sum("run")}, imports ${sum("imports")}, setup ${sum("setup")}`,
      );
    }
  }
}

function timesOf(module: TestModule) {
  const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } = module.diagnostic();
  const setup = setupDuration + prepareDuration + environmentSetupDuration;
  return {
    path: module.relativeModuleId,
    project: module.project.name,
    tests: [...module.children.allTests()].length,
    run: duration,
    imports: collectDuration,
    setup,
    total: duration + collectDuration + setup,
  };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
