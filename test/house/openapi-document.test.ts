import { openApiDocument } from "#api-description/openapi.ts";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";

describe("GET /openapi.json", () => {
  it("is a valid OpenAPI 3.1 document", async () => {
    const validator = new Validator();
    const document = structuredClone(openApiDocument("https://acme-be.example.com", "Gatehouse"));
    expect(await validator.validate(document as never)).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("is what the validator would refuse with a member missing", async () => {
    const { info: _left, ...document } = openApiDocument("https://acme-be.example.com", "Gatehouse");
    expect(await new Validator().validate(document as never)).toMatchObject({ valid: false });
  });
});
