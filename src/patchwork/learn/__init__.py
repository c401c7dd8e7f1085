"""How the network learns: self-play, training, distillation, and measuring what came of it.

Needs the extra ``learn``; PyTorch is imported here and nowhere else. It may import the engine and
the arena. Within the package, imports follow this order, each line using those above it only:

1. ``old_names``, then ``config``, ``network``, ``devices``, ``cuda_graph`` and ``progress``, which
   know nothing of one another
2. ``checkpoint``, then ``export``: files of runs and of networks
3. ``training``: the replay buffer, losses and optimiser steps; uses only line 1
4. ``selfplay``: games that fill the replay buffer; uses lines 1 and 3
5. ``measure``: how strong networks are; uses lines 1 to 4
6. ``distillation``: pattern weights for the fast evaluator; uses lines 1 and 2
7. ``run``: self-play and training together; uses all but ``distillation``

Start reading with ``run``, then ``selfplay.games`` and ``training.trainer``. ``docs/training.md``
says how to use it.
"""
