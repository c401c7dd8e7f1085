"""Tests of the page in a real browser.

`table` plays games, `site` visits the other screens, and `support` holds the server, the browser
and the page objects that both use. Start with `support/table.py` and `table/test_whole_games.py`.
"""
