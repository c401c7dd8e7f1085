# English messages of the command line, the terminal and the page. Leave the names after a dollar
# sign as they are. Words that users type (help, moves, try, undo, show, quit), names of options and
# texts of moves such as 17Bc4 are the same in every language. Some spaces do not break (U+00A0).

## The command line

cli-usage = usage:
cli-commands = commands
cli-arguments = arguments
cli-options = options
cli-help = show this help and exit
cli-lang = language of the messages (default: that of your system)
cli-version = show the version and exit
cli-see-help = Try “{ $prog } --help”.
cli-no-such-command = there is no command “{ $command }”; the commands are { $commands }
cli-similar-command = there is no command “{ $command }”; did you mean “{ $similar }”?
cli-not-together = { $first } and { $second } cannot be used together
cli-needs = { $option } works only with { $other }
cli-needs-record = { $option } works only with a recorded game, but this is a single position

cli-description = Patchwork, Uwe Rosenberg’s board game for two. An unofficial fan project.
cli-description-examples =
    examples:
      patchwork                          play in the browser, against the computer or a friend
      patchwork play                     play against the computer in the terminal
      patchwork play --opponent human    two players at one keyboard
      patchwork replay game.patchwork    replay a recorded game

cli-play = play a whole game in the terminal
cli-play-examples =
    An unfinished game is resumed automatically. --new starts another one, and so
    does any option that describes a game: --opponent, --seat, --names, --seed,
    --edition, --first. The unfinished game is kept; name its file with --file to
    resume it.
    examples:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = your opponent: greedy (a simple program), 1 (gentle) to 8 (the engine at that level) or human (default: greedy)
cli-seat = your seat against the computer (default: 0)
cli-names = names of the players in seats 0 and 1
cli-seed = seed for the order of the patches (default: random)
cli-edition = where the special patches lie: classic (2014) or revised (default: classic)
cli-first = seat that goes first (default: 0)
cli-play-new = start a new game even if one is unfinished
cli-file = keep the game in this file; if the file exists, resume its game
cli-compact = draw a compact table, for narrow terminals

cli-show = draw a position, or the end of a recorded game
cli-show-examples =
    examples:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = file with a record or a position, a position as text, or - for standard input
cli-game = number of the game in the file (default: 1)
cli-move = draw the position after this many moves
cli-svg = write a picture (SVG) instead of text
cli-dark = with --svg: use dark colours
cli-json = write JSON instead of text

cli-replay = step through a recorded game
cli-replay-examples =
    Prints every move with its effects, its comments and the table after it. In a
    terminal, it waits for Enter after each move.
    examples:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = file with game records, or - for standard input

cli-check = check game records against the rules
cli-check-examples =
    Exits with status 1 if any file is invalid, and says where and why.
    examples:
      patchwork check *.patchwork

cli-new = write the record of a new game, with no moves yet
cli-new-examples =
    examples:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = count legal sequences of moves, to compare implementations of the rules
cli-perft-examples =
    Prints the count after each first move, then the total. Without a position, it
    counts from a new game, with seed 0 unless --seed says otherwise.
    examples:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = length of the sequences, at least 1
cli-perft-seed = seed for the order of the patches (default: 0)
cli-position = a position as text (default: a new game)

cli-serve = run the server: play in the browser, or with friends over a link
cli-serve-examples =
    Without options, only this machine can reach the server, which opens a browser
    here. Games are kept in a database and survive a restart. Everything can also
    be set by environment variables such as PATCHWORK_PORT; docs/operations.md
    lists them all.
    examples:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = address to listen on (default: 127.0.0.1, which only this machine can reach)
cli-port = port to listen on; 0 picks a free one (default: 8327)
cli-database = SQLite file or postgresql:// URL that holds the games (default: server.db in your data folder)
cli-public-url = URL at which players reach the server, used in links
cli-origins = additional origins whose pages may play here, separated by commas
cli-proxies = addresses of trusted proxies, separated by commas
cli-workers = number of processes that compute the computer’s moves (default: one fewer than there are processor cores)
cli-log-format = format of log entries (default: text)
cli-log-level = lowest level of log entries to write (default: info)
cli-no-browser = do not open a browser
cli-serving = Patchwork is at { $url } (Ctrl+C stops it)
cli-open-host = listening on { $host }, so others can reach this server, and their traffic is not encrypted; on the internet, put a proxy with TLS in front of it (docs/operations.md)
cli-port-in-use = port { $port } on { $host } is already in use, perhaps by another Patchwork; choose another port with “patchwork serve --port N”, or 0 for any free one
cli-cannot-listen = cannot listen on { $host }, port { $port }: { $detail }
cli-no-database = cannot use the database: { $detail }
cli-newer-database = these games were written by another, probably newer, version of the program ({ $detail })
cli-no-postgres = something that PostgreSQL requires is not installed; in a clone of the repository, run “pip install '.[postgres]'”

cli-backup = copy the server’s games to a file, even while the server is running
cli-backup-examples =
    The copy is complete and has been checked. It also contains the key that signs
    players’ identities, so keep it as safe as the database. For SQLite only; with
    PostgreSQL, use pg_dump.
    examples:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = file to write the backup to
cli-force = overwrite the file if it exists
cli-backup-done = Games backed up to { $file }

cli-restore = replace the server’s games with a backup
cli-restore-examples =
    The previous games are kept in the same folder, in a file named after the
    date and time.
    example:
      patchwork restore games-2026-11-15.db
cli-restore-file = backup file
cli-restore-done = Games restored from { $file }
cli-restore-kept = The previous games are in { $file }

cli-export = write all games on the server as records
cli-export-examples =
    examples:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = file to write the records to, or - for standard output (default: -)
cli-exported =
    { $games ->
        [one] { $games } game written to { $file }
       *[other] { $games } games written to { $file }
    }
cli-export-skipped = cannot write game { $game }: { $detail }
cli-no-such-file = there is no file { $file }
cli-copy-exists = { $file } exists and will not be overwritten without --force
cli-copy-not-sqlite = this works only with SQLite; with PostgreSQL, use pg_dump and pg_restore
cli-copy-same-file = the backup and the database are the same file
cli-copy-unsound = this is not a valid copy of a server’s games ({ $detail })
cli-copy-failed = cannot copy the games: { $detail }

