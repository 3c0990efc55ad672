import type { Reporter, TestModule } from "vitest/node";

/**
 * Prints each file after it has run. Used for a part of a run: scripts/test.ts prints the report after all parts have ended.
 */
export class ProgressReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const tests = [...module.children.allTests()].length;
    console.log(` ${module.ok() ? "✓" : "✗"} ${module.project.name}  ${module.relativeModuleId} (${tests} tests)`);
  }
}
