# German. What the command line and the terminal say. Names in dollars are filled in; keep them as
# they are. Words typed by the user (help, moves, try, undo, show, quit), option names and move texts
# such as 17Bc4 are the same in every language.
#
# Glossary:
#   patch = Flicken                        leather patch = Lederflicken
#   button = Knopf                         income = Einkommen
#   time token = Zeitstein                 time board = Zeitplan
#   quilt board = Decke                    space = Feld
#   special 7x7 tile = Sonderplättchen     advance = vorrücken
#   buy = kaufen                           place = legen
#   turn, move = Zug                       circle of patches = Kreis
#   game = Partie                          record = Aufzeichnung
#   position = Stellung                    orientation = Ausrichtung
#   seat = Platz                           score = Punktestand
#   tag = Kopfeintrag                      seed = Startwert
#   player = Spieler                       match = Wettkampf
#   pair of games = Paar                   ladder = Rangliste
#   strength = Stärke                      log = Protokoll
#   limit = Grenze                         level = Stufe

## The command line

cli-usage = Aufruf:
cli-commands = Befehle
cli-arguments = Argumente
cli-options = Optionen
cli-help = diese Hilfe anzeigen und beenden
cli-lang = Sprache des Programms; sonst die deines Systems
cli-version = die Version anzeigen und beenden
cli-see-help = Versuch es mit „{ $prog } --help“.
cli-no-such-command = es gibt keinen Befehl „{ $command }“; die Befehle sind { $commands }
cli-similar-command = es gibt keinen Befehl „{ $command }“; meintest du „{ $similar }“?
cli-not-together = { $first } und { $second } gehen nicht zusammen
cli-needs = { $option } geht nur zusammen mit { $other }
cli-needs-record = { $option } geht nur bei einer aufgezeichneten Partie, und das ist eine einzelne Stellung

cli-description = Patchwork, Uwe Rosenbergs Brettspiel für zwei. Ein inoffizielles Fanprojekt.
cli-description-examples =
    Beispiele:
      patchwork                          im Browser spielen, gegen den Computer oder zu zweit
      patchwork play                     im Terminal gegen den Computer spielen
      patchwork play --opponent human    zu zweit an einer Tastatur
      patchwork replay game.patchwork    eine Partie noch einmal ansehen

cli-play = eine ganze Partie im Terminal spielen
cli-play-examples =
    Eine unterbrochene Partie geht von selbst weiter. --new beginnt eine andere,
    ebenso jede Option, die eine Partie beschreibt: --opponent, --seat, --names,
    --seed, --edition, --first. Die unterbrochene bleibt gespeichert; --file setzt
    sie fort.
    Beispiele:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = wer auf dem anderen Platz spielt: das Programm greedy, die Engine auf einer Stufe von 1 (sanft) bis 8 oder ein Mensch (Vorgabe: greedy)
cli-seat = dein Platz gegen das Programm (Vorgabe: 0)
cli-names = Namen für die Plätze 0 und 1
cli-seed = Zahl, die die Reihenfolge der Flicken bestimmt; sonst wird sie ausgelost
cli-edition = wo die Lederflicken liegen: classic (2014) oder revised (Vorgabe: classic)
cli-first = der Platz, der beginnt (Vorgabe: 0)
cli-play-new = eine neue Partie beginnen, auch wenn noch eine offen ist
cli-file = die Partie in dieser Datei speichern; gibt es die Datei schon, geht ihre Partie weiter
cli-compact = den Tisch klein zeichnen, für schmale Terminals

cli-show = eine Stellung oder das Ende einer aufgezeichneten Partie zeichnen
cli-show-examples =
    Beispiele:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = Datei mit einer Aufzeichnung oder Stellung, Text einer Stellung oder - für die Standardeingabe
cli-game = die wievielte Partie der Datei, von 1 an gezählt (Vorgabe: 1)
cli-move = die Stellung nach so vielen Zügen zeichnen
cli-svg = ein Bild (SVG) statt Text ausgeben
cli-dark = mit --svg: dunkle Farben
cli-json = JSON für Programme ausgeben

cli-replay = eine aufgezeichnete Partie Zug für Zug durchgehen
cli-replay-examples =
    Gibt alle Züge nacheinander aus, jeden mit seiner Wirkung, den Kommentaren und
    dem Tisch danach; im Terminal wartet es nach jedem auf Enter.
    Beispiele:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = Datei mit Aufzeichnungen von Partien oder - für die Standardeingabe

cli-check = prüfen, ob Aufzeichnungen von Partien den Regeln folgen
cli-check-examples =
    Endet mit Status 1, wenn eine Datei fehlerhaft ist, und sagt, wo und warum.
    Beispiele:
      patchwork check *.patchwork

cli-new = die Aufzeichnung einer neuen Partie ohne Züge ausgeben
cli-new-examples =
    Beispiele:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = die erlaubten Zugfolgen zählen, um Umsetzungen der Regeln zu vergleichen
cli-perft-examples =
    Gibt die Anzahl nach jedem ersten Zug aus, dann die Summe. Ohne Stellung nimmt
    es eine neue Partie, und zwar mit Startwert 0, wenn --seed nichts anderes sagt.
    Beispiele:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = Länge der Zugfolgen, mindestens 1
cli-perft-seed = Zahl, die die Reihenfolge der Flicken bestimmt (Vorgabe: 0)
cli-position = Text einer Stellung

cli-serve = den Server starten: im Browser spielen, auch mit anderen über einen Link
cli-serve-examples =
    Ohne Optionen ist er nur auf diesem Rechner erreichbar und öffnet dessen
    Browser. Die Partien liegen in einer Datenbank und gehen nach einem Neustart
    weiter. Alles lässt sich auch mit Variablen wie PATCHWORK_PORT einstellen;
    docs/operations.md nennt sie alle.
    Beispiele:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = Adresse des Servers (Vorgabe: 127.0.0.1, nur von diesem Rechner erreichbar)
cli-port = Port des Servers; 0 nimmt einen freien (Vorgabe: 8327)
cli-database = SQLite-Datei oder postgresql://-Adresse der Partien (Vorgabe: server.db in deinem Datenordner)
cli-public-url = wo der Server für andere erreichbar ist, für Links
cli-origins = weitere Ursprünge (Origins), deren Seiten hier spielen dürfen, durch Kommas getrennt
cli-proxies = Adressen vertrauenswürdiger Proxys, durch Kommas getrennt
cli-workers = Prozesse, die für den Computer rechnen (Vorgabe: einer weniger als Prozessorkerne)
cli-log-format = wie Logeinträge geschrieben werden (Vorgabe: text)
cli-log-level = ab welcher Wichtigkeit Logeinträge geschrieben werden (Vorgabe: info)
cli-no-browser = den Browser nicht öffnen
cli-serving = Patchwork läuft unter { $url } (Strg+C beendet es)
cli-open-host = der Server hört auf { $host }, ist also für andere erreichbar, und was sie senden, ist nicht verschlüsselt; fürs Internet gehört ein Proxy mit TLS davor (docs/operations.md)
cli-port-in-use = Port { $port } auf { $host } ist belegt, vielleicht von einem anderen Patchwork; „patchwork serve --port N“ nimmt einen anderen, 0 irgendeinen freien
cli-cannot-listen = der Server kann auf { $host }, Port { $port } nicht hören: { $detail }
cli-no-database = die Datenbank lässt sich nicht benutzen: { $detail }
cli-newer-database = diese Partien gehören zu einer anderen, wohl neueren Version des Programms ({ $detail })
cli-no-postgres = für PostgreSQL ist nicht alles Nötige installiert; in einem Klon holt es „pip install '.[postgres]'“

cli-backup = die Partien des Servers in eine Datei sichern, auch während er läuft
cli-backup-examples =
    Die Sicherung ist vollständig und geprüft. Sie enthält auch den Schlüssel, mit
    dem ausgewiesen wird, wer wer ist; verwahre sie so sicher wie die Datenbank.
    Nur für SQLite; PostgreSQL hat pg_dump.
    Beispiele:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = Datei für die Sicherung
