"""What is answered over HTTP and by socket.

Start with ``api`` and ``sockets``. It imports all other parts of the server but ``transport``.
"""
