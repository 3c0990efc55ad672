import { parseIdentity } from "#single-sign-on/identity.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import type { SingleSignOnConnection } from "#single-sign-on/connection.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { makeInstance } from "../support/world.ts";

type Claims = Readonly<Record<string, unknown>>;

const CLAIMS = {
  iss: "https://sso.example",
  sub: "42",
  email: "ben@acme.example",
  email_verified: true,
  name: "Ben Okafor",
  groups: ["staff"],
};

const SSO = { emailClaim: "email", groupsClaim: "groups", requiredClaims: {} };

function identity(claims: Claims = {}, sso: Partial<Parameters<typeof parseIdentity>[1]> = {}) {
  return parseIdentity({ ...CLAIMS, ...claims }, { ...SSO, ...sso });
}

describe("a person's identity by their ID token (OpenID Connect Core §2, §5.1)", () => {
  it("is issuer and subject; email, name and groups only describe them", () => {
    expect(identity()).toEqual({
      issuer: "https://sso.example",
      subject: "42",
      account: undefined,
      email: "ben@acme.example",
      name: "Ben Okafor",
      groups: ["staff"],
      groupsMeetDirectory: true,
      isEmailVerified: true,
    });
  });

  it.each([
    ["https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/v2.0", { oid: "o-1", uid: "u" }, "o-1"],
    ["https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/v2.0", { oid: 7 }, undefined],
    ["https://acme.okta.com/oauth2/default", { oid: "o-1", uid: "u" }, undefined],
  ])("of %s with %j has the account that its access tokens name: %s", (iss, claims, account) => {
    expect(identity({ iss, ...claims }).account).toBe(account);
  });

  it("has a verified email by the JSON value true, or by an administrator's word if the SSO says nothing", () => {
    expect(identity({ email_verified: undefined }).isEmailVerified).toBe(false);
    const vouched = { emailVouchedBy: "administrator" as const };
    expect(identity({ email_verified: undefined }, vouched).isEmailVerified).toBe(true);
    expect(() => identity({ email_verified: false }, vouched)).toThrow(/sso_email_unverified/);
  });

  it("has a verified email from another claim only if it is the one that email_verified is about", () => {
    const of = (preferred_username: string) => identity({ preferred_username }, { emailClaim: "preferred_username" });
    expect(of("boss@acme.example")).toMatchObject({ email: "boss@acme.example", isEmailVerified: false });
    expect(of("Ben@acme.example")).toMatchObject({ email: "ben@acme.example", isEmailVerified: true });
  });

  it.each([{ iss: undefined }, { sub: undefined }, { sub: "" }, { sub: 42 }, { sub: null }])(
    "is refused without a valid issuer and subject: %j",
    (claims) => {
      expect(() => identity(claims)).toThrow(/sso_subject_missing/);
    },
  );

  it.each([
    { email: undefined },
    { email: "" },
    { email: "ben" },
    { email: "ben@" },
    { email: "@acme.example" },
    { email: "ben@acme.example@evil.example" },
    { email: "ben @acme.example" },
    { email: ["ben@acme.example"] },
  ])("is refused without a valid email: %j", (claims) => {
    expect(() => identity(claims)).toThrow(/sso_email_missing/);
  });

  it("counts the text true if the SSO is known to write text, or if an administrator vouches, and null as silence", () => {
    const vouched = { emailVouchedBy: "administrator" as const };
    const entra = "https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/v2.0";
    for (const text of ["true", "True"]) {
      expect(identity({ email_verified: text, iss: entra }).isEmailVerified).toBe(true);
      expect(identity({ email_verified: text }, vouched).isEmailVerified).toBe(true);
      expect(identity({ email_verified: text }).isEmailVerified).toBe(false);
    }
    expect(identity({ email_verified: null }).isEmailVerified).toBe(false);
    expect(identity({ email_verified: null }, vouched).isEmailVerified).toBe(true);
  });

  it("is not the verified one if email_verified is about another claim, in text as in JSON", () => {
    const sso = { emailClaim: "upn" };
    const entra = { iss: "https://login.microsoftonline.com/t/v2.0", upn: "boss@acme.example", email_verified: "true" };
    expect(identity(entra, sso).isEmailVerified).toBe(false);
  });

  it("is refused with the claim and what it says, which the log repeats", () => {
    for (const [claims, about] of [
      [{ email_verified: "no" }, 'email_verified is "no"'],
      [{ email: undefined }, "email is missing"],
      [{ email: "x\u202e".repeat(80) }, `email is "${"x".repeat(59)}`],
      [{ sub: 42 }, "sub is 42"],
    ] as const) {
      const refusal = { reason: expect.any(String), about, description: expect.stringContaining(`(${about})`) };
      expect(() => identity(claims)).toThrow(expect.objectContaining(refusal));
    }
    const outside = { about: 'hd is "evil.example"' };
    expect(() => identity({ hd: "evil.example" }, { requiredClaims: { hd: "acme.example" } })).toThrow(
      expect.objectContaining(outside),
    );
  });

  it.each([false, "false", "yes", "", 1, "1", {}])(
    "is refused if the SSO calls the email unverified: %j (nOAuth)",
    (verified) => {
      expect(() => identity({ email_verified: verified })).toThrow(/sso_email_unverified/);
      const elsewhere = { preferred_username: "ben@acme.example", email_verified: verified };
      expect(() => identity(elsewhere, { emailClaim: "preferred_username" })).toThrow(/sso_email_unverified/);
    },
  );

  it("has the email from the configured claim, in lower case, and from no other", () => {
    const sso = { emailClaim: "upn" };
    expect(identity({ upn: "Ben.Okafor@ACME.example" }, sso).email).toBe("ben.okafor@acme.example");
    expect(() => identity({}, sso)).toThrow(/sso_email_missing/);
  });

  it("has an email even if the SSO says nothing about its verification", () => {
    expect(identity({ email_verified: undefined }).email).toBe("ben@acme.example");
  });

  it.each([
    [{ hd: "acme.example" }, { hd: "acme.example" }, true],
    [{ hd: "acme.example", tid: "t" }, { hd: "acme.example", tid: "t" }, true],
    [{ hd: "evil.example" }, { hd: "acme.example" }, false],
    [{}, { hd: "acme.example" }, false],
    [{ hd: "ACME.example" }, { hd: "acme.example" }, false],
    [{ hd: ["acme.example"] }, { hd: "acme.example" }, false],
    [{ hd: "acme.example.evil.example" }, { hd: "acme.example" }, false],
    [{ hd: "acme.example", tid: "other" }, { hd: "acme.example", tid: "t" }, false],
    [{ tid: 1 }, { tid: "1" }, false],
  ] as [Claims, Record<string, string>, boolean][])(
    "with %j if %j is required is accepted: %s",
    (claims, requiredClaims, isIn) => {
      if (isIn) expect(identity(claims, { requiredClaims }).subject).toBe("42");
      else expect(() => identity(claims, { requiredClaims })).toThrow(/sso_required_claim_differs/);
    },
  );

  it.each([
    ["one group as text", "staff", ["staff"]],
    ["no groups", undefined, []],
    ["null", null, []],
    ["an empty text", "", []],
    ["an object", { staff: true }, []],
    ["the GUIDs of Entra", ["0f1c2d3e-0000-4000-8000-000000000001"], ["0f1c2d3e-0000-4000-8000-000000000001"]],
    ["a group twice, and what is no group", ["staff", "staff", "", 7, null, ["x"], "x".repeat(201)], ["staff"]],
    ["names with spaces and commas, folded as permissions are", ["All Staff, EU", "ÄRZTE"], ["all staff, eu", "ärzte"]],
  ])("has groups from %s", (_, groups, expected) => {
    expect(identity({ groups }).groups).toEqual(expected);
  });

  it("has groups from the configured claim, and no more than 500", () => {
    expect(identity({ roles: ["lead"] }, { groupsClaim: "roles" }).groups).toEqual(["lead"]);
    const many = Array.from({ length: 600 }, (_, n) => `g${n}`);
    expect(identity({ groups: many }).groups).toHaveLength(500);
  });

  it.each([undefined, "", "  ", 7])("has the email as name if the name is %j", (name) => {
    expect(identity({ name }).name).toBe("ben@acme.example");
  });
});