cli-force = die Datei überschreiben, falls es sie schon gibt
cli-backup-done = Die Partien sind gesichert in { $file }

cli-restore = die Partien des Servers durch eine Sicherung ersetzen
cli-restore-examples =
    Was vorher da war, bleibt daneben liegen, in einer Datei mit dem Zeitpunkt im
    Namen.
    Beispiel:
      patchwork restore games-2026-11-15.db
cli-restore-file = Datei mit der Sicherung
cli-restore-done = Die Partien aus { $file } sind wiederhergestellt
cli-restore-kept = Was vorher da war, liegt in { $file }

cli-export = alle Partien des Servers als Aufzeichnungen ausgeben
cli-export-examples =
    Beispiele:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = Datei für die Aufzeichnungen oder - für die Standardausgabe (Vorgabe: -)
cli-exported =
    { $games ->
        [one] { $games } Partie geschrieben in { $file }
       *[other] { $games } Partien geschrieben in { $file }
    }
cli-export-skipped = Partie { $game } lässt sich nicht ausgeben: { $detail }
cli-no-such-file = es gibt keine Datei { $file }
cli-copy-exists = { $file } existiert schon und wird ohne --force nicht überschrieben
cli-copy-not-sqlite = PostgreSQL sichert selbst, mit pg_dump und pg_restore
cli-copy-same-file = die Sicherung und die Datenbank sind dieselbe Datei
cli-copy-unsound = darin sind keine fehlerfreien Partien eines Servers ({ $detail })
cli-copy-failed = die Partien ließen sich nicht kopieren: { $detail }

cli-bad-setting = { $setting } kann nicht „{ $value }“ sein; erlaubt: { $allowed }
cli-allowed-host = eine Adresse oder der Name eines Rechners, ohne Port
cli-allowed-port = eine ganze Zahl von 0 bis 65535
cli-allowed-database = der Pfad einer Datei, sqlite:///PATH oder postgresql://USER:PASSWORD@HOST/NAME
cli-allowed-origins = Ursprünge wie https://example.org, durch Kommas getrennt
cli-allowed-proxies = IP-Adressen oder Netze wie 10.0.0.0/8, durch Kommas getrennt
cli-allowed-public-url = eine Adresse wie https://example.org, ohne Pfad
cli-allowed-switch = auto, true oder false
cli-allowed-workers = eine ganze Zahl von 1 bis 256
cli-allowed-secret = mindestens 32 Zeichen
cli-allowed-log-format = text oder json
cli-allowed-log-level = debug, info, warning oder error
cli-allowed-frame = eine ganze Zahl von 256 bis 1048576
cli-allowed-count = eine ganze Zahl, mindestens 0
cli-allowed-positive = eine ganze Zahl, mindestens 1
cli-allowed-seconds = eine Anzahl Sekunden über 0

cli-upi = die Engine für ein anderes Programm starten, nach dem Protokoll UPI
cli-upi-examples =
    Liest Befehle von der Standardeingabe und antwortet auf der Standardausgabe.
    docs/upi.md beschreibt das Protokoll.
cli-analyse = Stellungen stapelweise untersuchen, ein JSON-Objekt je Zeile
cli-analyse-examples =
    Liest Anfragen von der Standardeingabe und antwortet mit einer Zeile je Stellung.
    docs/upi.md beschreibt die Felder.
    Beispiel:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = Prozessorkerne, die benutzt werden (Vorgabe: 1)
cli-memory = Megabyte, die eine Suche benutzen darf (Vorgabe: 56)
cli-preparing = Die Engine wird vorbereitet; das dauert einmalig eine halbe Minute …
cli-match = Partien zwischen zwei Programmen spielen und sagen, welches stärker ist
cli-match-examples =
    Gespielt wird in Paaren: zweimal derselbe Kreis von Flicken, mit getauschten
    Plätzen. Mit --log geht ein Wettkampf dort weiter, wo er war, wenn derselbe
    Befehl noch einmal gegeben wird. Wer abstürzt, nicht antwortet oder die Regeln
    bricht, verliert die Partie.
    Spieler:
      random, greedy, uct1000    feste Programme als Maßstab für andere
      level:1 ... level:8        die Engine auf einer Stufe
      playout:8                  die Engine in voller Stärke, ohne Netz
      network:DATEI              die Engine mit einem Netz, aus dessen Datei
      upi:"BEFEHL"               ein Programm, das UPI spricht
      codingame:"BEFEHL"         ein Bot für CodinGame
      level:8@0.5s, level:8@2000n, upi:"BEFEHL"@1s
                                 mit Grenze für jeden Zug: Sekunden oder Knoten
    Beispiele:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = ein Spieler, zum Beispiel greedy oder level:8
cli-pairs = so viele Paare von Partien spielen, mit jedem Gegner (Vorgabe: 100)
cli-jobs = so viele Partien gleichzeitig spielen (Vorgabe: 1)
cli-match-seed = Zahl, die alles Zufällige bestimmt (Vorgabe: 0)
cli-match-edition = wo die Lederflicken liegen; sonst wechseln die Ausgaben sich ab
cli-timeout = so viele Sekunden über seine Grenze hinaus darf ein Spieler brauchen, dann verliert er (Vorgabe: 60)
cli-log = jede Partie in dieser Datei festhalten; gibt es sie schon, geht der Wettkampf weiter
cli-records = die Partien als Aufzeichnungen in diese Datei schreiben
cli-sprt = aufhören, sobald klar ist, ob A eher um HIGH Elo besser ist als B oder um LOW

cli-ladder = mehrere Programme auf einer Skala einstufen
cli-ladder-examples =
    Welche Spieler es gibt, sagt „patchwork match --help“.
    Beispiele:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = nur Spieler, die in der Liste höchstens K Stellen auseinander sind, spielen gegeneinander
cli-anchor = der Spieler, dessen Stärke 0 ist (Vorgabe: der erste)

cli-learn = ein Netz das Spiel lernen lassen, es einstufen und ausgeben
cli-learn-examples =
    docs/training.md erklärt alles. „patchwork learn COMMAND --help“ sagt mehr.
cli-learn-run = gegen sich selbst spielen und daraus lernen
cli-learn-run-examples =
    Alles, was dabei entsteht, liegt in einem Ordner. Strg+C hält jederzeit an,
    und --resume macht später weiter.
    Beispiele:
      patchwork learn run --config smoke --out runs/smoke
      patchwork learn run --config full --minutes 30 --out runs/first
      patchwork learn run --resume runs/first --minutes 30
      torchrun --nproc-per-node 2 -m patchwork learn run --config full --out runs/two
cli-learn-config = Konfiguration: full, deep, wide, far, smoke oder eine TOML-Datei (Vorgabe: die des fortgesetzten Laufs, sonst full)
cli-learn-minutes = so viele Minuten lernen (Vorgabe: wie in der Konfiguration geplant)
cli-learn-out = Ordner des Laufs (Vorgabe: der fortgesetzte)
cli-learn-resume = den Lauf in diesem Ordner fortsetzen oder mit den Gewichten dieses Netzes beginnen
cli-learn-no-out = --out wird gebraucht, außer wenn --resume den Ordner eines Laufs nennt
cli-learn-status = Minute { $minutes }, noch { $left } %  { $rating }  Bewertungen/s: { $speed }  Partien: { $games }  Stellungen: { $positions }  Fehler: { $losses }
cli-learn-done = { $minutes } Minuten gelernt; alles liegt in { $folder }
cli-learn-stopped = Angehalten und gespeichert nach { $minutes } Minuten; „patchwork learn run --resume { $folder }“ macht weiter
cli-learn-rate = messen, wie stark die Netze eines Laufs sind
cli-learn-rate-examples =
    Sie spielen gegeneinander und gegen random, greedy und uct1000, auf einer
    Skala mit greedy = 0. Ergebnisse bleiben im Ordner; nichts wird zweimal gespielt.
    Beispiel:
      patchwork learn rate runs/first --nodes 64 --pairs 100 --jobs 2
