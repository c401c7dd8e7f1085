"""Pages of another origin may use the server only if it was configured to allow that origin."""

from pathlib import Path

import httpx
from playwright.sync_api import Browser

from browser.support.server import LiveServer

USE = """async (server) => {
  const ask = (path, method, headers, body) =>
    fetch(server + path, { method, headers, body, credentials: "include" });
  const { token } = await (await ask("/api/tokens", "POST")).json();
  const known = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const opened = await ask("/api/tables", "POST", known, '{"opponent": "screen"}');
  const game = (await opened.json()).table.id;
  const picture = await ask(`/api/tables/${game}/picture`, "GET");
  const name = picture.headers.get("ETag");
  const again = await ask(`/api/tables/${game}/picture`, "GET", { "If-None-Match": name });
  const missing = await ask("/api/tables/abcdefghjkmn", "GET");
  const anonymous = await (await ask(`/api/tables/${game}`, "GET")).json();
  const socket = new WebSocket(`${server.replace("http", "ws")}/api/tables/${game}/live`);
  const first = await new Promise((heard) => (socket.onmessage = heard));
  return [opened.status, name[0], again.status, (await missing.json()).code, anonymous.you,
    JSON.parse(first.data).t];
}"""
TRY = """async (server) => {
  const tried = [["/healthz", "GET"], ["/api/tokens", "POST"]].map(async ([path, method]) => {
    try {
      return (await fetch(server + path, { method })).status;
    } catch (error) {
      return error.name;
    }
  });
  return Promise.all(tried);
}"""


def test_only_an_allowed_origin_may_play_with_a_token(
    browser: Browser, server: LiveServer, tmp_path: Path
) -> None:
    # The page comes from the shared server under two names, of which one is allowed. Its content
    # security policy would forbid it to reach any other server.
    allowed = server.address.replace("127.0.0.1", "localhost")
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    with LiveServer(tmp_path, PATCHWORK_ORIGINS=allowed) as other:
        page.goto(f"{allowed}/healthz")
        answers = page.evaluate(USE, other.address)
        assert answers == [201, '"', 304, "no-such-table", [], "state"]
        page.goto(f"{server.address}/healthz")
        assert page.evaluate(TRY, other.address) == ["TypeError", "TypeError"]
        assert httpx.get(f"{other.address}/healthz").is_success
    context.close()
