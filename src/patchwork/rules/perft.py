"""Counts legal sequences of moves, the standard way to compare implementations of the rules."""

from patchwork.rules.position import Position


def perft(position: Position, depth: int) -> int:
    """Returns how many sequences of exactly ``depth`` legal moves start from a position."""
    if depth == 0:
        return 1
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(move), depth - 1) for move in moves)
