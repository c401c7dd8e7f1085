"""Tests of the screens around the table, and of all screens at once."""