cli-learn-folder = Ordner eines Laufs
cli-learn-nodes = so viele Knoten darf ein Netz für jeden Zug suchen; 1: es spielt, woran es zuerst denkt (Vorgabe: 64)
cli-learn-no-networks = in { $folder } gibt es keine Netze
cli-learn-export = ein Netz als ONNX schreiben, um damit zu spielen
cli-learn-export-examples =
    Eine Karte daneben, in JSON, sagt, was man über das Netz weiß.
    Beispiele:
      patchwork learn export runs/first/networks/player-025.0.pt --out my.onnx
      patchwork match network:my.onnx@1s level:8@1s
cli-learn-network = Datei mit einem Netz, aus dem Ordner eines Laufs
cli-learn-onnx = Datei, die geschrieben wird; daneben die Karte, mit der Endung .json
cli-learn-exported = { $file } ist geschrieben (Parameter: { $parameters })
cli-learn-distil = Tabellen aus dem machen, was ein Netz weiß, um damit schneller zu suchen
cli-learn-distil-examples =
    Das Netz spielt gegen sich selbst; Tabellen und ein kleines Netz lernen, was
    es sagt. Sie liegen neben ihm, und Stufe 8 sucht mit ihnen. Eine halbe Stunde
    auf zwei Prozessorkernen genügt; eine GPU braucht es nicht.
    Beispiel:
      patchwork learn distil my.onnx
cli-learn-distilled-from = Netz, wie ein Lauf es aufbewahrt, oder als ONNX (siehe „learn export“)
cli-learn-games = Partien, die das Netz spielt (Standard: 24000)
cli-learn-steps = Schritte, in denen daraus gelernt wird (Standard: 25000)
cli-learn-minutes-at-most = Minuten, nach denen das Lernen in jedem Fall endet, die der Partien mitgezählt
cli-learn-seed = entscheidet alles, was dem Zufall überlassen ist (Standard: 0)
cli-learn-teaching = Partien: { $games } von { $total }
cli-learn-step = Schritt { $step } von { $total }, Fehler: { $loss }
cli-learn-distilled = { $file } ist geschrieben (log loss: { $loss }; des Netzes: { $other })
cli-learn-unreadable = { $file } ist nicht zu gebrauchen: { $detail }
cli-learn-size = { $file } passt nicht zur Konfiguration: { $detail }
cli-learn-not-installed = zum Lernen ist nicht alles Nötige installiert ({ $detail }); in einem Klon holt es „pip install '.[learn]'“
cli-bad-minutes = „{ $found }“ passt hier nicht; es muss eine Zahl von Minuten über 0 sein
cli-no-config = es gibt keine Konfiguration „{ $name }“; möglich sind { $names } oder der Pfad einer Datei
cli-config-damaged = { $file } ist kein TOML: { $detail }
cli-config-unknown = { $file }: es gibt keine Einstellung „{ $setting }“; Einstellungen sind { $settings }
cli-config-whole = { $file }: { $setting } kann nicht „{ $value }“ sein; erlaubt: ganze Zahlen von { $least } bis { $most }
cli-config-number = { $file }: { $setting } kann nicht „{ $value }“ sein; erlaubt: Zahlen von { $least } bis { $most }
cli-config-walks = { $file }: { $setting } kann nicht „{ $value }“ sein; erlaubt: eine Liste wie [[0, 16], [0.5, 32]], mit steigenden Teilen von 0 bis 1 und 1 bis { $most } Gängen

cli-cannot-open = { $file } lässt sich nicht öffnen: { $detail }
cli-cannot-write = die Ausgabe lässt sich nicht schreiben: { $detail }
cli-no-output = die Standardausgabe ist geschlossen, also lässt sich nichts ausgeben
cli-no-input = die Standardeingabe ist geschlossen, also lässt sich nichts von ihr lesen
cli-not-text = { $file } ist keine Textdatei: Byte { $byte } ist kein UTF-8
cli-file-exists = { $file } existiert schon und wird nicht überschrieben; ohne { $option } geht die Partie darin weiter
cli-game-finished = die Partie in { $file } ist zu Ende; „{ $command }“ zeigt sie
cli-damaged-save = { $file } wird übergangen, weil keine fehlerfreie Partie darin ist; „patchwork check“ sagt, warum
cli-no-such-source = es gibt keine Datei „{ $source }“, und eine Stellung ist das auch nicht: { $complaint }
cli-no-such-game = { $file } hat keine Partie { $game }; Anzahl der Partien darin: { $games }
cli-no-such-move = es gibt keinen Zug { $move }; möglich ist 0 bis { $last }
cli-bad-seed = { $seed } geht nicht als Startwert; Startwerte sind ganze Zahlen von 0 bis { $last }
cli-bad-number = „{ $found }“ passt hier nicht; es muss eine ganze Zahl sein, mindestens { $least }
cli-bad-name = { $name } geht nicht als Name; ein Name ist eine Zeile Text
cli-bad-player = „{ $player }“ ist kein Spieler; Spieler sind random, greedy, uct1000, level:1 bis level:8, playout:8, network:DATEI, upi:BEFEHL und codingame:BEFEHL; level, playout, network und upi können eine Grenze wie @1s oder @2000n haben
cli-classic-only = { $player } kennt nur die Ausgabe classic
cli-bad-elo = „{ $found }“ passt hier nicht; es muss ein Unterschied in Elo sein wie 10 oder -2.5
cli-sprt-order = die erste Grenze muss unter der zweiten liegen, und { $low } liegt nicht unter { $high }
cli-ladder-players = eine Rangliste braucht mindestens zwei Spieler, jeden genau einmal
cli-no-anchor = { $player } soll die Stärke 0 haben, spielt aber nicht mit
cli-ladder-unconnected = es sind zu wenige Partien gespielt, um alle Spieler zu vergleichen
cli-not-installed = dafür ist nicht alles Nötige installiert ({ $detail }); in einem Klon holt es „pip install '.[play]'“
cli-exists = { $file } existiert schon und wird nicht überschrieben
cli-player-not-started = { $player } lässt sich nicht starten: { $detail }
cli-log-another-match = { $file } ist das Protokoll von etwas anderem: { $detail }
cli-log-damaged = das Protokoll { $file } ist beschädigt: { $detail }
cli-log-in-use = in das Protokoll { $file } schreibt gerade ein anderer Wettkampf
cli-match-interrupted = unterbrochen; fertige Partien: { $games }
cli-match-progress = Partien: { $games } von { $total }
cli-ladder-pairs = (Paare: { $pairs })
cli-result-games = Partien: { $games }, gewonnen: { $wins }, verloren: { $losses } ({ $percent } %)
cli-result-pairs = Paare: { $pairs }, 2-0 gewonnen: { $won }, 1-1 geteilt: { $split }, 0-2 verloren: { $lost }
cli-result-elo = Stärke: { $elo }; Wahrscheinlichkeit, besser zu sein: { $percent } %
cli-result-scores = mittlerer Punktestand: { $first } : { $second }
cli-result-time = mittlere Zeit für einen Zug: { $first } : { $second }
cli-result-forfeit = { $player } verlor Partie { $game } von Paar { $pair } vorzeitig ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] Test: eher um { $high } Elo besser als um { $low } (logarithmisches Likelihood-Verhältnis { $ratio })
        [rejected] Test: eher um { $low } Elo besser als um { $high } (logarithmisches Likelihood-Verhältnis { $ratio })
       *[undecided] Test: unentschieden zwischen { $low } und { $high } Elo (logarithmisches Likelihood-Verhältnis { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } Partie, alles in Ordnung
       *[other] { $games } Partien, alles in Ordnung
    }