cli-bad-setting = { $setting } cannot be “{ $value }”; allowed: { $allowed }
cli-allowed-host = an address or a host name, without a port
cli-allowed-port = a whole number from 0 to 65535
cli-allowed-database = a file path, sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME
cli-allowed-origins = origins such as https://example.org, separated by commas
cli-allowed-proxies = IP addresses or networks such as 10.0.0.0/8, separated by commas
cli-allowed-public-url = a URL such as https://example.org, without a path
cli-allowed-switch = auto, true or false
cli-allowed-workers = a whole number from 1 to 256
cli-allowed-secret = at least 32 characters
cli-allowed-log-format = text or json
cli-allowed-log-level = debug, info, warning or error
cli-allowed-frame = a whole number from 256 to 1048576
cli-allowed-count = a whole number, 0 or more
cli-allowed-positive = a whole number, 1 or more
cli-allowed-seconds = a number of seconds greater than 0

cli-upi = run the engine for another program, over the UPI protocol
cli-upi-examples =
    Reads commands from standard input and answers on standard output.
    docs/upi.md describes the protocol.
    example:
      patchwork match greedy upi:"patchwork upi"@2000n
cli-analyse = analyse positions in batches, one JSON object per line
cli-analyse-examples =
    Reads requests from standard input and answers with one line per position.
    docs/upi.md describes the fields.
    example:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = number of processor cores to use (default: 1)
cli-memory = megabytes of memory that a search may use (default: 56)
cli-preparing = Preparing the engine; this takes half a minute, but only the first time…
cli-match = play games between two programs to find out which is stronger
cli-match-examples =
    Games come in pairs: the same circle of patches twice, with the seats swapped.
    With --log, repeating a command resumes its match. A player that crashes, does
    not answer or breaks the rules loses that game.
    players:
      random, greedy, uct1000    fixed programs to measure others against
      level:1 ... level:8        the engine at that level
      playout:8                  the engine without a network; it never changes
      network:FILE               the engine with the network in that file
      upi:"COMMAND"              a program that speaks UPI
      codingame:"COMMAND"        a bot written for CodinGame
      level:8@0.5s, level:8@2000n, upi:"COMMAND"@1s
                                 with a limit per move: seconds or nodes
    examples:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = a player, such as greedy or level:8
cli-pairs = number of pairs of games to play with each opponent (default: 100)
cli-jobs = number of games to play at the same time (default: 1)
cli-match-seed = seed for everything random (default: 0)
cli-match-edition = where the special patches lie (default: the editions alternate)
cli-timeout = seconds by which a player may exceed its limit before it loses (default: 60)
cli-log = keep every game in this file; if the file exists, resume its match
cli-records = write the games to this file as records
cli-sprt = stop as soon as it is clear whether A is better than B by HIGH Elo rather than by LOW

cli-ladder = rate several programs on one scale
cli-ladder-examples =
    “patchwork match --help” lists the players.
    examples:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = let players meet only if they are at most K places apart in the list
cli-anchor = player whose strength counts as 0 (default: the first)

cli-learn = train a network, rate it and export it
cli-learn-examples =
    docs/training.md explains everything. “patchwork learn COMMAND --help” lists
    the options of a command.
cli-learn-run = train a network on games that it plays against itself
cli-learn-run-examples =
    Everything is kept in one folder. Ctrl+C stops the run at any time, and
    --resume continues it later.
    examples:
      patchwork learn run --config smoke --out runs/smoke
      patchwork learn run --config full --minutes 30 --out runs/first
      patchwork learn run --resume runs/first --minutes 30
      torchrun --nproc-per-node 2 -m patchwork learn run --config full --out runs/two
cli-learn-config = configuration: full, deep, wide, far, smoke or a TOML file (default: that of the resumed run, otherwise full)
cli-learn-minutes = minutes of training (default: as planned in the configuration)
cli-learn-out = folder of the run (default: that of the resumed run)
cli-learn-resume = resume the run in this folder, or start from the weights of this network
cli-learn-no-out = --out is required unless --resume names the folder of a run
cli-learn-status = minute { $minutes }, { $left }% left  { $rating }  evaluations/s: { $speed }  games: { $games }  positions: { $positions }  losses: { $losses }
cli-learn-done = Trained for { $minutes } minutes; everything is in { $folder }
cli-learn-stopped = Stopped and saved after { $minutes } minutes; “patchwork learn run --resume { $folder }” resumes the run
cli-learn-rate = measure the strength of a run’s networks
cli-learn-rate-examples =
    The networks play one another and random, greedy and uct1000, on one scale with
    greedy = 0. Results stay in the folder, and no game is played twice.
    example:
      patchwork learn rate runs/first --nodes 64 --pairs 100 --jobs 2
cli-learn-folder = folder of a run
cli-learn-nodes = nodes that a network may search per move; with 1, it plays its first choice (default: 64)
cli-learn-no-networks = there are no networks in { $folder }
cli-learn-export = write a network as ONNX, to play with it
cli-learn-export-examples =
    A JSON file next to the ONNX file describes the network.
    examples:
      patchwork learn export runs/first/networks/player-025.0.pt --out my.onnx
      patchwork match network:my.onnx@1s level:8@1s
cli-learn-network = file of a network, from the folder of a run
cli-learn-onnx = file to write; its metadata goes next to it, with the extension .json
cli-learn-exported = Wrote { $file } (parameters: { $parameters })
cli-learn-distil = distil a network into pattern weights, for a faster search
cli-learn-distil-examples =
    The network plays games against itself, and pattern weights learn to predict
    its evaluations. They are written to a file next to that of the network, and
    level 8 searches with them. Half an hour on two processor cores is enough; no
    GPU is needed.
    example:
      patchwork learn distil my.onnx
cli-learn-distilled-from = network saved by a run, or exported as ONNX (see “learn export”)
cli-learn-games = number of games the network plays (default: 24000)
cli-learn-steps = number of training steps (default: 25000)
cli-learn-minutes-at-most = stop after at most this many minutes, including those spent on the games
cli-learn-seed = seed for everything random (default: 0)
cli-learn-teaching = games: { $games } of { $total }
cli-learn-step = step { $step } of { $total }, loss: { $loss }
cli-learn-distilled = Wrote { $file } (log loss: { $loss }; the network’s: { $other })
cli-learn-unreadable = cannot use { $file }: { $detail }
cli-learn-size = { $file } does not match the configuration: { $detail }
cli-learn-not-installed = something that training requires is not installed ({ $detail }); in a clone of the repository, run “pip install '.[learn]'”
cli-bad-minutes = “{ $found }” is not a number of minutes greater than 0
cli-no-config = there is no configuration “{ $name }”; choose { $names } or the path of a file
cli-config-damaged = { $file } is not valid TOML: { $detail }
cli-config-unknown = { $file }: there is no setting “{ $setting }”; the settings are { $settings }
cli-config-whole = { $file }: { $setting } cannot be “{ $value }”; allowed: whole numbers from { $least } to { $most }
cli-config-number = { $file }: { $setting } cannot be “{ $value }”; allowed: numbers from { $least } to { $most }
cli-config-simulations = { $file }: { $setting } cannot be “{ $value }”; allowed: a list such as [[0, 16], [0.5, 32]], in which the shares of the run rise from 0 to at most 1, each with 1 to { $most } simulations

