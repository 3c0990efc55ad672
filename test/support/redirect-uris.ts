/** Redirect URIs that no app may have. */
// biome-ignore format: a list
export const REFUSED_REDIRECT_URIS = [
  "http://app.example/cb", "http://127.0.0.2/cb", "http://0.0.0.0/cb", "http://192.168.0.1/cb", "http://[::2]/cb",
  "http://localhost.app.example/cb", "http://localhost./cb", "http://127.1/cb", "http://2130706433/cb",
  "http://0x7f000001/cb", "http://127.0.0.1.app.example/cb", "http://127.0.0.1@app.example/cb",
  "http://[::ffff:127.0.0.1]/cb", "http://LOCALHOST/cb", "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb",
  "http://127.0.0.1:080/cb", "http://localhost:/cb", "http:/localhost/cb", "http:localhost/cb",
  "javascript:alert(1)", "JavaScript:alert(1)", "java\tscript:alert(1)", " javascript:alert(1)",
  "javascript://app.example/%0aalert(1)", "\u0001javascript:alert(1)", "java\u0000script:alert(1)",
  "data:text/html,x", "DATA:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:https://app.example/1",
  "HTTPS://app.example/cb", "Com.Example.App:/cb", "https:app.example/cb", "https:/app.example/cb", "https://",
  "https://2130706433/cb", "https://0x7f.1/cb", "https://app%2eexample/cb", "https://%61pp.example/cb",
  "https:///app.example/cb", "https://?x", "//app.example/cb", "/cb", "app.example/cb", "cb", "",
  "https://app.example/cb#", "https://app.example/cb#x", "https://*.app.example/cb", "https://app.example/*",
  "microsoft-edge:https://app.example/cb", "microsoft-edge:app.example", "googlechrome://app.example/cb", "feed:app.example",
  "firefox://open-url?url=app.example", "com.example.app:https://app.example/cb", "com.example.app:/cb?to=HTTPS%3A//app.example",
  "https://user@app.example/cb", "https://user:pass@app.example/cb", "https://@app.example/cb",
  "com.example.app://user@host/cb",
  "https://app.example/a/../cb", "https://app.example/./cb", "https://app.example/..;/cb", "https://app.example/..",
  "https://app.example/%2e%2e/cb", "https://app.example/.%2E/cb", "https://app.example/..%2fcb",
  "https://app.example\\@evil.example/cb", "https://app.example\\cb", "https://app.example/c b",
  "https://app.example/cb\r\nX: y", "https://app.example/\u202ecb", "https://äpp.example/cb", 'https://a.example/"',
];