cli-no-game = Darin ist keine Partie.
cli-press-enter = Enter: weiter, q: aufhören
cli-ends-here =
    { $termination ->
        [resigned] Hier endete die Partie durch Aufgabe.
        [time] Hier endete die Partie durch Zeitüberschreitung.
        [left] Hier endete die Partie, weil jemand gegangen ist.
        [aborted] Hier wurde die Partie abgebrochen.
       *[unfinished] Die Partie ist noch nicht zu Ende.
    }

## Playing in the terminal

play-player = Spieler { $seat }
play-saved-in = Die Partie wird hier gespeichert: { $path }
play-resumed = Deine unterbrochene Partie geht weiter.
play-help-hint = Gib einen Zug ein oder „help“.
play-prompt =
    { $phase ->
        [leather] { $name }, lege deinen Lederflicken:
       *[turn] { $name }, du bist am Zug:
    }
play-help =
    Züge:
      A        vor den anderen Zeitstein vorrücken; 1 Knopf für jedes Feld
      17Bc4    Flicken 17 kaufen, Ausrichtung B, linke obere Ecke in Spalte c, Zeile 4
      Lc4      einen Lederflicken in Spalte c, Zeile 4 legen
    Befehle:
      moves       was du jetzt tun kannst
      moves 17    Flicken 17 in allen Ausrichtungen; o markiert, wo seine Ecke liegen kann
      try 17Bc4   ansehen, was ein Zug bewirkt, ohne ihn zu spielen
      undo        deinen letzten Zug zurücknehmen
      show        den Tisch noch einmal zeichnen
      quit        aufhören; die Partie bleibt gespeichert
    In der Zeichnung steht b für Knöpfe, i für Einkommen, t für Zeit
    und = für den Punktestand, wenn die Partie jetzt zu Ende wäre.
    Auf dem Zeitplan bringt $ Einkommen, und bei % liegt ein Lederflicken.
play-unknown = „{ $command }“ ist weder ein Zug noch ein Befehl. Gib „help“ ein.
play-try-what = Sag auch, welchen Zug, zum Beispiel „try 17Bc4“.
play-leather-first = Lege zuerst deinen Lederflicken, zum Beispiel mit { $move }.
play-advance =
    { $spaces ->
        [one] { $spaces } Feld vorrücken und { $spaces } Knopf erhalten
       *[other] { $spaces } Felder vorrücken und { $spaces } Knöpfe erhalten
    }
play-places-count =
    { $count ->
        [0] passt nirgends
        [one] passt an { $count } Stelle
       *[other] passt an { $count } Stellen
    }
play-no-such-patch = Es gibt keinen Flicken „{ $found }“; die Flicken haben die Nummern 0 bis { $last }.
play-nothing-to-undo = Es gibt nichts zurückzunehmen.
play-undone =
    { $count ->
        [one] { $count } Zug zurückgenommen.
       *[other] { $count } Züge zurückgenommen.
    }
play-left = Die Partie ist gespeichert. „{ $command }“ setzt sie fort.
play-not-saved = Der Zug wurde nicht gespielt, weil { $path } nicht geschrieben werden kann: { $detail }
play-changed-elsewhere = Der Zug wurde nicht gespielt, weil { $path } inzwischen anderswo geändert wurde, vielleicht von einem zweiten „patchwork play“. Gib „quit“ ein und starte neu, um von dort weiterzuspielen.

play-advances =
    { $spaces ->
        [one] { $name } rückt { $spaces } Feld vor und erhält { $spaces } Knopf.
       *[other] { $name } rückt { $spaces } Felder vor und erhält { $spaces } Knöpfe.
    }
play-buys =
    { $name } kauft Flicken { $patch } (bezahlte Knöpfe: { $buttons }, vorgerückte Felder: { $spaces }).
play-places = { $name } legt einen Lederflicken auf Feld { $cell }.
play-income =
    { $buttons ->
        [one] Einkommen: { $buttons } Knopf.
       *[other] Einkommen: { $buttons } Knöpfe.
    }
play-tile = { $name } bekommt das Sonderplättchen (7×7).
play-takes-leather = { $name } nimmt einen Lederflicken.
play-discards-leather = { $name } nimmt einen Lederflicken, hat aber kein freies Feld mehr dafür.
play-home = { $name } erreicht zuerst das letzte Feld.
play-try-score = Punktestand: { $score } ({ $change })
play-try-next = Danach am Zug: { $name }

play-score =
    { $name }: { $buttons } (Knöpfe) + { $tile } (Sonderplättchen) - { $minus } (leere Felder: { $empty }) = { $score }
play-tie-break = Gleichstand; { $name } war zuerst auf dem letzten Feld.
play-wins = { $name } gewinnt!
play-replay-hint = „{ $command }“ zeigt die Partie noch einmal.

## Why a move is refused

reason-game-over = Die Partie ist zu Ende.
reason-not-in-this-phase = Jetzt nicht: Ein Lederflicken wird sofort nach dem Nehmen gelegt, und nur dann.
reason-not-on-offer = Dieser Flicken steht nicht zur Wahl, nur die nächsten drei im Kreis.
reason-cannot-afford = Zu wenige Knöpfe für diesen Flicken.
reason-off-the-board = Das läge außerhalb der Decke.
reason-not-that-shape = Diese Form hat der Flicken nicht.
reason-overlaps = Der Flicken würde einen anderen überdecken.
reason-cell-taken = Dieses Feld ist schon bedeckt.

## What is wrong with a text

notation-move = Zug { $number }
notation-game = Partie { $number }
notation-not-a-position = Das ist nicht der Text einer Stellung ({ $detail }).
notation-impossible-position = Keine Partie kann diese Stellung erreichen ({ $detail }).
notation-not-a-move = Das ist kein Zug. Züge sehen aus wie A, Lc4 oder 17Bc4: Flicken 0 bis 32, Ausrichtungen A bis H, Spalten a bis i, Zeilen 1 bis 9.
notation-illegal-move = Dieser Zug ist nicht erlaubt ({ $detail }).
notation-bad-tag = Ein Kopfeintrag ist falsch ({ $detail }).
notation-missing-tag = Ein Kopfeintrag fehlt ({ $detail }).
notation-unexpected = Das gehört nicht hierher ({ $detail }).
notation-unclosed = Ein Kommentar ist nicht geschlossen.
notation-too-deep = Zu viele Varianten sind ineinander verschachtelt.
notation-too-long = Die Aufzeichnung ist zu lang.
notation-cut-off = Die Aufzeichnung endet ohne Ergebnis; vielleicht ist die Datei abgeschnitten.
notation-contradiction = Die Aufzeichnung widerspricht sich ({ $detail }).
notation-not-one-record = Es ist nicht genau eine Partie darin ({ $detail }).

## The page: the table

page-table-computer = Computer, Stufe { $level }
page-table-you = Du
page-table-guest = Gast
page-table-player = Spieler { $number }
page-table-turn-you =
    { $why ->
        [leather] Lege deinen Lederflicken
        [on-top] Du bist am Zug: Dein Zeitstein liegt oben
       *[behind] Du bist am Zug: Dein Zeitstein liegt zurück
    }
page-table-turn-other =
    { $whose ->
        [computer] Der Computer
       *[other] { $name }
    } { $why ->
        [leather] legt einen Lederflicken
        [on-top] ist am Zug (Zeitstein oben)
       *[behind] ist am Zug (Zeitstein zurück)
    }
page-table-called = Du bist am Zug – Patchwork
page-table-connecting = Verbindung wird aufgebaut …
page-table-lost = Verbindung verloren. Neuer Versuch …
page-table-away = abwesend
page-table-thinks = Der Computer überlegt …
page-table-thinks-briefly = Der Computer überlegt, kürzer als sonst: Der Server hat viel zu tun …
page-table-thinks-later =
    { $tables ->
        [one] Der Computer überlegt erst an { $tables } anderen Tisch.
       *[other] Der Computer überlegt erst an { $tables } anderen Tischen.
    }