cli-cannot-open = cannot open { $file }: { $detail }
cli-cannot-write = cannot write the output: { $detail }
cli-no-output = standard output is closed, so nothing can be written
cli-no-input = standard input is closed, so there is nothing to read
cli-not-text = { $file } is not a text file: byte { $byte } is not UTF-8
cli-file-exists = { $file } exists and will not be overwritten; leave out { $option } to resume its game
cli-game-finished = the game in { $file } is finished; “{ $command }” shows it
cli-damaged-save = skipped { $file }: no valid game in it; “patchwork check” says why
cli-no-such-source = there is no file “{ $source }”, and it is not a position either: { $complaint }
cli-no-such-game = there is no game { $game } in { $file }; games in it: { $games }
cli-no-such-move = there is no move { $move }; choose from 0 to { $last }
cli-bad-seed = { $seed } is not a seed; seeds are whole numbers from 0 to { $last }
cli-bad-number = “{ $found }” is not a whole number of at least { $least }
cli-bad-name = { $name } is not a name; a name is a single line of text
cli-bad-player = “{ $player }” is not a player; the players are random, greedy, uct1000, level:1 to level:8, playout:8, network:FILE, upi:COMMAND and codingame:COMMAND; level, playout, network and upi can have a limit such as @1s or @2000n
cli-classic-only = { $player } knows only the classic edition
cli-bad-elo = “{ $found }” is not a difference in Elo, such as 10 or -2.5
cli-sprt-order = the first bound must be below the second, but { $low } is not below { $high }
cli-ladder-players = a ladder needs at least two players, each named once
cli-no-anchor = { $player } is the anchor, but does not take part
cli-ladder-unconnected = too few games have been played to compare all players
cli-not-installed = something required is not installed ({ $detail }); in a clone of the repository, run “pip install '.[play]'”
cli-exists = { $file } exists and will not be overwritten
cli-player-not-started = cannot start { $player }: { $detail }
cli-log-another-match = { $file } is the log of a different match: { $detail }
cli-log-damaged = the log { $file } is damaged: { $detail }
cli-log-in-use = another match is writing to the log { $file } right now
cli-match-interrupted = interrupted; games finished: { $games }
cli-match-progress = games: { $games } of { $total }
cli-ladder-pairs = (pairs: { $pairs })
cli-result-games = games: { $games }, won: { $wins }, lost: { $losses } ({ $percent }%)
cli-result-pairs = pairs: { $pairs }, won 2-0: { $won }, split 1-1: { $split }, lost 0-2: { $lost }
cli-result-elo = strength: { $elo }; probability of being better: { $percent }%
cli-result-scores = mean scores: { $first } : { $second }
cli-result-time = mean time per move: { $first } : { $second }
cli-result-forfeit = { $player } forfeited game { $game } of pair { $pair } ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] test: better by { $high } Elo rather than by { $low } (log-likelihood ratio { $ratio })
        [rejected] test: better by { $low } Elo rather than by { $high } (log-likelihood ratio { $ratio })
       *[undecided] test: undecided between { $low } and { $high } Elo (log-likelihood ratio { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } game, all in order
       *[other] { $games } games, all in order
    }
cli-no-game = There is no game in this file.
cli-press-enter = Enter: next move, q: quit
cli-ends-here =
    { $termination ->
        [resigned] The game ended here by resignation.
        [time] The game ended here because time ran out.
        [left] The game ended here because a player left.
        [aborted] The game was cancelled here.
       *[unfinished] The game is unfinished.
    }

## Playing in the terminal

play-player = Player { $seat }
play-saved-in = The game is saved in { $path }
play-resumed = Resuming your unfinished game.
play-help-hint = Type a move, or “help”.
play-prompt =
    { $phase ->
        [leather] { $name }, place your special patch:
       *[turn] { $name }, your turn:
    }
play-help =
    Moves:
      A        advance past the other token; 1 button for each space
      17Bc4    buy patch 17: orientation B, top-left corner in column c, row 4
      Lc4      place a special patch (leather) in column c, row 4
    Commands:
      moves       list what you can do now
      moves 17    show patch 17 in all orientations; o marks where its corner can go
      try 17Bc4   see what a move would do, without playing it
      undo        take back your last move
      show        draw the table again
      quit        leave; the game is saved
    In the drawing, b is buttons, i income, t time, = the score if the game ended now.
    On the time board, $ pays income and % holds a special patch.
play-unknown = “{ $command }” is neither a move nor a command. Type “help”.
play-try-what = Say which move to try, for example “try 17Bc4”.
play-leather-first = Place your special patch first, for example with { $move }.
play-advance =
    { $spaces ->
        [one] advance { $spaces } space and receive { $spaces } button
       *[other] advance { $spaces } spaces and receive { $spaces } buttons
    }
play-places-count =
    { $count ->
        [0] fits nowhere
        [one] fits in { $count } place
       *[other] fits in { $count } places
    }
play-no-such-patch = There is no patch “{ $found }”; patches are numbered 0 to { $last }.
play-nothing-to-undo = There is nothing to take back.
play-undone =
    { $count ->
        [one] { $count } move taken back.
       *[other] { $count } moves taken back.
    }
play-left = The game is saved. “{ $command }” resumes it.
play-not-saved = The move was not played, because { $path } cannot be written: { $detail }
play-changed-elsewhere = The move was not played, because { $path } has been changed elsewhere, perhaps by another “patchwork play”. Type “quit” and start again to continue from there.

play-advances =
    { $spaces ->
        [one] { $name } advances { $spaces } space and receives { $spaces } button.
       *[other] { $name } advances { $spaces } spaces and receives { $spaces } buttons.
    }
play-buys =
    { $name } buys patch { $patch } (buttons paid: { $buttons }, spaces moved: { $spaces }).
play-places = { $name } places a special patch at { $cell }.
play-income =
    { $buttons ->
        [one] Income: { $buttons } button.
       *[other] Income: { $buttons } buttons.
    }
play-tile = { $name } receives the special tile (7 × 7).
play-takes-leather = { $name } takes a special patch.
play-discards-leather = { $name } takes a special patch, but has no space left for it.
play-home = { $name } is the first to reach the last space.
play-try-score = Score: { $score } ({ $change })
play-try-next = Next to move: { $name }