describe("connecting an instance to an SSO", () => {
  let instance: InstanceRecord;

  beforeAll(async () => {
    instance = await makeInstance();
  });

  function connect(issuer: string, changes: Partial<SingleSignOnConnection> = {}): Promise<void> {
    const order = {
      issuer,
      clientId: "gatehouse",
      clientSecret: "a secret of the SSO",
      ...SSO,
      scopes: "openid email",
    };
    return servicesOf(env)
      .administrationOf(instance, "test")
      .singleSignOn.connect({ ...order, ...changes });
  }

  function stored(): Promise<string | null> {
    return env.DB.prepare("SELECT single_sign_on FROM instances WHERE id = ?1")
      .bind(instance.id)
      .first("single_sign_on");
  }

  it.each([
    "https://sso.example",
    "https://sso.example/realms/acme",
    "https://login.microsoftonline.com/0f1c2d3e-0000-4000-8000-000000000001/v2.0",
    "http://127.0.0.1:4400",
    "http://localhost:4400/",
    "http://[::1]",
  ])("accepts the issuer %s", async (issuer) => {
    await connect(issuer);
    expect(await stored()).toContain(issuer);
  });

  it.each([
    ["http://sso.example", /https URL/],
    ["http://127.0.0.1.sso.example", /https URL/],
    ["http://localhost.sso.example/", /https URL/],
    ["http://localhost@sso.example/", /https URL/],
    ["http://10.0.0.1/", /https URL/],
    ["sso.example", /https URL/],
    ["", /https URL/],
    ["https://", /https URL/],
    ["file:///etc/passwd", /https URL/],
    ["https://login.microsoftonline.com/common/v2.0", /every organisation/],
    ["https://login.microsoftonline.com/organizations/v2.0", /every organisation/],
    ["https://login.microsoftonline.com/consumers/v2.0", /every organisation/],
    ["https://login.microsoftonline.com/common", /every organisation/],
    ["https://accounts.google.com", /everybody/],
    ["https://accounts.google.com/", /everybody/],
    ["https://ACCOUNTS.google.com", /everybody/],
  ])("refuses the issuer %j, and keeps the old connection", async (issuer, why) => {
    await connect("https://sso.example");
    const before = await stored();
    await expect(connect(issuer)).rejects.toThrow(why);
    expect(await stored()).toBe(before);
  });

  it("accepts Google only with a required domain", async () => {
    await expect(connect("https://accounts.google.com", { requiredClaims: { email: "x" } })).rejects.toThrow(
      /everybody/,
    );
    await connect("https://accounts.google.com", { requiredClaims: { hd: "acme.example" } });
    expect(await stored()).toContain('"hd":"acme.example"');
  });

  it("refuses an empty secret, and stores another one sealed, and in no audit entry", async () => {
    await expect(connect("https://sso.example", { clientSecret: "" })).rejects.toThrow(/secret is empty/);
    await connect("https://sso.example", { clientSecret: "the SSO secret of periwinkle" });
    expect(await stored()).not.toContain("periwinkle");
    const audit = JSON.stringify((await env.DB.prepare("SELECT * FROM audit").all()).results);
    expect(audit).toContain("single_sign_on_changed");
    expect(audit).not.toContain("periwinkle");
  });
});