page-table-sending = Dein Zug ist unterwegs …
page-table-withdrawn = Inzwischen ist etwas anderes geschehen, dein Zug wurde zurückgezogen.
page-table-refused =
    { $code ->
        [nothing-to-undo] Es gibt nichts zurückzunehmen.
        [already-asked] Du hast schon gefragt.
        [too-late-to-abort] Beide haben gezogen, die Partie kann nicht mehr abgebrochen werden.
        [not-gone] Die andere Person ist wieder da.
        [busy] Der Computer ist beschäftigt. Versuche es gleich noch einmal.
        [too-many] Das war zu viel auf einmal. Versuche es gleich noch einmal.
       *[other] Das geht jetzt nicht.
    }
page-table-missed =
    { $moves ->
        [one] Während du weg warst, gab es { $moves } Zug:
       *[other] Während du weg warst, gab es { $moves } Züge:
    }
page-table-joined = { $name } setzt sich an den Tisch.
page-table-asks = { $name } möchte den letzten Zug zurücknehmen.
page-table-asked = Du hast darum gebeten, deinen letzten Zug zurücknehmen zu dürfen.
page-table-accept = Erlauben
page-table-decline = Ablehnen
page-table-declined = { $name } möchte nicht, dass der Zug zurückgenommen wird.
page-table-taken-back = { $name }: Zug zurückgenommen.
page-table-wants-rematch = { $name } möchte noch einmal spielen.
page-table-swapped =
    { $begins ->
        [you] Die Seiten sind getauscht: Das ist jetzt dein Zeitstein. Du beginnst.
        [computer] Die Seiten sind getauscht: Das ist jetzt dein Zeitstein. Der Computer beginnt.
       *[other] Die Seiten sind getauscht: Das ist jetzt dein Zeitstein. { $name } beginnt.
    }
page-table-gone = Die andere Person ist gegangen.
page-table-claim = Sieg beanspruchen
page-table-did-advance =
    { $spaces ->
        [one] { $spaces } Feld vorgerückt für { $spaces } Knopf
       *[other] { $spaces } Felder vorgerückt für { $spaces } Knöpfe
    }
page-table-did-buy = Flicken { $patch } gekauft (Knöpfe: { $buttons }, Zeit: { $spaces })
page-table-did-leather = Lederflicken auf { $cell }
page-table-did-income = +{ $buttons } aus Einkommen
page-table-did-tile = Sonderplättchen (7×7) gewonnen
page-table-did-take-leather = Lederflicken genommen
page-table-move-advance = vorrücken
page-table-move-leather = Lederflicken auf { $cell }
page-table-move-buy = Flicken { $patch } auf { $cell }
page-table-buttons =
    { $buttons ->
        [one] { $buttons } Knopf
       *[other] { $buttons } Knöpfe
    }
page-table-income = Einkommen { $income }
page-table-has-tile = hat das Sonderplättchen (7×7)
page-table-score = Punkte { $points }
page-table-score-why = Punkte, wenn jetzt Schluss wäre: 1 für jeden Knopf, 7 für das Sonderplättchen, minus 2 für jedes leere Feld. Alle beginnen bei −157.
page-table-empty = Leere Felder { $empty }
page-table-income-left = Einkommen noch +{ $buttons }
page-table-days =
    { $days ->
        [one] { $days } Tag
       *[other] { $days } Tage
    }
page-table-clock-low = { $name }: weniger als { $seconds } Sekunden übrig
page-table-time-board = Zeitplan: { $first } – Feld { $at } von 53; { $second } – Feld { $and }
page-table-quilt-of = Decke: { $name }
page-table-cell-empty = { $cell }, leer
page-table-cell-patch = { $cell }, Flicken { $patch }
page-table-cell-leather = { $cell }, Lederflicken
page-table-cell-fits = { $cell }, hier passt der Flicken
page-table-cell-no-fit = { $cell }, so passt der Flicken nicht
page-table-cell-tile = { $cell }, hier passt der Flicken und gewinnt das Sonderplättchen
page-table-circle = Flicken zur Wahl
page-table-circle-rest = Die übrigen Flicken im Kreis, der Reihe nach
page-table-neutral = Garnrolle (neutrale Spielfigur)
page-table-patch = Flicken { $patch }: Felder { $cells }, Preis { $cost }, Zeit { $time }, Einkommen { $income }
page-table-cannot-afford = Zu wenige Knöpfe
page-table-fits-nowhere = Passt nirgends
page-table-choose = Nimm einen der drei Flicken oder rücke vor.
page-table-advance = Vorrücken
page-table-sew = Aufnähen
page-table-turn = Drehen
page-table-flip = Wenden
page-table-cancel = Zurücklegen
page-table-no-fit-this-way = So passt er nirgends. Drehe oder wende ihn.
page-table-no-place-there = In dieser Richtung ist kein Platz.
page-table-place-leather = Lederflicken: Wähle ein freies Feld.
page-table-lands = Feld { $space } (+{ $spaces })
page-table-gets-income = +{ $buttons } aus Einkommen
page-table-gets-leather = Lederflicken
page-table-gets-tile = Sonderplättchen
page-table-points = Punkte { $before } → { $after }
page-table-then = danach: { $name }
page-table-then-computer = dann der Computer
page-table-then-again = du bist noch einmal am Zug
page-table-then-leather = dann wird er gelegt
page-table-then-over = dann ist die Partie zu Ende
page-table-undo = Zurücknehmen
page-table-hint = Tipp
page-table-hint-is = Tipp: { $move } (Gewinnaussicht { $win } %)
page-table-menu = Partie
page-table-moves = Züge
page-table-no-moves = Noch keine Züge.
page-table-qr = Der Link als QR-Code
page-table-link = Link zu diesem Tisch
page-table-copy = Link kopieren
page-table-copied = Kopiert
page-table-share = Teilen
page-table-abort = Partie abbrechen
page-table-resign = Aufgeben
page-table-sure = Wirklich? Noch einmal drücken.
page-table-home = Startseite
page-table-notify = Benachrichtigen, wenn ich am Zug bin
page-table-notify-forbidden = Dein Browser erlaubt dieser Seite keine Benachrichtigungen.
page-table-words = Der Tisch in Worten
page-table-words-tile-free = Das Sonderplättchen (7×7) hat noch niemand.
page-table-words-place = Auf Feld { $space } von 53 des Zeitplans
page-table-words-income-next = Nächstes Einkommen vor Feld { $space }
page-table-words-leather-next = Nächster Lederflicken vor Feld { $space }
page-table-words-shape = { $width } breit, { $height } hoch; gefüllte Spalten: { $rows }
page-table-words-row = Reihe { $row }: { $content }
page-table-words-takeable = Kann genommen werden
page-table-words-latest = Die letzten Züge
page-table-keys = Tasten
page-table-key-choose = ersten, zweiten oder dritten Flicken nehmen
page-table-key-arrows = Flicken verschieben
page-table-key-turn = drehen
page-table-key-flip = wenden
page-table-key-enter = Zug spielen
page-table-key-escape = Flicken zurücklegen
page-table-key-advance = vorrücken
page-table-key-undo = letzten Zug zurücknehmen
page-table-key-hint = um einen Tipp bitten
page-table-key-words = der Tisch in Worten
page-table-key-help = diese Liste
page-table-waiting = Warten auf die zweite Person …
page-table-invite = Schicke diesen Link jemandem, mit dem du spielen möchtest. Die Partie beginnt, sobald ihr beide am Tisch sitzt.
page-table-only-here = Nur dieser Computer kann diesen Link öffnen. Um mit anderen zu spielen, starte „patchwork serve --host 0.0.0.0“ und öffne die Seite unter der Netzwerkadresse dieses Computers.
page-table-invited = { $name } lädt dich zum Spielen ein.
page-table-your-name = Dein Name (freiwillig)
page-table-join = Platz nehmen und spielen
page-table-seat-taken = Der Platz ist schon vergeben. Du kannst zuschauen.
page-table-needle = Wer hat zuletzt eine Nadel benutzt? Diese Person beginnt.
page-table-soon = Die Partie beginnt gleich.
page-table-wins =
    { $whose ->
        [you] Du gewinnst!
        [computer] Der Computer gewinnt!
       *[other] { $name } gewinnt!
    }
