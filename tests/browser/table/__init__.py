"""Tests of the table: playing, connections, clocks, alerts and animations."""