play-score =
    { $name }: { $buttons } (buttons) + { $tile } (special tile) - { $minus } (empty spaces: { $empty }) = { $score }
play-tie-break = The scores are tied; { $name } reached the last space first.
play-wins = { $name } wins!
play-replay-hint = “{ $command }” replays the game.

## Why a move is refused

reason-game-over = The game is over.
reason-not-in-this-phase = Not now: a special patch can be placed only right after it is taken, and must be placed then.
reason-not-on-offer = This patch is not on offer; only the next three in the circle are.
reason-cannot-afford = Not enough buttons for this patch.
reason-off-the-board = That would lie off the quilt board.
reason-not-that-shape = The patch does not have that shape.
reason-overlaps = The patch would overlap another one.
reason-cell-taken = This space is already covered.

## What is wrong with a text

notation-move = move { $number }
notation-game = game { $number }
notation-not-a-position = This is not a position ({ $detail }).
notation-impossible-position = No game can reach this position ({ $detail }).
notation-not-a-move = This is not a move. Moves look like A, Lc4 or 17Bc4: patches 0 to 32, orientations A to H, columns a to i, rows 1 to 9.
notation-illegal-move = This move is not allowed ({ $detail }).
notation-bad-tag = A tag is invalid ({ $detail }).
notation-missing-tag = A tag is missing ({ $detail }).
notation-unexpected = This does not belong here ({ $detail }).
notation-unclosed = A comment is not closed.
notation-too-deep = Variations are nested too deeply.
notation-too-long = The record is too long.
notation-cut-off = The record stops without a result; the file may be cut off.
notation-contradiction = The record contradicts itself ({ $detail }).
notation-not-one-record = There must be exactly one game ({ $detail }).

## The page: the table

page-table-computer = Computer, level { $level }
page-table-you = You
page-table-player = Player { $number }
page-table-turn-you =
    { $why ->
        [leather] Place your special patch
        [on-top] Your turn: your token is on top
       *[behind] Your turn: your token is behind
    }
page-table-turn-other =
    { $whose ->
        [computer] The computer’s turn
       *[other] { $name }’s turn
    }: { $why ->
        [leather] placing a special patch
        [on-top] token on top
       *[behind] token behind
    }
page-table-called = Your turn – Patchwork
page-table-arrived = { $name } is here – Patchwork
page-table-back = { $name } is back – Patchwork
page-table-connecting = Connecting…
page-table-slow = The connection is slow…
page-table-lost = Connection lost. Trying again…
page-table-away = away
page-table-thinks = The computer is thinking…
page-table-thinks-briefly = The server is busy, so the computer is thinking less than usual…
page-table-thinks-later =
    { $tables ->
        [one] The computer has { $tables } other table to attend to first.
       *[other] The computer has { $tables } other tables to attend to first.
    }
page-table-sending = Sending your move…
page-table-withdrawn = The game changed before your move arrived, so the move wasn’t played.
page-table-refused =
    { $code ->
        [nothing-to-undo] There is nothing to take back.
        [already-asked] You have already asked.
        [too-late-to-abort] Both players have moved, so the game can no longer be cancelled.
        [not-gone] Your opponent is back.
        [busy] The computer is busy. Try again in a moment.
        [too-many] Too much at once. Try again in a moment.
       *[other] That isn’t possible right now.
    }
page-table-missed =
    { $moves ->
        [one] While you were away, { $moves } move was made:
       *[other] While you were away, { $moves } moves were made:
    }
page-table-joined = { $name } has joined the table.
page-table-asks = { $name } would like to take back their last move.
page-table-asked = You asked to take back your last move.
page-table-accept = Allow
page-table-decline = Decline
page-table-declined = { $name } didn’t agree to take the move back.
page-table-taken-back = { $name }: move taken back.
page-table-wants-rematch = { $name } would like to play again.
page-table-swapped =
    { $begins ->
        [you] You have swapped sides: this is your token now. You go first.
        [computer] You have swapped sides: this is your token now. The computer goes first.
       *[other] You have swapped sides: this is your token now. { $name } goes first.
    }
page-table-gone = Your opponent has left.
page-table-gone-early = Your opponent left before both of you had moved.
page-table-claim = Claim the win
page-table-did-advance =
    { $spaces ->
        [one] advanced { $spaces } space (+{ $spaces } button)
       *[other] advanced { $spaces } spaces (+{ $spaces } buttons)
    }
page-table-did-buy = bought patch { $patch } (buttons: { $buttons }, time: { $spaces })
page-table-did-leather = special patch at { $cell }
page-table-did-income = +{ $buttons } from income
page-table-did-tile = got the special tile
page-table-did-take-leather = took a special patch
page-table-move-advance = advance
page-table-move-leather = special patch at { $cell }
page-table-move-buy = patch { $patch } at { $cell }
page-table-buttons =
    { $buttons ->
        [one] { $buttons } button
       *[other] { $buttons } buttons
    }
page-table-income = Income { $income }
page-table-has-tile = has the special tile
page-table-score = Points { $points }
page-table-score-why = Points if the game ended now: 1 for each button, 7 for the special tile, minus 2 for each empty space. Everyone starts at −157.
page-table-empty = Empty spaces { $empty }
page-table-income-left = Income to come +{ $buttons }
page-table-days =
    { $days ->
        [one] { $days } day
       *[other] { $days } days
    }
page-table-clock-low = { $name }: less than { $seconds } seconds left
page-table-first-move = First move:
page-table-first-move-you = Make your first move in time, or the game is cancelled. Nobody loses.
page-table-first-move-other = { $name } has to move in time, or the game is cancelled. Nobody loses.
page-table-time-board = Time board: { $first } – space { $at } of 53; { $second } – space { $and }
page-table-quilt-of = Quilt: { $name }
page-table-swap-quilts = Swap the quilts
page-table-cell-empty = { $cell }, empty
page-table-cell-patch = { $cell }, patch { $patch }
page-table-cell-leather = { $cell }, special patch
page-table-cell-thought = { $cell }, { $tag }: patch { $patch }
page-table-cell-fits = { $cell }, the patch fits here
page-table-cell-no-fit = { $cell }, the patch doesn’t fit this way
page-table-cell-tile = { $cell }, the patch fits here and wins the special tile
page-table-circle = Patches on offer
page-table-circle-rest = The other patches in the circle, in order
page-table-neutral = Spool of thread (neutral token)
page-table-patch = Patch { $patch }: spaces { $cells }, price { $cost }, time { $time }, income { $income }
page-table-spaces = Spaces { $cells }
page-table-coming-after =
    { $patches ->
        [one] { $patches } place away from the offer
       *[other] { $patches } places away from the offer
    }