page-table-ended =
    { $reason ->
        [resigned] Die Partie wurde aufgegeben.
        [time] Die Zeit ist abgelaufen.
        [left] Jemand hat die Partie verlassen.
        [aborted] Die Partie wurde abgebrochen.
       *[other] Die Partie ist zu Ende.
    }
page-table-tie-break =
    { $whose ->
        [you] Gleichstand; du warst zuerst auf dem letzten Feld.
        [computer] Gleichstand; der Computer war zuerst auf dem letzten Feld.
       *[other] Gleichstand; { $name } war zuerst auf dem letzten Feld.
    }
page-table-step-buttons = Knöpfe
page-table-step-tile = Sonderplättchen (7×7)
page-table-step-empty = Leere Felder
page-table-step-total = Summe
page-table-why-buttons = je 1 Punkt
page-table-why-tile = 7 Punkte für das erste volle Quadrat aus 7×7 Feldern
page-table-why-empty = je 2 Punkte Abzug
page-table-skip = Alles auf einmal zeigen
page-table-next-game = Zur nächsten Partie
page-table-rematch = Noch einmal spielen
page-table-rematch-same = Noch einmal mit denselben Flicken
page-table-rematch-asked = Warten auf die andere Person …
page-table-rematch-accept = Annehmen: noch einmal spielen
page-table-replay = Noch einmal ansehen
page-table-record = Aufzeichnung herunterladen
page-table-picture = Bild der Decken ({ $format })
page-table-look = Tisch ansehen
page-table-to-scores = Zur Wertung
page-table-watching = Du schaust zu.
page-table-waits-for = Warten auf { $name } …

## The page: home and settings

page-home = Patchwork, zur Startseite
page-learn = Spielen lernen
page-rules = Regeln
page-preferences = Einstellungen
page-language = Sprache
page-theme = Farben
page-theme-system = Wie das Gerät
page-theme-light = Hell
page-theme-dark = Dunkel
page-tokens = Farben der Zeitsteine
page-tokens-edition = Wie in der Ausgabe
page-tokens-classic = Lindgrün und Gelb
page-tokens-revised = Blau und Rot
page-look = Seite des Zeitplans
page-look-rug = Geflochtener Teppich
page-look-blocks = Quilt aus Quadraten
page-confirm = Jeden Zug bestätigen
page-confirm-why = Ist das ausgeschaltet, wird ein Zug gespielt, sobald sein Platz gewählt ist.
page-motion = Animationen
page-motion-calm = Auf deinem Gerät sind Animationen ausgeschaltet.
page-sound = Töne
page-close = Fertig
page-fan = Ein inoffizielles Fanprojekt. Patchwork ist ein Spiel von Uwe Rosenberg, erschienen bei Lookout Spiele; beide haben mit dieser Seite nichts zu tun. Wenn es dir gefällt, kauf das echte Spiel.
page-licence = Freie Software unter der MIT-Lizenz.
page-api = Für Entwickler

page-tagline = Für Knöpfe gibt es Flicken, aus Flicken wird eine Decke. Ein Spiel für zwei, in einer Viertelstunde.
page-play-now = Jetzt spielen
page-opening = Der Tisch wird gedeckt …
page-level = Wie stark ist der Computer?
page-level-1 = Sanft
page-level-2 = Leicht
page-level-3 = Gemütlich
page-level-4 = Solide
page-level-5 = Geübt
page-level-6 = Stark
page-level-7 = Sehr stark
page-level-8 = Am stärksten
page-level-lowest = Fang hier an, wenn du neu bist. Etwas schwächer als jemand, der nach einer einfachen Faustregel kauft.
page-level-strength = Gewinnt etwa { $percent } von 100 Partien gegen Stufe { $below }.
page-level-thinks = Denkt eine Sekunde nach; die anderen antworten sofort.
page-level-honest = Gemessen in Partien der Stufen gegeneinander, nicht gegen Menschen. Keine Stufe spielt absichtlich schlecht: Niedrigere sehen weniger weit.
page-options = Weitere Optionen
page-first = Wer beginnt?
page-first-me = Ich
page-first-computer = Der Computer
page-first-friend = Die andere Person
page-first-one = Spieler 1
page-first-two = Spieler 2
page-first-random = Der Zufall entscheidet
page-first-needle = Wer zuletzt eine Nadel benutzt hat
page-edition = Zeitplan
page-edition-classic = Ausgabe von 2014
page-edition-revised = Spätere Auflagen und Apps
page-edition-why = Nur die Lederflicken liegen anders.
page-clock = Uhr
page-clock-none = Keine
page-clock-minutes =
    { $minutes ->
        [one] Je { $minutes } Minute, + { $increment } s je Entscheidung
       *[other] Je { $minutes } Minuten, + { $increment } s je Entscheidung
    }
page-clock-days =
    { $days ->
        [one] { $days } Tag je Entscheidung
       *[other] { $days } Tage je Entscheidung
    }
page-name = Dein Name (freiwillig)
page-name-one = Name von Spieler 1 (freiwillig)
page-name-two = Name von Spieler 2 (freiwillig)

page-ways = Weitere Möglichkeiten
page-screen = Zu zweit an einem Bildschirm
page-screen-why = Nebeneinander, oder ihr reicht das Gerät weiter.
page-screen-begin = Beginnen
page-friend = Jemanden einladen
page-friend-why = Du bekommst einen Link zum Verschicken. Wer ihn zuerst öffnet, spielt mit dir; niemand braucht ein Konto.
page-friend-begin = Link erstellen
page-watch = Bei einer Partie zusehen
page-watch-why = Wer den Link einer Partie kennt, darf zusehen.
page-watch-label = Link der Partie
page-watch-begin = Zusehen
page-carry = An einem anderen Gerät weiterspielen
page-carry-why = Deine Partien gehören zu diesem Browser. Mit einem privaten Link spielst du sie auf einem anderen Gerät weiter.
page-carry-begin = Privaten Link erstellen
page-carry-link = Privater Link
page-carry-picture = QR-Code des privaten Links
page-carry-expires = Er gilt bis { $time }. Zeig ihn sonst niemandem: Wer ihn öffnet, spielt unter deinem Namen.
page-carry-here = Hier weiterspielen?
page-carry-here-why = Dieser Browser spielt dann als der Spieler, der den Link erstellt hat.
page-carry-here-begin = Hier weiter
page-carry-too-old = Dieser Link ist zu alt oder nicht vollständig. Erstelle auf dem anderen Gerät einen neuen.
page-copy = Kopieren
page-copied = Kopiert

page-continue = Weiterspielen
page-finished = Beendete Partien
page-no-games = Hier erscheinen deine Partien.
page-loading = Wird geladen …
page-more-games = Mehr Partien zeigen
page-against = Gegner: { $name }
page-computer-level = Computer, Stufe { $level }
page-nameless-friend = eine andere Person
page-both = { $one } und { $two }
page-player-one = Spieler 1
page-player-two = Spieler 2
page-your-turn = Du bist am Zug
page-turn-of = Am Zug: { $name }
page-not-begun = Noch nicht begonnen
page-won = Gewonnen
page-lost = Verloren
page-won-by = Gewonnen: { $name }
page-no-winner = Abgebrochen
page-by-resigning = durch Aufgabe
page-by-time = auf Zeit
page-by-leaving = weil jemand ging

