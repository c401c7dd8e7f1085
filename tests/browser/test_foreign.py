"""What pages of other origins may do is what the server was told they may."""

from pathlib import Path

import httpx
from playwright.sync_api import Browser

from browser.house import House

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
  const nowhere = await ask("/api/tables/nowherenowhe", "GET");
  const stranger = await (await ask(`/api/tables/${game}`, "GET")).json();
  const socket = new WebSocket(`${server.replace("http", "ws")}/api/tables/${game}/live`);
  const first = await new Promise((heard) => (socket.onmessage = heard));
  return [opened.status, name[0], again.status, (await nowhere.json()).code, stranger.you,
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


def test_a_page_that_is_named_may_play_with_a_token(
    browser: Browser, house: House, tmp_path: Path
) -> None:
    # The other server's page under two names; its own policy would let it ask nobody else.
    named = house.address.replace("127.0.0.1", "localhost")
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    with House(tmp_path, PATCHWORK_ORIGINS=named) as server:
        page.goto(f"{named}/healthz")
        told = page.evaluate(USE, server.address)
        assert told == [201, '"', 304, "no-such-table", [], "state"]
        page.goto(f"{house.address}/healthz")
        assert page.evaluate(TRY, server.address) == ["TypeError", "TypeError"]
        assert httpx.get(f"{server.address}/healthz").is_success
    context.close()
