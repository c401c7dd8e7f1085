"""What stands before every request.

Start with ``guard``. It imports ``settings``, ``wire`` and ``ops``.
"""
