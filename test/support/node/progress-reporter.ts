import type { Reporter, TestModule } from "vitest/node";

/** Names each file when it has run: for a part of a run, which scripts/test.ts reports on when all parts have ended. */
export class ProgressReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const tests = [...module.children.allTests()].length;
    console.log(` ${module.ok() ? "✓" : "✗"} ${module.project.name}  ${module.relativeModuleId} (${tests} tests)`);
  }
}