page-table-cannot-afford = Not enough buttons
page-table-fits-nowhere = Fits nowhere
page-table-choose = Take one of the three patches, or advance.
page-table-only-advance = You can only advance.
page-table-advance = Advance
page-table-sew = Sew on
page-table-turn = Turn
page-table-flip = Flip
page-table-cancel = Put back
page-table-no-fit-this-way = It doesn’t fit this way. Turn it or flip it.
page-table-no-place-there = It doesn’t fit any further that way.
page-table-place-leather = Special patch: choose a free space.
page-table-lands = space { $space } (+{ $spaces })
page-table-gets-income = +{ $buttons } from income
page-table-gets-leather = special patch
page-table-gets-tile = special tile
page-table-points = points { $before } → { $after }
page-table-then = next: { $name }
page-table-then-computer = next: the computer
page-table-then-again = your turn again
page-table-then-leather = then place it
page-table-then-over = then the game ends
page-idea-tag = idea
page-idea-keep = Keep as an idea
page-idea-take = Take it now
page-idea-clear = Put all ideas away
page-idea-count = Ideas: { $count }
page-idea-costs = price { $buttons }
page-idea-lacking = { $buttons } too few
page-idea-short =
    { $buttons ->
        [one] { $buttons } button too few
       *[other] { $buttons } buttons too few
    }
page-idea-now = on offer now
page-idea-next = after the next purchase
page-idea-if = after buying
page-idea-later =
    { $purchases ->
        [one] after at least { $purchases } purchase
       *[other] after at least { $purchases } purchases
    }
page-idea-dropped =
    { $why ->
        [taken] Patch { $patch } has been taken.
        [covered] Patch { $patch } no longer fits where you had the idea.
        [home] No time is left for patch { $patch }.
       *[other] Patch { $patch } fits nowhere.
    }
page-next-tag = next move
page-next-play = Play when it’s my turn
page-next-begin = Prepare a move
page-next-advance = Advance as soon as it’s your turn? Or choose a patch.
page-next-is = Next move: { $move }.
page-next-when = It will be played when it’s your turn, as long as this page is open.
page-next-cancel = Cancel next move
page-next-cancelled =
    { $why ->
        [taken] Next move cancelled: patch { $patch } has been taken.
        [not-on-offer] Next move cancelled: patch { $patch } isn’t on offer.
        [cannot-afford] Next move cancelled: you don’t have enough buttons for patch { $patch }.
        [overlaps] Next move cancelled: patch { $patch } no longer fits there.
        [leather] Next move cancelled: first you have to place a special patch.
        [takeback] Next move cancelled: a move was taken back.
       *[moved] Next move cancelled: you have already moved.
    }
page-table-undo = Take back
page-table-hint = Hint
page-table-hint-look =
    { $kind ->
        [advance] Advancing looks better than buying.
        [buy] Buying a patch looks better than advancing.
        [only] All you can do is advance.
       *[leather] Which space is best for the special patch?
    }
page-table-hint-watch =
    { $code ->
        [tile] Look at your 7 × 7 square.
        [hole] Look at the holes of a single space.
        [leather] Look at the special patch on the time board.
        [again] Look at whose turn it will be afterwards.
        [income] Look at the income still to come.
       *[line] Look at the next income line.
    }
page-table-hint-figures = You: chance of winning { $win }%, lead in points { $points }
page-table-hint-best = best
page-table-hint-why =
    { $code ->
        [tile] it wins the special tile: { $figure } points
        [hole] it fills a hole of a single space
        [leather] it takes a special patch
        [again] it is your turn again afterwards
        [income] by the end its income exceeds its price by { $figure }
       *[line] on the way you are paid income: +{ $figure }
    }
page-table-hint-more =
    { $step ->
        [which] Show me the moves
       *[where] Show me where
    }
page-table-hint-prepared = Prepared but not played yet: confirm or change it.
page-table-menu = Game
page-table-moves = Moves
page-table-no-moves = No moves yet.
page-table-order = Order of the patches
page-table-order-why = Paste it into the options of a new game to play with the same patches.
page-table-qr = QR code of the link
page-table-link = Link to this table
page-table-copy = Copy link
page-table-copied = Copied
page-table-share = Share
page-table-abort = Cancel game
page-table-abort-why = This ends the game at once, without a winner.
page-table-resign = Resign
page-table-resign-why = This ends the game at once, and the other player wins.
page-table-sure = Are you sure? Press again.
page-table-home = Home
page-table-notify = Notify me when it’s my turn
page-table-notify-arrival = Notify me when someone joins
page-table-notify-forbidden = Your browser doesn’t let this page notify you.
page-table-words = The table in words
page-table-words-tile-free = Nobody has the special tile yet.
page-table-words-place = On space { $space } of 53 on the time board
page-table-words-income-next = Next income before space { $space }
page-table-words-leather-next = Next special patch before space { $space }
page-table-words-shape = { $width } wide, { $height } high; filled columns: { $rows }
page-table-words-row = row { $row }: { $content }
page-table-words-takeable = Can be taken
page-table-words-latest = Latest moves
page-table-keys = Keys
page-table-key-choose = take the first, second or third patch
page-table-key-try = try another patch of the circle on your quilt
page-table-key-arrows = move the patch
page-table-key-turn = turn it
page-table-key-flip = flip it
page-table-key-enter = play the move, or prepare it while you wait
page-table-key-escape = put the patch back, or cancel the prepared move
page-table-key-keep = keep the patch as an idea
page-table-key-clear = put all ideas away
page-table-key-advance = advance
page-table-key-undo = take back your last move
page-table-key-hint = ask for a hint; again: the next step
page-table-key-words = show the table in words
page-table-key-circle = look at the coming patches
page-table-key-quilts = swap the two quilts
page-table-key-help = show this list
page-table-waiting = Waiting for the second player…
page-table-invite = Send this link to a friend. The game starts as soon as your friend joins.
page-table-only-here = Only this computer can open this link. To play with others, start “patchwork serve --host 0.0.0.0” and open the page at this computer’s network address.
page-table-invited = { $name } invites you to play.
page-table-your-name = Your name (optional)
page-table-join = Join and play
page-table-seat-taken = Someone else has already joined. You can watch.
page-table-needle = Who last used a needle? That player goes first.
page-table-soon = The game is about to start.
page-table-wins =
    { $whose ->
        [you] You win!
        [computer] The computer wins!
       *[other] { $name } wins!
    }