page-nowhere = Hier ist nichts
page-nowhere-why = Unter dieser Adresse gibt es keine Seite. Ist der Link vollständig?
page-trouble-offline = Der Server ist nicht zu erreichen. Prüfe deine Verbindung und versuch es noch einmal.
page-trouble-too-many = Das war viel auf einmal. Bitte warte eine Minute und versuch es noch einmal.
page-trouble-unavailable = Der Server ist gerade überlastet. Bitte versuch es gleich noch einmal.
page-trouble-no-such-table = Unter diesem Link gibt es keine Partie. Ist er vollständig?
page-trouble-reserved-name = Dieser Name sieht aus wie der des Computers. Bitte wähl einen anderen.
page-trouble-other = Das hat nicht geklappt. Bitte lade die Seite neu.

## The page: privacy

page-privacy = Datenschutz
page-privacy-intro = Was der Server und dein Browser über dich speichern, wie lange, und was du tun kannst.
page-privacy-server = Was der Server speichert
page-privacy-server-games = Deine Partien: die Züge, ihre Uhrzeiten und die Namen, die ihr angegeben habt. Wer den Link einer Partie kennt, kann sie ansehen.
page-privacy-server-player = Eine zufällige Kennung, die für dich steht, damit deine Partien deine bleiben. Es gibt keine Konten; der Server kennt also weder eine E-Mail-Adresse noch ein Passwort.
page-privacy-server-address = Deine Netzwerkadresse dient nur dazu, den Server vor Überlastung zu schützen. Sie wird nicht bei deinen Partien gespeichert. Eine Adresse, die deshalb abgewiesen wird, kann im Protokoll des Servers stehen.
page-privacy-time = Wie lange es gespeichert bleibt
page-privacy-time-unfinished = Unbeendete Partien: { $time }
page-privacy-time-finished = Beendete Partien: { $time }
page-privacy-time-unlimited = unbegrenzt
page-privacy-time-since = Gezählt wird ab dem letzten Ereignis einer Partie.
page-privacy-time-backups = Was entfernt wurde, kann noch in Sicherungskopien des Betreibers stehen, bis sie ersetzt werden.
page-privacy-browser = Was dein Browser speichert
page-privacy-browser-cookie = Ein Cookie, an dem der Server dich erkennt. Es läuft 400 Tage nach deinem letzten Besuch ab.
page-privacy-browser-settings = Deine Einstellungen, die zuletzt eingegebenen Namen, wie weit du deine letzten 30 Partien verfolgt hast und wie weit du in der Lernpartie bist.
page-privacy-others = Was niemand bekommt
page-privacy-others-text = Es gibt keine Werbung und kein Tracking, und nichts wird von anderen Servern geladen.
page-privacy-yours = Deine Daten
page-privacy-data = Deine Daten abrufen
page-privacy-data-why = Alles, was der Server über dich speichert: deine Namen und deine Partien, Zug für Zug, als Datei, die Programme lesen können.
page-privacy-data-begin = Meine Daten herunterladen
page-privacy-data-done = Deine Daten wurden heruntergeladen.
page-privacy-revoke = Andere Geräte aussperren
page-privacy-revoke-why = Falls jemand anders in deinem Namen spielen kann: Nur dieser Browser bleibt du. Deine anderen Geräte, Bots und privaten Links funktionieren sofort nicht mehr.
page-privacy-revoke-begin = Alle anderen aussperren
page-privacy-revoke-done = Erledigt. Jetzt kann nur noch dieser Browser für dich spielen.
page-privacy-delete = Deine Daten löschen
page-privacy-delete-why = Deine Namen verschwinden, und keine Partie führt mehr zu dir. Unbeendete Partien werden aufgegeben. Deine Gegner behalten ihre Partien, gegen jemanden ohne Namen.
page-privacy-delete-begin = Meine Daten löschen …
page-privacy-delete-sure = Wirklich alles löschen? Das lässt sich nicht rückgängig machen.
page-privacy-delete-yes = Ja, löschen
page-privacy-delete-no = Nein, behalten
page-privacy-delete-done = Erledigt. Der Server kennt dich nicht mehr.
page-privacy-nobody = Der Server kennt diesen Browser nicht; es gibt also nichts zu tun.
page-privacy-name = Was mit deinem Namen geschieht

## The page: the rules

page-rules-contents = Inhalt
page-rules-intro = Hier ist das ganze Spiel. Es ist in fünf Minuten gelernt.
page-rules-aim = Das Ziel
page-rules-aim-text = Zwei nähen je eine Decke. Flicken kosten Knöpfe und Zeit. Am Ende sind Knöpfe Punkte, und jedes leere Feld der Decke kostet zwei.
page-rules-table = Was auf dem Tisch liegt
page-rules-table-quilt = Jeder Spieler hat eine Decke mit 9 × 9 Feldern, einen Zeitstein und 5 Knöpfe.
page-rules-table-circle = 33 Flicken liegen in zufälliger Folge im Kreis um den Zeitplan. Die neutrale Spielfigur, hier eine Garnrolle, steht im Uhrzeigersinn hinter dem kleinsten Flicken, dem 1 × 2.
page-rules-table-patch = Das Etikett eines Flickens sagt, wie viele Knöpfe und wie viel Zeit er kostet. Die aufgenähten Knöpfe sind sein Einkommen.
page-rules-patch-drawing = Ein Flicken mit { $size } Feldern: Knöpfe { $cost }, Zeit { $time }, Einkommen { $income }
page-rules-turn = Wer am Zug ist
page-rules-turn-text = Am Zug ist, wessen Zeitstein weiter hinten liegt, vielleicht mehrmals nacheinander. Liegen beide auf einem Feld, beginnt der obere: der zuletzt gekommene. Am Anfang ist das der Stein dessen, der zuletzt eine Nadel benutzt hat.
page-rules-turn-choice = In deinem Zug tust du eines von beiden: vorrücken oder einen Flicken nehmen.
page-rules-advance = Vorrücken
page-rules-advance-text = Zieh deinen Zeitstein auf das Feld direkt vor dem anderen. Für jedes gezogene Feld erhältst du 1 Knopf. Das darfst du immer.
page-rules-advance-drawing = Ein Zeitstein überholt den anderen, 4 Felder weit, und bringt 4 Knöpfe
page-rules-take = Einen Flicken nehmen
page-rules-take-choose = Wähle einen der nächsten drei Flicken, im Uhrzeigersinn von der neutralen Spielfigur aus.
page-rules-take-neutral = Stell die neutrale Spielfigur an seine Stelle.
page-rules-take-pay = Bezahle seinen Preis in Knöpfen.
page-rules-take-sew = Näh ihn auf deine Decke, gedreht und gewendet, wie du willst. Er darf weder andere überdecken noch überstehen, muss aber nichts berühren. Dort bleibt er.
page-rules-take-time = Zieh deinen Zeitstein um seinen Preis in Zeit vor. Kommt er auf das Feld des anderen, liegt er obenauf.
page-rules-take-not = Was du nicht bezahlen kannst oder was nirgends passt, kannst du nicht nehmen.
page-rules-take-drawing = Die neutrale Spielfigur und die drei Flicken vor ihr
page-rules-lines = Über Linien ziehen
page-rules-lines-text = Wie auch immer dein Zeitstein zog: Sieh der Reihe nach, welche Zeichen er überquert hat.
page-rules-lines-income = Knopf: Du erhältst das Einkommen deiner ganzen Decke, auch des eben genähten Flickens.
page-rules-lines-leather = Lederflicken: Nimm ihn und näh ihn sofort auf ein beliebiges freies Feld. Nur wer zuerst kommt, bekommt ihn.
page-rules-lines-where = Einkommen gibt es vor den Feldern 5, 11, 17, 23, 29, 35, 41, 47 und 53. Leder liegt in der Ausgabe von 2014 vor den Feldern 20, 26, 32, 44 und 50, in späteren Auflagen und den Apps vor 26, 32, 38, 44 und 50.
page-rules-board-drawing = Der Zeitplan, eine Spirale aus 54 Feldern
page-rules-tile = Das Sonderplättchen
page-rules-tile-text = Wer als Erster auf seiner Decke ein Quadrat von 7 × 7 Feldern füllt, nimmt das Sonderplättchen. Es ist 7 Punkte wert.
page-rules-tile-drawing = Eine Decke mit einem gefüllten Quadrat von 7 × 7
page-rules-end = Das Ende
page-rules-end-text = Feld 53 in der Mitte ist das letzte. Kein Stein zieht weiter; wer vorrückt, erhält Knöpfe für die wirklich gezogenen Felder. Liegen beide Zeitsteine dort, ist die Partie zu Ende.
page-rules-score = Die Wertung
page-rules-score-text = Deine Knöpfe, plus 7 für das Sonderplättchen, minus 2 für jedes leere Feld. Der höhere Punktestand gewinnt. Bei Gleichstand gewinnt, wer zuerst auf dem letzten Feld war.
page-rules-score-example = Beispiel: 14 Knöpfe, das Sonderplättchen und 5 leere Felder ergeben 14 + 7 − 10 = 11. Mit 18 Knöpfen und 2 leeren Feldern, 18 − 4 = 14, gewinnt die andere Seite.
page-rules-tips = Gut zu wissen
page-rules-tips-income = Einkommen lohnt sich am Anfang am meisten: Es zählt bei jedem Knopf, der noch vor dir liegt.
page-rules-tips-turn = Ein Flicken, der wenig Zeit kostet, lässt dich vielleicht hinten bleiben und noch einmal ziehen.
page-rules-tips-gaps = Einzelne Löcher füllt nur Leder. Halte die Ränder glatt.
page-rules-play = Jetzt spielen

