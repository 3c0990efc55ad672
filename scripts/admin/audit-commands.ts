import { describeReport } from "#audit/audit-log.ts";
import { servicesOf } from "#services.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { CheckFailed } from "./context.ts";
import { requireInstance } from "./instance-commands.ts";

export const auditCommands: readonly Command[] = [
  {
    name: "audit export",
    usage: "<instance>",
    purpose: "print the whole audit as JSON lines, oldest first",
    async run(words, context) {
      const instance = await requireInstance(context, parseArguments(words, {}));
      let entries = 0;
      for await (const line of servicesOf(context.bindings).audit.export(instance.id)) {
        context.print(line.trimEnd());
        entries += 1;
      }
      return { entries };
    },
  },
  {
    name: "audit verify",
    usage: "<instance>",
    purpose: "verify the audit's hash chain; exits 1 if an entry was changed or is missing",
    async run(words, context) {
      const instance = await requireInstance(context, parseArguments(words, {}));
      const report = await servicesOf(context.bindings).audit.verify(instance.id);
      const { broken, entries } = report;
      if (broken !== undefined) throw new CheckFailed(`The audit of ${instance.name} is not intact: ${broken}`);
      context.print(`${instance.name}: ${describeReport(report)}.`);
      return { entries };
    },
  },
];