page-table-ended =
    { $reason ->
        [resigned-you] You resigned.
        [resigned] { $name } resigned.
        [time-you] You ran out of time.
        [time] { $name } ran out of time.
        [left-you] You left the game.
        [left] { $name } left the game.
        [aborted] The game was cancelled.
       *[other] The game is over.
    }
page-table-unfinished = The game wasn’t played to the end, so the points don’t count.
page-table-tie-break =
    { $whose ->
        [you] The scores are tied; you reached the last space first.
        [computer] The scores are tied; the computer reached the last space first.
       *[other] The scores are tied; { $name } reached the last space first.
    }
page-table-step-buttons = Buttons
page-table-step-tile = Special tile
page-table-step-empty = Empty spaces
page-table-step-total = Total
page-table-why-buttons = 1 point each
page-table-why-tile = 7 points for the first full square of 7 × 7 spaces
page-table-why-empty = minus 2 points each
page-table-skip = Show all at once
page-table-next-game = Next game
page-table-rematch = Play again
page-table-rematch-same = Same patches again
page-table-rematch-asked = Waiting for your opponent…
page-table-rematch-accept = Accept and play again
page-table-new-game = New game
page-table-replay = Replay
page-table-record = Download the record
page-table-picture = Picture of the quilts ({ $format })
page-table-look = View the table
page-table-to-scores = Back to the scores
page-table-watching = You are watching.
page-table-waits-for = Waiting for { $name }…

## The page: home and settings

page-home = Patchwork home page
page-learn = Learn to play
page-rules = Rules
page-preferences = Settings
page-language = Language
page-theme = Colours
page-theme-system = Same as device
page-theme-light = Light
page-theme-dark = Dark
page-tokens = Token colours
page-tokens-edition = Match the edition
page-tokens-classic = Lime and yellow
page-tokens-revised = Blue and red
page-look = Side of the time board
page-look-rug = Braided rug
page-look-blocks = Quilt blocks
page-confirm = Confirm each move
page-confirm-why = When this is off, a move is played as soon as you choose where the patch goes.
page-motion = Animations
page-motion-calm = Turned off on your device.
page-sound = Sounds
page-close = Close
page-fan = An unofficial fan project. Patchwork is a game by Uwe Rosenberg, published by Lookout Games; neither of them is connected with this site. If you like the game, buy the real thing.
page-licence = Free software under the MIT licence.
page-api = For developers

page-tagline = Buy patches with buttons and sew them into a quilt. A game for two, in a quarter of an hour.
page-play-now = Play now
page-opening = Setting up the game…
page-level = How strong should the computer be?
page-level-1 = Gentle
page-level-2 = Easy
page-level-3 = Casual
page-level-4 = Solid
page-level-5 = Skilled
page-level-6 = Strong
page-level-7 = Very strong
page-level-8 = Strongest
page-level-lowest = Start here if you are new. Slightly weaker than a player who buys by a simple rule of thumb.
page-level-strength = Wins about { $percent } of 100 games against level { $below }.
page-level-thinks = Thinks for a second; the others answer at once.
page-level-honest = Measured in games between the levels, not against people. No level plays badly on purpose; the lower ones just don’t look as far ahead.
page-options = More options
page-first = Who goes first?
page-first-me = I do
page-first-computer = The computer
page-first-friend = My friend
page-first-one = Player 1
page-first-two = Player 2
page-first-random = Decide at random
page-first-needle = Whoever last used a needle
page-edition = Time board
page-edition-classic = 2014 board
page-edition-revised = Later printings and apps
page-edition-why = Only the special patches are in different places.
page-order = Order of the patches (optional)
page-order-why = To play with the same patches as someone else: type the same number, or paste the order from another game’s menu or from a record. Left empty, it is random.
page-clock = Clock
page-clock-none = None
page-clock-minutes =
    { $minutes ->
        [one] { $minutes } minute each, + { $increment } s per move
       *[other] { $minutes } minutes each, + { $increment } s per move
    }
page-clock-days =
    { $days ->
        [one] { $days } day per move
       *[other] { $days } days per move
    }
page-name = Your name (optional)
page-name-one = Player 1’s name (optional)
page-name-two = Player 2’s name (optional)

page-ways = More ways to play
page-screen = Two players, one screen
page-screen-why = Sit side by side, or pass the device back and forth.
page-screen-begin = Start
page-friend = Invite a friend
page-friend-why = You get a link to send. Whoever opens it first plays with you; no account needed.
page-friend-begin = Create link
page-watch = Watch a game
page-watch-why = Anyone who has the link to a game can watch it.
page-watch-label = Link to the game
page-watch-begin = Watch
page-carry = Continue on another device
page-carry-why = Your games belong to this browser. With a private link you can continue them on another device.
page-carry-begin = Create a private link
page-carry-link = Private link
page-carry-picture = QR code of the private link
page-carry-expires = It works until { $time }. Don’t show it to anyone else: whoever opens it plays as you.
page-network = Let others in this network play
page-network-why = So far, only this computer can open this page. If you let others in, everyone in the same network, such as your Wi-Fi, can open it and play; your files and other programs stay out of their reach. It ends when you close it here or quit Patchwork.
page-network-is-open = Open to everyone in this network, at
page-network-picture = QR code of this address
page-network-others = Other addresses of this computer:
page-network-firewall = If it doesn’t open on the other device, check that both are in the same network and that this computer’s firewall lets Patchwork (Python) through.
page-network-close = Close to others
page-network-failed = It couldn’t be opened. Perhaps another program uses the same port.
page-network-none = This computer is not in a local network, so others can’t reach it.
page-network-again = Check again
page-carry-here = Continue playing here?
page-carry-here-why = From then on, this browser plays as the person who created the link.
page-carry-here-begin = Continue here
page-carry-too-old = This link has expired or is incomplete. Create a new one on the other device.
page-carry-own = This browser
page-carry-maker = Other device
page-carry-games = Games
page-carry-running = Running
page-carry-finished = Finished
page-carry-adopt = This browser has no games of its own yet.
page-carry-merge = Your games and those of the other device become one list. You can play all of them here and there; none is lost.
page-carry-merge-undo = You can undo this for a day.
page-carry-merge-own-link = Only continue if you created the link yourself. Otherwise someone else could play your games.
page-carry-same = This browser already plays as the person who created the link. There is nothing left to do.
page-carry-opponents = You’re playing against the person who created the link. Until that is over, your games can’t be put together.
page-carry-opponents-how = First finish, resign or cancel, then create a new link. Until then nothing changes, and no game is lost.
page-carry-not-now = Not now
page-carry-retry = Try again
page-carry-merged = This browser’s games and those of another device have been put together.
page-carry-undo-why = Until { $time } you can undo this. Games begun in the meantime then stay with the other device.
page-carry-undo = Undo
page-copy = Copy
page-copied = Copied

