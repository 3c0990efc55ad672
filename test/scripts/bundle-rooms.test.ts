import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { growthOf, weighRooms } from "../../scripts/rehearsal/bundle-rooms.ts";

describe("the bundle's size by room", () => {
  it("is counted by folder of src/ and by package", () => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-rooms-"));
    try {
      const metafile = join(folder, "bundle-meta.json");
      const inputs = {
        "src/clients/client.ts": { bytesInOutput: 300 },
        "../src/clients/views/client-page.tsx": { bytesInOutput: 200 },
        "src/app.ts": { bytesInOutput: 50 },
        "../node_modules/@orama/stemmers/dist/fr.js": { bytesInOutput: 9 },
        "node_modules/hono/dist/context.js": { bytesInOutput: 7 },
      };
      writeFileSync(metafile, JSON.stringify({ outputs: { "index.js.map": { inputs: {} }, "index.js": { inputs } } }));
      expect(weighRooms(metafile)).toEqual({ clients: 500, src: 50, "@orama/stemmers": 9, hono: 7 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is reported for the rooms that grew most, largest first and new ones included", () => {
    const kept = { clients: 26_000, scim: 20_000, audit: 11_000 };
    const rooms = { clients: 29_100, scim: 20_400, audit: 9_000, signals: 7_000 };
    expect(growthOf(rooms, kept)).toBe("grown since bundle-rooms.json: signals by 7.0 kB, clients by 3.1 kB");
  });
});
