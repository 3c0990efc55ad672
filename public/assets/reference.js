// The API reference: OpenAPI Explorer shows this instance's description.

const LIGHT = { bg: "#ffffff", text: "#16202c", nav: "#f3f5f8", accent: "#0b5cad" };
const DARK = { bg: "#0e141b", text: "#e9eff5", nav: "#17202a", accent: "#7db8f5" };

const explorer = document.querySelector("openapi-explorer");
const dark = matchMedia("(prefers-color-scheme: dark)");

dark.addEventListener("change", colour);
document.querySelector("#token-form").addEventListener("submit", (event) => void useToken(event));
colour();
try {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`/openapi.json responded with ${response.status}.`);
  const description = forThisPage(await response.json());
  document.title = `${description.info.title}: reference`;
  showOrganisation(description.info);
  await explorer.loadSpec(description);
} catch (error) {
  explorer.remove();
  document.querySelector("#message").textContent = `The API reference can’t be shown. ${error.message}`;
}

function showOrganisation({ title, "x-logo": logo }) {
  const start = document.querySelector("header a");
  start.lastChild.textContent = ` ${title.replace(/ APIs$/, "")}`;
  if (logo) start.querySelector("img").src = logo.url;
}

function colour() {
  const { bg, text, nav, accent } = dark.matches ? DARK : LIGHT;
  const colours = {
    "bg-color": bg,
    "header-bg-color": bg,
    "text-color": text,
    "header-color": text,
    "primary-color": accent,
    "secondary-color": accent,
    "nav-bg-color": nav,
    "nav-text-color": text,
    "nav-hover-bg-color": bg,
    "nav-hover-text-color": accent,
  };
  for (const [name, value] of Object.entries(colours)) explorer.setAttribute(name, value);
}

async function useToken(event) {
  event.preventDefault();
  const input = document.querySelector("#token");
  const token = input.value.trim();
  await explorer.setAuthenticationConfiguration("token", { token });
  input.value = "";
  document.querySelector("#token-state").textContent =
    token === "" ? "No token is used." : "Calls from this page now use your token.";
}

/**
 * Asks for one token of any kind and keeps it in memory; OpenAPI Explorer's own sign-in would write to the browser's storage. Requests
 * are sent to this origin and initially contain only the required members.
 */
function forThisPage(description) {
  const { schemas } = description.components;
  description.servers = [{ url: location.origin }];
  description.components.securitySchemes = { token: { type: "http", scheme: "bearer" } };
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (operation.security) operation.security = [{ token: [] }];
      const json = operation.requestBody?.content["application/json"];
      if (json) json.example ??= smallest(json.schema);
      operation["x-code-samples"] = samplesOf(method, location.origin + path, json?.example);
    }
  }
  return description;

  function smallest({ $ref, type, examples, enum: values, const: only, properties, required = [], items, anyOf }) {
    if ($ref) return smallest(schemas[$ref.split("/").at(-1)]);
    if (examples || values) return (examples ?? values)[0];
    if (only !== undefined) return only;
    if (anyOf) return smallest(anyOf[0]);
    if (type === "object") return Object.fromEntries(required.map((name) => [name, smallest(properties[name])]));
    return type === "array" ? [smallest(items)] : null;
  }
}

/** Returns a call in three languages. The token is in the environment, so that nobody saves one in a program. */
function samplesOf(method, url, body) {
  const hasBody = body !== undefined;
  const json = JSON.stringify(body, null, 2);
  const curl = [
    `curl -X ${method.toUpperCase()} '${url}'`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(hasBody ? ["-H 'Content-Type: application/json'", `-d '${json.replaceAll("'", "'\\''")}'`] : []),
  ];
  const typescript = [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: "${method.toUpperCase()}",`,
    `  headers: { Authorization: \`Bearer \${process.env.TOKEN}\`${hasBody ? ', "Content-Type": "application/json"' : ""} },`,
    ...(hasBody ? [`  body: JSON.stringify(${json.replaceAll("\n", "\n  ")}),`] : []),
    "});",
    "console.log(response.status, await response.text());",
  ];
  const python = [
    "import os, requests",
    "",
    `response = requests.${method}(`,
    `    ${JSON.stringify(url)},`,
    `    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},`,
    ...(hasBody ? [`    json=${pythonOf(body)},`] : []),
    ")",
    "print(response.status_code, response.text)",
  ];
  return [
    { lang: "bash", label: "curl", source: curl.join(" \\\n  ") },
    { lang: "typescript", label: "TypeScript", source: typescript.join("\n") },
    { lang: "python", label: "Python", source: python.join("\n") },
  ];
}

function pythonOf(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonOf(member)}`).join(", ")}}`;
}