page-continue = Continue playing
page-finished = Finished games
page-no-games = Your games will appear here.
page-last-quilt = Your last quilt
page-loading = Loading…
page-more-games = Show more games
page-against = Against { $name }
page-computer-level = the computer, level { $level }
page-both = { $one } and { $two }
page-your-turn = Your turn
page-turn-of = To move: { $name }
page-time-left = { $time } left to move
page-not-begun = Not started yet
page-won = Won
page-lost = Lost
page-won-by = Won by { $name }
page-no-winner = Cancelled
page-by-resigning = by resignation
page-by-time = on time
page-by-leaving = because a player left

page-nowhere = There is nothing here
page-nowhere-why = There is no page at this address. Is the link complete?
page-trouble-offline = The server can’t be reached. Check your connection and try again.
page-trouble-too-many = Too much at once. Please wait a minute and try again.
page-trouble-unavailable = The server is too busy right now. Please try again in a little while.
page-trouble-no-such-table = There is no game at this link. Is it complete?
page-trouble-reserved-name = That name looks like the computer’s. Please choose another one.
page-trouble-bad-circle = This order of the patches doesn’t work. Enter a whole number, or all 33 patches as the menu of a game shows them.
page-trouble-other = Something went wrong. Please reload the page.

page-try-again = Try again

## The page: privacy

page-privacy = Privacy
page-privacy-intro = What the server and your browser keep about you, for how long, and what you can do about it.
page-privacy-server = What the server keeps
page-privacy-server-games = Your games: the moves, when they were made, and the names the players gave. Anyone who knows the link to a game can look at it.
page-privacy-server-records = Records that you open to replay them, with the names and comments in them, but not who opened them. Anyone who knows the link can look at them. They are kept as long as finished games, counted from the last time someone opened them.
page-privacy-server-player = A random code that stands for you, so that your games stay yours. There are no accounts, so the server knows neither your email address nor any password.
page-privacy-server-address = Your network address is only used to keep anyone from overloading the server. It isn’t stored with your games. An address that is blocked for this reason may appear in the server’s log.
page-privacy-time = How long it is kept
page-privacy-time-unfinished = Unfinished games: { $time }
page-privacy-time-finished = Finished games: { $time }
page-privacy-time-unlimited = no time limit
page-privacy-time-since = Counted from the last activity in a game.
page-privacy-time-backups = Deleted data may remain in the operator’s backups until these are replaced.
page-privacy-browser = What your browser keeps
page-privacy-browser-cookie = A cookie by which the server recognises you. It expires 400 days after your last visit.
page-privacy-browser-settings = Your settings, the names you entered last, how far you have followed your latest 30 games, and how far you have got in the lesson.
page-privacy-others = What third parties get
page-privacy-others-text = Nothing. There is no advertising and no tracking, and nothing is loaded from other servers.
page-privacy-yours = Your data
page-privacy-data = Get your data
page-privacy-data-why = Everything that the server keeps about you: your names and your games, move by move, in a machine-readable file.
page-privacy-data-begin = Download my data
page-privacy-data-done = Your data has been downloaded.
page-privacy-revoke = Lock out other devices
page-privacy-revoke-why = If someone else can play as you, lock them out: only this browser will still be you. Your other devices, bots and private links stop working at once.
page-privacy-revoke-begin = Lock out all others
page-privacy-revoke-done = Done. Only this browser can play as you now.
page-privacy-delete = Delete your data
page-privacy-delete-why = Your names disappear, and no game can be traced to you any more. Unfinished games are given up. Your opponents keep their games, against a player with no name.
page-privacy-delete-begin = Delete my data…
page-privacy-delete-sure = Delete everything? This can’t be undone.
page-privacy-delete-merged = You have put the games of several devices together. All of them will be deleted, for all of these devices.
page-privacy-delete-yes = Yes, delete
page-privacy-delete-no = No, keep
page-privacy-delete-done = Done. The server no longer knows you.
page-privacy-nobody = The server doesn’t know this browser, so there is nothing to do.
page-privacy-name = What happens to your name

## The page: the rules

page-rules-contents = Contents
page-rules-intro = This is the whole game. You can learn it in five minutes.
page-rules-aim = The aim
page-rules-aim-text = Two players each sew a quilt. Patches cost buttons and time. At the end, each button is worth one point, and each empty space on your quilt costs two.
page-rules-table = What is on the table
page-rules-table-quilt = Each player has a quilt board of 9 × 9 spaces, a time token and 5 buttons.
page-rules-table-circle = 33 patches lie in a circle around the time board, in random order. The neutral token, here a spool of thread, stands just clockwise of the smallest patch, the 1 × 2.
page-rules-table-patch = The label on a patch shows how many buttons and how much time it costs. The buttons sewn on the patch are its income.
page-rules-patch-drawing = A patch of { $size } spaces: buttons { $cost }, time { $time }, income { $income }
page-rules-turn = Whose turn it is
page-rules-turn-text = It is the turn of the player whose time token is further back; one player may have several turns in a row. If both tokens are on the same space, the one on top goes first: the one that got there last. At the start, that is the token of the player who last used a needle.
page-rules-turn-choice = On your turn, do one of two things: advance, or take a patch.
page-rules-advance = Advance
page-rules-advance-text = Move your time token to the space just in front of the other one. Receive 1 button for each space you move. You can always do this.
page-rules-advance-drawing = A token passes the other one, moves 4 spaces and earns 4 buttons
page-rules-take = Take a patch
page-rules-take-choose = Choose one of the next three patches, clockwise from the neutral token.
page-rules-take-neutral = Move the neutral token to where the patch was.
page-rules-take-pay = Pay the number of buttons on the label.
page-rules-take-sew = Sew the patch onto your quilt, turned and flipped as you like. It must not overlap other patches or stick out, but it doesn’t have to touch anything. Once sewn, it stays there.
page-rules-take-time = Move your time token forward by the time on the label. If it ends on the same space as the other token, it goes on top.
page-rules-take-not = You can’t take a patch that you can’t pay for or that fits nowhere.
page-rules-take-drawing = The neutral token and the three patches in front of it
page-rules-lines = Crossing lines
page-rules-lines-text = Whether you advanced or took a patch, look at the lines your token crossed, in order:
page-rules-lines-income = Button: receive the income of your whole quilt, including the patch you have just sewn on.
page-rules-lines-leather = Special patch: take this small piece of leather and sew it at once onto any free space. Only the first player to cross the line gets it.
page-rules-lines-where = Income is paid at the lines before spaces 5, 11, 17, 23, 29, 35, 41, 47 and 53. Special patches lie on the lines before spaces 20, 26, 32, 44 and 50 on the 2014 board; in later printings and the apps, before 26, 32, 38, 44 and 50.
page-rules-board-drawing = The time board, a spiral of 54 spaces
page-rules-tile = The special tile
page-rules-tile-text = The first player to fill a square of 7 × 7 spaces on their quilt takes the special tile. It is worth 7 points.
page-rules-tile-drawing = A quilt with a filled square of 7 × 7 spaces
page-rules-end = The end
page-rules-end-text = Space 53, in the middle, is the last one. No token goes further; if you advance, you are paid only for the spaces you actually move. When both tokens are there, the game is over.
page-rules-score = Scoring
page-rules-score-text = Your buttons, plus 7 for the special tile, minus 2 for each empty space. The higher score wins. If the scores are tied, whoever reached the last space first wins.
page-rules-score-example = Example: 14 buttons, the special tile and 5 empty spaces make 14 + 7 − 10 = 11. The other player has 18 buttons and 2 empty spaces, which make 18 − 4 = 14, and wins.
page-rules-tips = Good to know
page-rules-tips-income = Income pays most early on: you receive it at every button still ahead of you.
page-rules-tips-turn = A patch that takes little time may keep you behind, so that you move again.
page-rules-tips-gaps = Only special patches fill single gaps. Keep the edges smooth.
page-rules-play = Play now