## The page: the lesson

page-learn-new = Neu hier? Lern es beim Spielen, in fünf Minuten.
page-learn-by-playing = Oder lern es beim Spielen.
page-learn-opponent = Dein Gegner
page-learn-step = { $number } von { $of }
page-learn-next = Weiter
page-learn-back = Zurück
page-learn-skip = Überspringen
page-learn-restart = Von vorn
page-learn-leave = Verlassen
page-learn-help = Zeig es mir
page-learn-retry = Noch einmal versuchen
page-learn-play = Jetzt gegen Stufe 1 spielen
page-learn-rules = Die Regeln lesen
page-learn-welcome = Deine erste Partie
page-learn-welcome-text = Du und dein Gegner näht je eine Decke. Flicken kosten Knöpfe und Zeit. Am Ende zählt jeder Knopf 1, jedes leere Feld −2; darum beginnst du bei −157 Punkten. Probieren wir in fünf Minuten alles aus!
page-learn-advance = Vorrücken
page-learn-advance-text = Dein Gegner zieht auf dem Zeitplan voraus. Wer hinten liegt, ist am Zug: du. Drück auf „Vorrücken“ und noch einmal zum Bestätigen. Du springst vor den anderen Stein; jedes Feld bringt einen Knopf.
page-learn-advance-done = Sieben Felder, sieben Knöpfe. Vorrücken darfst du immer. Jetzt liegst du vorn, also ist dein Gegner am Zug.
page-learn-circle = Die Reihe der Flicken
page-learn-circle-text = Nur die drei Flicken hinter der Garnrolle stehen zur Wahl. Wird einer genommen, kommt die Rolle an seine Stelle; die übersprungenen wandern ans Ende der Reihe und sind später wieder dran.
page-learn-buy = Flicken nehmen
page-learn-buy-text = Wähle einen der drei Flicken. Das Etikett nennt seinen Preis in Knöpfen und Zeit. Dreh und wende ihn, leg ihn auf deine Decke (getönte Felder zeigen, wo er passt) und näh ihn auf.
page-learn-buy-wrong = Vorrücken ginge auch. Aber jetzt gönn dir einen Flicken: Wähle einen der drei.
page-learn-chain = Du bist noch einmal am Zug
page-learn-chain-text = Du hast die Knöpfe bezahlt, und dein Zeitstein zog um die Zeit auf dem Etikett vor. Er liegt noch hinten! Wer hinten liegt, ist am Zug, auch mehrmals nacheinander. Also: noch ein Flicken oder vorrücken?
page-learn-chain-done = Zwei Züge nacheinander! Flicken, die wenig Zeit kosten, lassen dich öfter ziehen.
page-learn-income = Einkommen
page-learn-income-text = Ab hier ist jeder Schritt ein Moment aus einer anderen Partie. Die Knöpfe auf deinen Flicken sind dein Einkommen. Überquere mit einem beliebigen Zug die nächste Linie mit einem Knopf, und deine Decke zahlt.
page-learn-income-done = Deine ganze Decke hat ihr Einkommen gezahlt. Neun solche Linien gibt es, darum ist frühes Einkommen am meisten wert.
page-learn-leather = Ein Lederflicken
page-learn-leather-text = Beide Zeitsteine liegen auf einem Feld; der obere, deiner, ist am Zug. Auf der nächsten Linie liegt ein Lederflicken. Wer sie zuerst überquert, bekommt ihn. Überquere sie mit irgendeinem Zug.
page-learn-sew = Näh ihn auf
page-learn-sew-text = Der Lederflicken gehört dir und kostet nichts. Er bedeckt ein Feld, gerade richtig für eine Lücke, in die sonst nichts passt. Leg ihn auf ein freies Feld.
page-learn-sew-done = Gut geflickt! Zu Beginn liegen fünf Lederflicken auf dem Zeitplan, jeder für den, der zuerst kommt.
page-learn-tile = Sieben mal sieben
page-learn-tile-text = Wer zuerst ein Quadrat von 7 × 7 Feldern füllt, gewinnt das Sonderplättchen: 7 Punkte. Deinem Quadrat links oben fehlt noch ein Flicken, der dritte. Dreh ihn und füll die Lücke.
page-learn-tile-done = Das Sonderplättchen gehört dir: 7 Punkte am Ende.
page-learn-tile-wrong = So bliebe das Quadrat offen. Nimm den dritten Flicken, dreh ihn und füll die Lücke des Quadrats links oben.
page-learn-end = Der letzte Zug
page-learn-end-text = Dein Gegner ist auf dem letzten Feld, in der Mitte des Zeitplans. Bist du auch dort, ist die Partie zu Ende. Es ist knapp, und jedes leere Feld kostet 2 Punkte: Wähle gut!
page-learn-score = Du kennst das Spiel
page-learn-score-text = Knöpfe, plus 7 für das Sonderplättchen, minus 2 für jedes leere Feld: Der höhere Punktestand gewinnt. Das war alles. Viel Spaß!
page-learn-lost = Um Haaresbreite! Geh zurück und nimm im letzten Zug einen Flicken.

## The page: replays

page-replay = Nachspielen
page-replay-broken = Diese Aufzeichnung lässt sich nicht lesen: { $detail }
page-replay-no-record = Das ist keine Aufzeichnung einer Patchwork-Partie.
page-replay-file = Eine Aufzeichnung aus einer Datei
page-replay-choose = Datei auswählen …
page-replay-text = Oder ihr Text
page-replay-open = Nachspielen
page-replay-start = Der Anfang
page-replay-first = Zum Anfang
page-replay-back = Einen Zug zurück
page-replay-play = Abspielen
page-replay-pause = Anhalten
page-replay-forward = Einen Zug vor
page-replay-last = Zum Ende
page-replay-swap = Seiten tauschen
page-replay-move = Zug { $number } von { $of }
page-replay-figures = Knöpfe { $buttons } · Einkommen { $income } · Punkte { $points }
page-replay-board = Zeitplan: Zeitsteine auf den Feldern { $first } und { $second }
page-replay-to-game = Zurück zur Partie
page-replay-record = Eine Aufzeichnung nachspielen
