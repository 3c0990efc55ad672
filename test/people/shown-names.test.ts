import { requireAcceptable } from "#administration/settings-rules.ts";
import { requireDescription } from "#clients/client-description.ts";
import { readGroups, readGroupsOf } from "#people/directory-claims.ts";
import { displayName } from "#protocol/display-name.ts";
import { readIdentity } from "#single-sign-on/external-identity.ts";
import { toDraft } from "#scim/user-resource.ts";
import { readDraft } from "#service-tokens/token-draft.ts";
import { parseIdentity } from "#single-sign-on/identity.ts";
import { describe, expect, it } from "vitest";

/** Reads "nimda" backwards: a page shows it as "admin", and turns the text that follows. */
const TURNED = "\u202enimda\u202c";
const SSO = { emailClaim: "email", emailVouchedBy: "token", groupsClaim: "groups", requiredClaims: {} } as const;
const PROVIDER: Parameters<typeof readIdentity>[1] = {
  issuer: "https://idp.example",
  name: "Provider",
  accepts: "access-tokens",
  clientIds: ["portal"],
  audiences: [],
  algorithms: ["RS256"],
  personBy: "subject",
  personClaim: "sub",
  emailVouchedBy: "token",
  emailVerifiedClaim: "email_verified",
  emailDomains: [],
  groupsMeetDirectory: false,
  scopesRequired: false,
  headerOptionalAtMcp: false,
  tokenLifetimeSecondsMax: 86_400,
  requiredClaims: {},
  scopes: ["SEARCH"],
};

const email = "eve@acme.example";

describe("a displayed name, whoever chose it", () => {
  it.each([
    [
      "of a person, by the SSO",
      (name: string) => parseIdentity({ iss: "https://sso", sub: "1", email, name }, SSO).name,
    ],
    ["of a person, by a provider's token", (name: string) => readIdentity({ sub: "1", name }, PROVIDER).name],
    ["of a person, by a directory", (name: string) => toDraft({ userName: email, displayName: name }).name],
    [
      "of a person, by a directory, in parts",
      (name: string) => toDraft({ userName: email, name: { givenName: name } }).name,
    ],
    ["of an app", (name: string) => requireDescription({ name }).name],
    [
      "of a token",
      (name: string) => {
        const rest = { kind: "admin", scopes: ["admin:read"], person: null, lifetimeSeconds: 60 } as const;
        return readDraft({ ...rest, name }).name;
      },
    ],
  ])("%s, hides and turns nothing", (_, read) => {
    expect(read(`${TURNED}\u0000\u200b\u2066`)).toBe("nimda");
    expect(read("Zo\u00eb  Al-\u0639\u0644\u064a")).toBe("Zo\u00eb Al-\u0639\u0644\u064a");
  });

  it("of a person is their email if nothing is left of it", () => {
    expect(parseIdentity({ iss: "https://sso", sub: "1", email, name: "\u202e\u2066" }, SSO).name).toBe(email);
    expect(toDraft({ userName: email, displayName: "\u202e" }).name).toBe(email);
  });

  it("is one line of at most 100 characters, and missing if it is not text", () => {
    expect(displayName(`a\u2028b\n${"c".repeat(200)}`)).toBe(`a b ${"c".repeat(96)}`);
    expect([undefined, null, 7, {}, " \u200b", "\u3164\u2800"].map(displayName)).toEqual(Array(6).fill(undefined));
  });
});

describe("a name that decides something and hides a character", () => {
  it("is refused as a token's group, but joiners are no reason to refuse one", () => {
    const groups = [
      "finance",
      "fin\u200bance",
      "\u202eecnanif",
      "f\u00adinance",
      "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    ];
    expect(readGroups(groups)).toEqual([groups[0], groups[4]]);
    expect(readGroupsOf("https://idp.example", groups)).toHaveLength(2);
  });

  it("is refused as an organisation's name", () => {
    expect(() => requireAcceptable({}, { displayName: `Acme ${TURNED}` })).toThrow("invisible characters");
  });
});