## The page: the lesson

page-learn-new = New here? Learn by playing, in five minutes.
page-learn-by-playing = Or learn by playing.
page-learn-opponent = Your opponent
page-learn-step = { $number } of { $of }
page-learn-next = Next
page-learn-back = Back
page-learn-skip = Skip
page-learn-restart = Start over
page-learn-leave = Leave
page-learn-help = Show me
page-learn-retry = Try again
page-learn-play = Play now against level 1
page-learn-rules = Read the rules
page-learn-welcome = Your first game
page-learn-welcome-text = You and your opponent each sew a quilt. Patches cost buttons and time. At the end, a button is worth one point and an empty space costs two, so you start at −157. Let’s try everything once, in five minutes.
page-learn-advance = Advance
page-learn-advance-text = Your opponent moves ahead on the time board. Whoever is behind has the turn: you. Press “Advance”, then press it again to confirm. You jump just in front of the other token and get a button for each space.
page-learn-advance-done = Seven spaces, seven buttons. You can always advance. Now you are ahead, so it is your opponent’s turn.
page-learn-circle = The row of patches
page-learn-circle-text = Only the three patches after the spool of thread are on offer. When one is taken, the spool moves to its place; the ones it skipped go to the end of the row and come round again later.
page-learn-buy = Take a patch
page-learn-buy-text = Choose one of the three patches. The label shows its price in buttons and in time. Turn and flip the patch and lay it on your quilt: the tinted spaces show where it fits. Then sew it on.
page-learn-buy-wrong = You could advance, too. But this time, treat yourself to a patch: choose one of the three.
page-learn-chain = Your turn again
page-learn-chain-text = You paid the buttons, and your token moved ahead by the time on the label. It is still behind! Whoever is behind moves again, even several times in a row. So: another patch, or advance?
page-learn-chain-done = Two turns in a row! Patches that take little time let you play more often.
page-learn-income = Income
page-learn-income-text = From here on, each step is a moment from another game. The buttons sewn on your patches are your income. Take a patch or advance to cross the next line that has a button, and your whole quilt pays.
page-learn-income-done = Your whole quilt has paid its income. There are nine such lines, so income is worth most when you get it early.
page-learn-leather = A special patch
page-learn-leather-text = Both tokens are on the same space; yours is on top, so you go first. A special patch, made of leather, lies on the next line. The first to cross that line gets it. Cross it with any move.
page-learn-sew = Sew it on
page-learn-sew-text = The special patch is yours and costs nothing. It covers one space, just right for a gap that no other patch fits. Put it on any free space and sew it on.
page-learn-sew-done = Well mended! At the start, five special patches lie on the time board, each for whoever gets there first.
page-learn-tile = Seven by seven
page-learn-tile-text = Whoever first fills a square of 7 × 7 spaces wins the special tile, worth 7 points. Your square at the top left needs just one more patch: the third. Turn it and fill the gap.
page-learn-tile-done = The special tile is yours: 7 points at the end.
page-learn-tile-wrong = That would leave the square unfinished. Take the third patch, turn it, and fill the gap in the square at the top left.
page-learn-end = The last move
page-learn-end-text = Your opponent is on the last space, in the middle of the time board. When you get there, the game is over. It’s close, and every empty space costs 2 points: choose well!
page-learn-score = You know the game
page-learn-score-text = Buttons, plus 7 for the special tile, minus 2 for each empty space: the higher score wins. That’s all. Have fun!
page-learn-lost = So close! Go back and use your last move for a patch.

## The page: replays

page-replay = Replay
page-replay-broken = This record can’t be read: { $detail }
page-replay-no-record = This isn’t a Patchwork record.
page-replay-unknown = There is no such record here. Perhaps the link is incomplete, or the record is no longer kept.
page-replay-file = A record from a file
page-replay-choose = Choose a file…
page-replay-text = Or paste its text
page-replay-open = Replay
page-replay-start = Start of the game
page-replay-first = To the start
page-replay-back = One move back
page-replay-play = Play
page-replay-pause = Pause
page-replay-forward = One move forward
page-replay-last = To the end
page-replay-swap = Swap sides
page-replay-move = Move { $number } of { $of }
page-replay-figures = Buttons { $buttons } · income { $income } · points { $points }
page-replay-board = Time board: tokens on spaces { $first } and { $second }
page-replay-to-game = Back to the game
page-replay-copy = Copy the link to this move
page-replay-variation = Variation of move { $number }
page-replay-variations = Variations:
page-replay-leave = Leave the variation
page-replay-annotation =
    { $name ->
        [good] good move
        [bad] bad move
        [very-good] very good move
        [very-bad] very bad move
        [interesting] interesting move
        [dubious] dubious move
       *[other] annotation { $number }
    }
page-replay-record = Replay a record


## Links in messengers, and pages without JavaScript

link-how = Take a patch from the circle, pay in buttons and time, and sew it on; whoever is behind on the time board moves. In the end, buttons count and empty spaces cost points.
link-join = Open the link to join; you need no account.
link-running = The game is under way, and you can watch it move by move.
link-replay = Go through the game move by move.
link-drawing = The table: both quilts, the time board and the circle of patches
link-script = To play here, turn on JavaScript in your browser.

