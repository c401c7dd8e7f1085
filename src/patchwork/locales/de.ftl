# German messages of the command line, the terminal and the page. Leave the names after a dollar
# sign as they are. Words that users type (help, moves, try, undo, show, quit), names of options and
# texts of moves such as 17Bc4 are the same in every language. Some spaces do not break (U+00A0).
#
# Glossary:
#   patch = Flicken                        special (leather) patch = Spezialflicken
#   button = Knopf                         income = Einkommen
#   time token = Zeitstein                 time board = Zeitplan
#   quilt board = Decke                    space = Feld
#   special 7x7 tile = Sonderplättchen     advance = vorrücken
#   buy = kaufen                           place = platzieren
#   turn, move = Zug                       circle of patches = Kreis
#   game = Partie                          record = Aufzeichnung
#   position = Stellung                    orientation = Ausrichtung
#   seat = Platz                           score = Punkte
#   tag of a record = Kopfeintrag          label of a patch = Etikett
#   seed = Startwert
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
cli-lang = Sprache der Meldungen (Vorgabe: die deines Systems)
cli-version = die Version anzeigen und beenden
cli-see-help = Versuche es mit „{ $prog } --help“.
cli-no-such-command = es gibt keinen Befehl „{ $command }“; die Befehle sind { $commands }
cli-similar-command = es gibt keinen Befehl „{ $command }“; meintest du „{ $similar }“?
cli-not-together = { $first } und { $second } lassen sich nicht zusammen benutzen
cli-needs = { $option } geht nur zusammen mit { $other }
cli-needs-record = { $option } geht nur bei einer aufgezeichneten Partie; das hier ist eine einzelne Stellung

cli-description = Patchwork, Uwe Rosenbergs Brettspiel für zwei. Ein inoffizielles Fanprojekt.
cli-description-examples =
    Beispiele:
      patchwork                          im Browser spielen, gegen den Computer oder zu zweit
      patchwork play                     im Terminal gegen den Computer spielen
      patchwork play --opponent human    zu zweit an einer Tastatur
      patchwork replay game.patchwork    eine aufgezeichnete Partie nachspielen

cli-play = eine ganze Partie im Terminal spielen
cli-play-examples =
    Eine unterbrochene Partie wird automatisch fortgesetzt. --new beginnt eine neue,
    ebenso jede Option, die eine Partie beschreibt: --opponent, --seat, --names,
    --seed, --edition, --first. Die unterbrochene Partie bleibt gespeichert; --file
    mit dem Namen ihrer Datei setzt sie fort.
    Beispiele:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = dein Gegner: greedy (ein einfaches Programm), 1 (sanft) bis 8 (maximal) für die Engine auf dieser Stufe oder human für einen Menschen (Vorgabe: greedy)
cli-seat = dein Platz gegen den Computer (Vorgabe: 0)
cli-names = Namen der Spieler auf den Plätzen 0 und 1
cli-seed = Startwert für die Reihenfolge der Flicken (Vorgabe: zufällig)
cli-edition = wo die Spezialflicken liegen: classic (2014) oder revised (Vorgabe: classic)
cli-first = Platz, der beginnt (Vorgabe: 0)
cli-play-new = eine neue Partie beginnen, auch wenn noch eine offen ist
cli-file = die Partie in dieser Datei speichern; gibt es die Datei schon, geht ihre Partie weiter
cli-compact = den Tisch kompakt zeichnen, für schmale Terminals

cli-show = eine Stellung oder das Ende einer aufgezeichneten Partie zeichnen
cli-show-examples =
    Beispiele:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = Datei mit einer Aufzeichnung oder Stellung, eine Stellung als Text oder - für die Standardeingabe
cli-game = Nummer der Partie in der Datei (Vorgabe: 1)
cli-move = die Stellung nach so vielen Zügen zeichnen
cli-svg = ein Bild (SVG) statt Text ausgeben
cli-dark = mit --svg: dunkle Farben verwenden
cli-json = JSON statt Text ausgeben

cli-replay = eine aufgezeichnete Partie Zug für Zug nachspielen
cli-replay-examples =
    Gibt jeden Zug mit seiner Wirkung, den Kommentaren und dem Tisch danach aus. Im
    Terminal wartet das Programm nach jedem Zug auf Enter.
    Beispiele:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = Datei mit Aufzeichnungen oder - für die Standardeingabe

cli-check = prüfen, ob aufgezeichnete Partien den Regeln folgen
cli-check-examples =
    Endet mit Status 1, wenn eine Datei fehlerhaft ist, und nennt Stelle und Grund.
    Beispiele:
      patchwork check *.patchwork

cli-new = die Aufzeichnung einer neuen Partie ausgeben, noch ohne Züge
cli-new-examples =
    Beispiele:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = erlaubte Zugfolgen zählen, um Umsetzungen der Regeln zu vergleichen
cli-perft-examples =
    Gibt die Anzahl nach jedem ersten Zug aus, dann die Summe. Ohne Stellung zählt
    das Programm ab einer neuen Partie, mit Startwert 0 oder dem von --seed.
    Beispiele:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = Länge der Zugfolgen, mindestens 1
cli-perft-seed = Startwert für die Reihenfolge der Flicken (Vorgabe: 0)
cli-position = eine Stellung als Text (Vorgabe: eine neue Partie)

cli-serve = den Server starten: im Browser spielen, auch mit anderen über einen Link
cli-serve-examples =
    Ohne Optionen ist der Server nur von diesem Rechner aus erreichbar und öffnet
    hier einen Browser. Die Partien liegen in einer Datenbank und überstehen einen
    Neustart. Alles lässt sich auch mit Umgebungsvariablen wie PATCHWORK_PORT
    einstellen; docs/operations.md nennt sie alle.
    Beispiele:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = Adresse, auf der der Server lauscht (Vorgabe: 127.0.0.1, nur von diesem Rechner aus erreichbar)
cli-port = Port des Servers; 0 wählt einen freien (Vorgabe: 8327)
cli-database = SQLite-Datei oder postgresql://-Adresse für die Partien (Vorgabe: server.db in deinem Datenordner)
cli-public-url = Adresse, unter der andere den Server erreichen, für Links
cli-origins = weitere Ursprünge (Origins), deren Seiten hier spielen dürfen, durch Kommas getrennt
cli-proxies = Adressen vertrauenswürdiger Proxys, durch Kommas getrennt
cli-workers = Anzahl der Prozesse, die die Züge des Computers berechnen (Vorgabe: einer weniger, als es Prozessorkerne gibt)
cli-log-format = Format der Logeinträge (Vorgabe: text)
cli-log-level = niedrigste Stufe der Logeinträge, die geschrieben werden (Vorgabe: info)
cli-no-browser = keinen Browser öffnen
cli-serving = Patchwork läuft unter { $url } (beenden mit Strg+C)
cli-open-host = der Server lauscht auf { $host }, ist also für andere erreichbar, und die Verbindungen sind nicht verschlüsselt; für das Internet gehört ein Proxy mit TLS davor (docs/operations.md)
cli-port-in-use = Port { $port } auf { $host } ist schon belegt, vielleicht von einem anderen Patchwork; wähle mit „patchwork serve --port N“ einen anderen oder mit 0 irgendeinen freien
cli-cannot-listen = der Server kann auf { $host }, Port { $port }, nicht lauschen: { $detail }
cli-no-database = die Datenbank lässt sich nicht benutzen: { $detail }
cli-newer-database = diese Partien stammen von einer anderen, wohl neueren Version des Programms ({ $detail })
cli-no-postgres = für PostgreSQL ist nicht alles Nötige installiert; führe in einem Klon des Repositorys „pip install '.[postgres]'“ aus

cli-backup = die Partien des Servers in eine Datei sichern, auch während er läuft
cli-backup-examples =
    Die Sicherung ist vollständig und geprüft. Sie enthält auch den Schlüssel, der
    die Identität der Spieler beglaubigt; verwahre sie so sicher wie die Datenbank.
    Nur für SQLite; für PostgreSQL gibt es pg_dump.
    Beispiele:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = Datei für die Sicherung
cli-force = die Datei überschreiben, falls es sie schon gibt
cli-backup-done = Partien in { $file } gesichert

cli-restore = die Partien des Servers durch eine Sicherung ersetzen
cli-restore-examples =
    Die bisherigen Partien bleiben im selben Ordner erhalten, in einer Datei mit dem
    Zeitpunkt im Namen.
    Beispiel:
      patchwork restore games-2026-11-15.db
cli-restore-file = Datei mit der Sicherung
cli-restore-done = Partien aus { $file } wiederhergestellt
cli-restore-kept = Die bisherigen Partien liegen in { $file }

cli-export = alle Partien des Servers als Aufzeichnungen ausgeben
cli-export-examples =
    Beispiele:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = Datei für die Aufzeichnungen oder - für die Standardausgabe (Vorgabe: -)
cli-exported =
    { $games ->
        [one] { $games } Partie in { $file } geschrieben
       *[other] { $games } Partien in { $file } geschrieben
    }
cli-export-skipped = Partie { $game } lässt sich nicht ausgeben: { $detail }
cli-no-such-file = es gibt keine Datei { $file }
cli-copy-exists = { $file } existiert schon und wird ohne --force nicht überschrieben
cli-copy-not-sqlite = das geht nur mit SQLite; für PostgreSQL gibt es pg_dump und pg_restore
cli-copy-same-file = die Sicherung und die Datenbank sind dieselbe Datei
cli-copy-unsound = das ist keine gültige Sicherung der Partien eines Servers ({ $detail })
cli-copy-failed = die Partien lassen sich nicht kopieren: { $detail }

cli-bad-setting = { $setting } kann nicht „{ $value }“ sein; erlaubt: { $allowed }
cli-allowed-host = eine Adresse oder ein Rechnername, ohne Port
cli-allowed-port = eine ganze Zahl von 0 bis 65535
cli-allowed-database = ein Dateipfad, sqlite:///PFAD oder postgresql://NUTZER:PASSWORT@RECHNER/NAME
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
cli-allowed-seconds = eine Sekundenzahl größer als 0

cli-upi = die Engine für ein anderes Programm starten, mit dem Protokoll UPI
cli-upi-examples =
    Liest Befehle von der Standardeingabe und antwortet auf der Standardausgabe.
    docs/upi.md beschreibt das Protokoll.
    Beispiel:
      patchwork match greedy upi:"patchwork upi"@2000n
cli-analyse = Stellungen stapelweise analysieren, ein JSON-Objekt je Zeile
cli-analyse-examples =
    Liest Anfragen von der Standardeingabe und antwortet mit einer Zeile je Stellung.
    docs/upi.md beschreibt die Felder.
    Beispiel:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = Anzahl der Prozessorkerne (Vorgabe: 1)
cli-memory = Megabyte Speicher, die eine Suche benutzen darf (Vorgabe: 56)
cli-preparing = Die Engine wird vorbereitet; das dauert nur beim ersten Mal eine halbe Minute …
cli-match = zwei Programme gegeneinander spielen lassen, um zu sehen, welches stärker ist
cli-match-examples =
    Gespielt wird in Paaren: zweimal derselbe Kreis von Flicken, mit getauschten
    Plätzen. Wiederholst du einen Befehl mit --log, geht sein Wettkampf weiter.
    Wer abstürzt, nicht antwortet oder die Regeln bricht, verliert die Partie.
    Spieler:
      random, greedy, uct1000    feste Programme als Maßstab für andere
      level:1 ... level:8        die Engine auf dieser Stufe
      playout:8                  die Engine ohne Netz; sie bleibt immer gleich
      network:DATEI              die Engine mit dem Netz aus dieser Datei
      upi:"BEFEHL"               ein Programm, das UPI spricht
      codingame:"BEFEHL"         ein Bot für CodinGame
      level:8@0.5s, level:8@2000n, upi:"BEFEHL"@1s
                                 mit Grenze für jeden Zug: Sekunden oder Knoten
    Beispiele:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = ein Spieler, zum Beispiel greedy oder level:8
cli-pairs = Anzahl der Paare von Partien gegen jeden Gegner (Vorgabe: 100)
cli-jobs = Anzahl der Partien, die gleichzeitig laufen (Vorgabe: 1)
cli-match-seed = Startwert für alles Zufällige (Vorgabe: 0)
cli-match-edition = wo die Spezialflicken liegen (Vorgabe: die Ausgaben wechseln sich ab)
cli-timeout = Sekunden, um die ein Spieler seine Grenze überschreiten darf, bevor er verliert (Vorgabe: 60)
cli-log = jede Partie in dieser Datei festhalten; gibt es die Datei schon, geht ihr Wettkampf weiter
cli-records = die Partien als Aufzeichnungen in diese Datei schreiben
cli-sprt = aufhören, sobald klar ist, ob A eher um HIGH Elo besser ist als B oder nur um LOW

cli-ladder = mehrere Programme auf einer Skala einstufen
cli-ladder-examples =
    Welche Spieler es gibt, sagt „patchwork match --help“.
    Beispiele:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = nur Spieler gegeneinander antreten lassen, die in der Liste höchstens K Plätze auseinanderliegen
cli-anchor = Spieler, dessen Stärke als 0 gilt (Vorgabe: der erste)

cli-learn = ein Netz trainieren, einstufen und exportieren
cli-learn-examples =
    docs/training.md erklärt alles. Einzelheiten nennt
    „patchwork learn BEFEHL --help“.
cli-learn-run = ein Netz mit Partien trainieren, die es gegen sich selbst spielt
cli-learn-run-examples =
    Alles, was dabei entsteht, liegt in einem Ordner. Strg+C hält das Training
    jederzeit an, und --resume setzt es später fort.
    Beispiele:
      patchwork learn run --config smoke --out runs/smoke
      patchwork learn run --config full --minutes 30 --out runs/first
      patchwork learn run --resume runs/first --minutes 30
      torchrun --nproc-per-node 2 -m patchwork learn run --config full --out runs/two
cli-learn-config = Konfiguration: full, deep, wide, far, smoke oder eine TOML-Datei (Vorgabe: die des fortgesetzten Laufs, sonst full)
cli-learn-minutes = Dauer des Trainings in Minuten (Vorgabe: wie in der Konfiguration geplant)
cli-learn-out = Ordner des Laufs (Vorgabe: der des fortgesetzten)
cli-learn-resume = den Lauf in diesem Ordner fortsetzen oder mit den Gewichten dieses Netzes beginnen
cli-learn-no-out = --out ist nötig, außer wenn --resume den Ordner eines Laufs nennt
cli-learn-status = Minute { $minutes }, noch { $left } %  { $rating }  Bewertungen/s: { $speed }  Partien: { $games }  Stellungen: { $positions }  Verluste: { $losses }
cli-learn-done = { $minutes } Minuten trainiert; alles liegt in { $folder }
cli-learn-stopped = Nach { $minutes } Minuten angehalten und gespeichert; „patchwork learn run --resume { $folder }“ setzt das Training fort
cli-learn-rate = messen, wie stark die Netze eines Laufs sind
cli-learn-rate-examples =
    Die Netze spielen gegeneinander und gegen random, greedy und uct1000, auf einer
    Skala mit greedy = 0. Ergebnisse bleiben im Ordner; nichts wird zweimal gespielt.
    Beispiel:
      patchwork learn rate runs/first --nodes 64 --pairs 100 --jobs 2
cli-learn-folder = Ordner eines Laufs
cli-learn-nodes = Knoten, die ein Netz je Zug durchsuchen darf; mit 1 spielt es seine erste Wahl (Vorgabe: 64)
cli-learn-no-networks = in { $folder } gibt es keine Netze
cli-learn-export = ein Netz als ONNX schreiben, um damit zu spielen
cli-learn-export-examples =
    Eine Modellkarte (JSON) neben der Datei beschreibt das Netz.
    Beispiele:
      patchwork learn export runs/first/networks/player-025.0.pt --out my.onnx
      patchwork match network:my.onnx@1s level:8@1s
cli-learn-network = Datei eines Netzes aus dem Ordner eines Laufs
cli-learn-onnx = Datei, die geschrieben wird; daneben entsteht die Modellkarte mit der Endung .json
cli-learn-exported = { $file } geschrieben (Parameter: { $parameters })
cli-learn-distil = ein Netz zu Mustergewichten destillieren, um schneller zu suchen
cli-learn-distil-examples =
    Das Netz spielt gegen sich selbst; Mustergewichte lernen, seine Bewertungen
    vorherzusagen, und werden neben seiner Datei gespeichert. Stufe 8 sucht mit
    ihnen. Eine halbe Stunde auf zwei Prozessorkernen genügt, ohne GPU.
    Beispiel:
      patchwork learn distil my.onnx
cli-learn-distilled-from = Netz aus einem Lauf oder als ONNX exportiert (siehe „learn export“)
cli-learn-games = Anzahl der Partien, die das Netz spielt (Vorgabe: 24000)
cli-learn-steps = Anzahl der Trainingsschritte (Vorgabe: 25000)
cli-learn-minutes-at-most = nach so vielen Minuten in jedem Fall aufhören, die Partien eingerechnet
cli-learn-seed = Startwert für alles Zufällige (Vorgabe: 0)
cli-learn-teaching = Partien: { $games } von { $total }
cli-learn-step = Schritt { $step } von { $total }, Verlust: { $loss }
cli-learn-distilled = { $file } geschrieben (logarithmischer Verlust: { $loss }; der des Netzes: { $other })
cli-learn-unreadable = { $file } lässt sich nicht verwenden: { $detail }
cli-learn-size = { $file } passt nicht zur Konfiguration: { $detail }
cli-learn-not-installed = für das Training ist nicht alles Nötige installiert ({ $detail }); führe in einem Klon des Repositorys „pip install '.[learn]'“ aus
cli-bad-minutes = „{ $found }“ ist keine Minutenzahl größer als 0
cli-no-config = es gibt keine Konfiguration „{ $name }“; möglich sind { $names } oder der Pfad einer Datei
cli-config-damaged = { $file } ist kein gültiges TOML: { $detail }
cli-config-unknown = { $file }: es gibt keine Einstellung „{ $setting }“; die Einstellungen sind { $settings }
cli-config-whole = { $file }: { $setting } kann nicht „{ $value }“ sein; erlaubt: ganze Zahlen von { $least } bis { $most }
cli-config-number = { $file }: { $setting } kann nicht „{ $value }“ sein; erlaubt: Zahlen von { $least } bis { $most }
cli-config-simulations = { $file }: { $setting } kann nicht „{ $value }“ sein; erlaubt: eine Liste wie [[0, 16], [0.5, 32]], in der die Anteile des Laufs von 0 bis höchstens 1 steigen, jeweils mit 1 bis { $most } Simulationen

cli-cannot-open = { $file } lässt sich nicht öffnen: { $detail }
cli-cannot-write = die Ausgabe lässt sich nicht schreiben: { $detail }
cli-no-output = die Standardausgabe ist geschlossen, also lässt sich nichts ausgeben
cli-no-input = die Standardeingabe ist geschlossen, also lässt sich von ihr nichts lesen
cli-not-text = { $file } ist keine Textdatei: Byte { $byte } ist kein UTF-8
cli-file-exists = { $file } existiert schon und wird nicht überschrieben; ohne { $option } geht die Partie darin weiter
cli-game-finished = die Partie in { $file } ist zu Ende; „{ $command }“ zeigt sie
cli-damaged-save = { $file } wird übersprungen, denn die Datei enthält keine gültige Partie; „patchwork check“ sagt, warum
cli-no-such-source = es gibt keine Datei „{ $source }“, und eine Stellung ist das auch nicht: { $complaint }
cli-no-such-game = in { $file } gibt es keine Partie { $game }; Anzahl der Partien: { $games }
cli-no-such-move = es gibt keinen Zug { $move }; möglich sind 0 bis { $last }
cli-bad-seed = { $seed } ist kein Startwert; Startwerte sind ganze Zahlen von 0 bis { $last }
cli-bad-number = „{ $found }“ ist keine ganze Zahl ab { $least }
cli-bad-name = { $name } ist kein Name; ein Name ist eine einzelne Zeile Text
cli-bad-player = „{ $player }“ ist kein Spieler; die Spieler sind random, greedy, uct1000, level:1 bis level:8, playout:8, network:DATEI, upi:BEFEHL und codingame:BEFEHL; level, playout, network und upi können eine Grenze wie @1s oder @2000n haben
cli-classic-only = { $player } kennt nur die Ausgabe classic
cli-bad-elo = „{ $found }“ ist kein Elo-Unterschied wie 10 oder -2.5
cli-sprt-order = die erste Grenze muss unter der zweiten liegen, aber { $low } liegt nicht unter { $high }
cli-ladder-players = eine Rangliste braucht mindestens zwei Spieler, jeder nur einmal genannt
cli-no-anchor = { $player } soll die Stärke 0 haben, spielt aber nicht mit
cli-ladder-unconnected = es wurden zu wenige Partien gespielt, um alle Spieler zu vergleichen
cli-not-installed = dafür ist nicht alles Nötige installiert ({ $detail }); führe in einem Klon des Repositorys „pip install '.[play]'“ aus
cli-exists = { $file } existiert schon und wird nicht überschrieben
cli-player-not-started = { $player } lässt sich nicht starten: { $detail }
cli-log-another-match = { $file } ist das Protokoll eines anderen Wettkampfs: { $detail }
cli-log-damaged = das Protokoll { $file } ist beschädigt: { $detail }
cli-log-in-use = in das Protokoll { $file } schreibt gerade ein anderer Wettkampf
cli-match-interrupted = unterbrochen; fertige Partien: { $games }
cli-match-progress = Partien: { $games } von { $total }
cli-ladder-pairs = (Paare: { $pairs })
cli-result-games = Partien: { $games }, gewonnen: { $wins }, verloren: { $losses } ({ $percent } %)
cli-result-pairs = Paare: { $pairs }, 2:0 gewonnen: { $won }, 1:1 geteilt: { $split }, 0:2 verloren: { $lost }
cli-result-elo = Stärke: { $elo }; Wahrscheinlichkeit, besser zu sein: { $percent } %
cli-result-scores = mittlere Punktzahl: { $first } : { $second }
cli-result-time = mittlere Zeit je Zug: { $first } : { $second }
cli-result-forfeit = { $player } verlor Partie { $game } von Paar { $pair } kampflos ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] Test: eher um { $high } als um { $low } Elo besser (logarithmisches Likelihood-Verhältnis: { $ratio })
        [rejected] Test: eher um { $low } als um { $high } Elo besser (logarithmisches Likelihood-Verhältnis: { $ratio })
       *[undecided] Test: noch offen zwischen { $low } und { $high } Elo (logarithmisches Likelihood-Verhältnis: { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } Partie, alles in Ordnung
       *[other] { $games } Partien, alles in Ordnung
    }
cli-no-game = Die Datei enthält keine Partie.
cli-press-enter = Enter: nächster Zug, q: aufhören
cli-ends-here =
    { $termination ->
        [resigned] Hier endete die Partie durch Aufgabe.
        [time] Hier endete die Partie durch Zeitüberschreitung.
        [left] Hier endete die Partie, weil ein Spieler gegangen ist.
        [aborted] Hier wurde die Partie abgebrochen.
       *[unfinished] Die Partie ist noch nicht zu Ende.
    }

## Playing in the terminal

play-player = Spieler { $seat }
play-saved-in = Die Partie wird in { $path } gespeichert
play-resumed = Deine unterbrochene Partie geht weiter.
play-help-hint = Gib einen Zug ein oder „help“.
play-prompt =
    { $phase ->
        [leather] { $name }, platziere deinen Spezialflicken:
       *[turn] { $name }, du bist am Zug:
    }
play-help =
    Züge:
      A        den anderen Zeitstein überholen; 1 Knopf für jedes Feld
      17Bc4    Flicken 17 kaufen: Ausrichtung B, linke obere Ecke in Spalte c, Zeile 4
      Lc4      einen Spezialflicken (aus Leder) in Spalte c, Zeile 4 platzieren
    Befehle:
      moves       zeigen, was du jetzt tun kannst
      moves 17    Flicken 17 in allen Ausrichtungen zeigen; o markiert, wo seine Ecke liegen kann
      try 17Bc4   ansehen, was ein Zug bewirkt, ohne ihn zu spielen
      undo        deinen letzten Zug zurücknehmen
      show        den Tisch noch einmal zeichnen
      quit        aufhören; die Partie bleibt gespeichert
    In der Zeichnung steht b für Knöpfe, i für Einkommen, t für Zeit
    und = für die Punkte, wenn die Partie jetzt zu Ende wäre.
    Auf dem Zeitplan bringt $ Einkommen, und bei % liegt ein Spezialflicken.
play-unknown = „{ $command }“ ist weder ein Zug noch ein Befehl. Gib „help“ ein.
play-try-what = Welchen Zug willst du ausprobieren? Zum Beispiel „try 17Bc4“.
play-leather-first = Platziere zuerst deinen Spezialflicken, zum Beispiel mit { $move }.
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
play-places = { $name } platziert einen Spezialflicken auf { $cell }.
play-income =
    { $buttons ->
        [one] Einkommen: { $buttons } Knopf.
       *[other] Einkommen: { $buttons } Knöpfe.
    }
play-tile = { $name } erhält das Sonderplättchen (7 × 7).
play-takes-leather = { $name } nimmt einen Spezialflicken.
play-discards-leather = { $name } nimmt einen Spezialflicken, hat aber kein freies Feld mehr dafür.
play-home = { $name } ist zuerst auf dem letzten Feld.
play-try-score = Punkte: { $score } ({ $change })
play-try-next = Danach am Zug: { $name }

play-score =
    { $name }: { $buttons } (Knöpfe) + { $tile } (Sonderplättchen) - { $minus } (leere Felder: { $empty }) = { $score }
play-tie-break = Gleichstand; { $name } war zuerst auf dem letzten Feld.
play-wins = { $name } gewinnt!
play-replay-hint = „{ $command }“ spielt die Partie nach.

## Why a move is refused

reason-game-over = Die Partie ist zu Ende.
reason-not-in-this-phase = Jetzt nicht: Ein Spezialflicken wird sofort platziert, wenn er genommen wird, und nur dann.
reason-not-on-offer = Dieser Flicken steht nicht zur Wahl, nur die nächsten drei im Kreis.
reason-cannot-afford = Zu wenige Knöpfe für diesen Flicken.
reason-off-the-board = Das läge außerhalb der Decke.
reason-not-that-shape = Diese Form hat der Flicken nicht.
reason-overlaps = Der Flicken würde einen anderen überlappen.
reason-cell-taken = Dieses Feld ist schon bedeckt.

## What is wrong with a text

notation-move = Zug { $number }
notation-game = Partie { $number }
notation-not-a-position = Das ist keine Stellung ({ $detail }).
notation-impossible-position = Diese Stellung kann in keiner Partie entstehen ({ $detail }).
notation-not-a-move = Das ist kein Zug. Züge sehen aus wie A, Lc4 oder 17Bc4: Flicken 0 bis 32, Ausrichtungen A bis H, Spalten a bis i, Zeilen 1 bis 9.
notation-illegal-move = Dieser Zug ist nicht erlaubt ({ $detail }).
notation-bad-tag = Ein Kopfeintrag ist ungültig ({ $detail }).
notation-missing-tag = Ein Kopfeintrag fehlt ({ $detail }).
notation-unexpected = Das gehört nicht hierher ({ $detail }).
notation-unclosed = Ein Kommentar ist nicht geschlossen.
notation-too-deep = Zu viele Varianten sind ineinander verschachtelt.
notation-too-long = Die Aufzeichnung ist zu lang.
notation-cut-off = Die Aufzeichnung endet ohne Ergebnis; vielleicht ist die Datei abgeschnitten.
notation-contradiction = Die Aufzeichnung widerspricht sich ({ $detail }).
notation-not-one-record = Es muss genau eine Partie sein ({ $detail }).

## The page: the table

page-table-computer = Computer, Stufe { $level }
page-table-you = Du
page-table-player = Spieler { $number }
page-table-turn-you =
    { $why ->
        [leather] Platziere deinen Spezialflicken
        [on-top] Du bist am Zug: Dein Zeitstein liegt oben
       *[behind] Du bist am Zug: Dein Zeitstein liegt hinten
    }
page-table-turn-other =
    { $whose ->
        [computer] Der Computer
       *[other] { $name }
    } { $why ->
        [leather] platziert einen Spezialflicken
        [on-top] ist am Zug (Zeitstein oben)
       *[behind] ist am Zug (Zeitstein hinten)
    }
page-table-called = Du bist am Zug – Patchwork
page-table-arrived = { $name } ist da – Patchwork
page-table-back = { $name } ist wieder da – Patchwork
page-table-connecting = Verbindung wird aufgebaut …
page-table-slow = Die Verbindung ist langsam …
page-table-lost = Verbindung verloren. Neuer Versuch …
page-table-away = abwesend
page-table-thinks = Der Computer überlegt …
page-table-thinks-briefly = Der Server hat viel zu tun, darum überlegt der Computer kürzer als sonst …
page-table-thinks-later =
    { $tables ->
        [one] Der Computer zieht erst noch an { $tables } anderen Tisch.
       *[other] Der Computer zieht erst noch an { $tables } anderen Tischen.
    }
page-table-sending = Dein Zug wird gesendet …
page-table-withdrawn = Die Partie hat sich geändert, bevor dein Zug ankam. Er wurde nicht gespielt.
page-table-refused =
    { $code ->
        [nothing-to-undo] Es gibt nichts zurückzunehmen.
        [already-asked] Du hast schon gefragt.
        [too-late-to-abort] Beide haben schon gezogen; die Partie lässt sich nicht mehr abbrechen.
        [not-gone] Dein Gegner ist wieder da.
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
page-table-asked = Du hast darum gebeten, deinen letzten Zug zurückzunehmen.
page-table-accept = Erlauben
page-table-decline = Ablehnen
page-table-declined = { $name } hat die Rücknahme abgelehnt.
page-table-taken-back = { $name }: Zug zurückgenommen.
page-table-wants-rematch = { $name } möchte noch einmal spielen.
page-table-swapped =
    { $begins ->
        [you] Die Seiten sind getauscht: Das ist jetzt dein Zeitstein. Du beginnst.
        [computer] Die Seiten sind getauscht: Das ist jetzt dein Zeitstein. Der Computer beginnt.
       *[other] Die Seiten sind getauscht: Das ist jetzt dein Zeitstein. { $name } beginnt.
    }
page-table-gone = Dein Gegner ist gegangen.
page-table-gone-early = Dein Gegner ist gegangen, bevor beide gezogen haben.
page-table-claim = Sieg beanspruchen
page-table-did-advance =
    { $spaces ->
        [one] { $spaces } Feld vorgerückt (+{ $spaces } Knopf)
       *[other] { $spaces } Felder vorgerückt (+{ $spaces } Knöpfe)
    }
page-table-did-buy = Flicken { $patch } gekauft (Knöpfe: { $buttons }, Zeit: { $spaces })
page-table-did-leather = Spezialflicken auf { $cell }
page-table-did-income = +{ $buttons } aus Einkommen
page-table-did-tile = Sonderplättchen erhalten
page-table-did-take-leather = Spezialflicken genommen
page-table-move-advance = vorrücken
page-table-move-leather = Spezialflicken auf { $cell }
page-table-move-buy = Flicken { $patch } auf { $cell }
page-table-buttons =
    { $buttons ->
        [one] { $buttons } Knopf
       *[other] { $buttons } Knöpfe
    }
page-table-income = Einkommen { $income }
page-table-has-tile = hat das Sonderplättchen
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
page-table-first-move = Erster Zug:
page-table-first-move-you = Mach rechtzeitig deinen ersten Zug, sonst wird die Partie abgebrochen. Niemand verliert.
page-table-first-move-other = Zieht { $name } nicht rechtzeitig, wird die Partie abgebrochen. Niemand verliert.
page-table-time-board = Zeitplan: { $first } – Feld { $at } von 53; { $second } – Feld { $and }
page-table-quilt-of = Decke: { $name }
page-table-swap-quilts = Decken tauschen
page-table-cell-empty = { $cell }, leer
page-table-cell-patch = { $cell }, Flicken { $patch }
page-table-cell-leather = { $cell }, Spezialflicken
page-table-cell-thought = { $cell }, { $tag }: Flicken { $patch }
page-table-cell-fits = { $cell }, hier passt der Flicken
page-table-cell-no-fit = { $cell }, so passt der Flicken nicht
page-table-cell-tile = { $cell }, hier passt der Flicken und bringt das Sonderplättchen
page-table-circle = Flicken zur Wahl
page-table-circle-rest = Die übrigen Flicken im Kreis, der Reihe nach
page-table-neutral = Garnrolle (neutrale Spielfigur)
page-table-patch = Flicken { $patch }: Felder { $cells }, Preis { $cost }, Zeit { $time }, Einkommen { $income }
page-table-spaces = Felder { $cells }
page-table-coming-after =
    { $patches ->
        [one] Noch { $patches } Platz bis zur Auswahl
       *[other] Noch { $patches } Plätze bis zur Auswahl
    }
page-table-cannot-afford = Zu wenige Knöpfe
page-table-fits-nowhere = Passt nirgends
page-table-choose = Nimm einen der drei Flicken oder rücke vor.
page-table-only-advance = Du kannst nur vorrücken.
page-table-advance = Vorrücken
page-table-sew = Aufnähen
page-table-turn = Drehen
page-table-flip = Wenden
page-table-cancel = Zurücklegen
page-table-no-fit-this-way = So passt er nicht. Drehe oder wende ihn.
page-table-no-place-there = Weiter in diese Richtung passt er nicht.
page-table-place-leather = Spezialflicken: Wähle ein freies Feld.
page-table-lands = Feld { $space } (+{ $spaces })
page-table-gets-income = +{ $buttons } aus Einkommen
page-table-gets-leather = Spezialflicken
page-table-gets-tile = Sonderplättchen
page-table-points = Punkte { $before } → { $after }
page-table-then = danach: { $name }
page-table-then-computer = danach: der Computer
page-table-then-again = du bist noch einmal am Zug
page-table-then-leather = dann platzierst du ihn
page-table-then-over = dann ist die Partie zu Ende
page-idea-tag = Idee
page-idea-keep = Als Idee behalten
page-idea-take = Jetzt nehmen
page-idea-clear = Alle Ideen weglegen
page-idea-count = Ideen: { $count }
page-idea-costs = Preis { $buttons }
page-idea-lacking = { $buttons } zu wenig
page-idea-short =
    { $buttons ->
        [one] { $buttons } Knopf zu wenig
       *[other] { $buttons } Knöpfe zu wenig
    }
page-idea-now = jetzt zur Wahl
page-idea-next = nach dem nächsten Kauf
page-idea-if = nach Kauf von
page-idea-later =
    { $purchases ->
        [one] frühestens nach { $purchases } Kauf
       *[other] frühestens nach { $purchases } Käufen
    }
page-idea-dropped =
    { $why ->
        [taken] Flicken { $patch } ist vergeben.
        [covered] Flicken { $patch } passt nicht mehr an die gedachte Stelle.
        [home] Für Flicken { $patch } bleibt keine Zeit mehr.
       *[other] Flicken { $patch } passt nirgends.
    }
page-next-tag = nächster Zug
page-next-play = Spielen, wenn ich dran bin
page-next-begin = Zug vorbereiten
page-next-advance = Vorrücken, sobald du am Zug bist? Oder wähle einen Flicken.
page-next-is = Nächster Zug: { $move }.
page-next-when = Er wird gespielt, sobald du am Zug bist, falls diese Seite dann noch offen ist.
page-next-cancel = Nächsten Zug verwerfen
page-next-cancelled =
    { $why ->
        [taken] Nächster Zug verworfen: Flicken { $patch } ist vergeben.
        [not-on-offer] Nächster Zug verworfen: Flicken { $patch } steht nicht zur Wahl.
        [cannot-afford] Nächster Zug verworfen: Für Flicken { $patch } hast du zu wenige Knöpfe.
        [overlaps] Nächster Zug verworfen: Flicken { $patch } passt dort nicht mehr.
        [leather] Nächster Zug verworfen: Zuerst ist ein Spezialflicken zu platzieren.
        [takeback] Nächster Zug verworfen: Ein Zug wurde zurückgenommen.
       *[moved] Nächster Zug verworfen: Du hast schon gezogen.
    }
page-table-undo = Zurücknehmen
page-table-hint = Tipp
page-table-hint-look =
    { $kind ->
        [advance] Vorrücken sieht besser aus als kaufen.
        [buy] Einen Flicken zu kaufen sieht besser aus als vorzurücken.
        [only] Du kannst nur vorrücken.
       *[leather] Auf welchem Feld nützt der Spezialflicken am meisten?
    }
page-table-hint-watch =
    { $code ->
        [tile] Achte auf dein Quadrat von 7 × 7 Feldern.
        [hole] Achte auf Lücken von nur einem Feld.
        [leather] Achte auf den Spezialflicken auf dem Zeitplan.
        [again] Achte darauf, wer danach am Zug ist.
        [income] Achte auf das Einkommen, das noch kommt.
       *[line] Achte auf die nächste Einkommenslinie.
    }
page-table-hint-figures = Du: Gewinnaussicht { $win } %, Vorsprung in Punkten { $points }
page-table-hint-best = am besten
page-table-hint-why =
    { $code ->
        [tile] er bringt das Sonderplättchen: { $figure } Punkte
        [hole] er füllt eine Lücke von nur einem Feld
        [leather] er bringt einen Spezialflicken
        [again] danach bist du noch einmal am Zug
        [income] bis zum Ende übersteigt das Einkommen den Preis um { $figure }
       *[line] unterwegs gibt es Einkommen: +{ $figure }
    }
page-table-hint-more =
    { $step ->
        [which] Zeig mir die Züge
       *[where] Zeig mir, wohin
    }
page-table-hint-prepared = Vorbereitet, aber noch nicht gespielt: Bestätige oder ändere den Zug.
page-table-menu = Partie
page-table-moves = Züge
page-table-no-moves = Noch keine Züge.
page-table-order = Reihenfolge der Flicken
page-table-order-why = In die Optionen einer neuen Partie eingefügt, ergibt sie die gleichen Flicken.
page-table-qr = QR-Code des Links
page-table-link = Link zu diesem Tisch
page-table-copy = Link kopieren
page-table-copied = Kopiert
page-table-share = Teilen
page-table-abort = Partie abbrechen
page-table-abort-why = Damit endet die Partie sofort, ohne Sieger.
page-table-resign = Aufgeben
page-table-resign-why = Damit endet die Partie sofort, und der andere Spieler gewinnt.
page-table-sure = Wirklich? Noch einmal drücken.
page-table-home = Startseite
page-table-notify = Benachrichtigen, wenn ich am Zug bin
page-table-notify-arrival = Benachrichtigen, wenn jemand dazukommt
page-table-notify-forbidden = Dein Browser erlaubt dieser Seite keine Benachrichtigungen.
page-table-words = Der Tisch in Worten
page-table-words-tile-free = Das Sonderplättchen hat noch niemand.
page-table-words-place = Auf Feld { $space } von 53 des Zeitplans
page-table-words-income-next = Nächstes Einkommen vor Feld { $space }
page-table-words-leather-next = Nächster Spezialflicken vor Feld { $space }
page-table-words-shape = { $width } breit, { $height } hoch; gefüllte Spalten: { $rows }
page-table-words-row = Zeile { $row }: { $content }
page-table-words-takeable = Kann genommen werden
page-table-words-latest = Die letzten Züge
page-table-keys = Tasten
page-table-key-choose = ersten, zweiten oder dritten Flicken nehmen
page-table-key-try = einen anderen Flicken des Kreises auf deiner Decke probieren
page-table-key-arrows = Flicken verschieben
page-table-key-turn = drehen
page-table-key-flip = wenden
page-table-key-enter = Zug spielen oder, während du wartest, vorbereiten
page-table-key-escape = Flicken zurücklegen oder vorbereiteten Zug verwerfen
page-table-key-keep = Flicken als Idee behalten
page-table-key-clear = alle Ideen weglegen
page-table-key-advance = vorrücken
page-table-key-undo = letzten Zug zurücknehmen
page-table-key-hint = um einen Tipp bitten; noch einmal: der nächste Schritt
page-table-key-words = Tisch in Worten zeigen
page-table-key-circle = die nächsten Flicken ansehen
page-table-key-quilts = beide Decken tauschen
page-table-key-help = diese Liste zeigen
page-table-waiting = Warten auf deinen Gegner …
page-table-invite = Schicke diesen Link jemandem, mit dem du spielen möchtest. Die Partie beginnt, sobald ihr beide am Tisch sitzt.
page-table-only-here = Nur dieser Computer kann diesen Link öffnen. Um mit anderen zu spielen, starte „patchwork serve --host 0.0.0.0“ und öffne die Seite unter der Netzwerkadresse dieses Computers.
page-table-invited = { $name } lädt dich zum Spielen ein.
page-table-your-name = Dein Name (freiwillig)
page-table-join = Platz nehmen und spielen
page-table-seat-taken = Jemand anders war schneller. Du kannst zuschauen.
page-table-needle = Wer hat zuletzt eine Nadel benutzt? Dieser Spieler beginnt.
page-table-soon = Die Partie beginnt gleich.
page-table-wins =
    { $whose ->
        [you] Du gewinnst!
        [computer] Der Computer gewinnt!
       *[other] { $name } gewinnt!
    }
page-table-ended =
    { $reason ->
        [resigned-you] Du hast aufgegeben.
        [resigned] { $name } hat aufgegeben.
        [time-you] Deine Zeit ist abgelaufen.
        [time] Die Zeit ist abgelaufen: { $name }.
        [left-you] Du hast die Partie verlassen.
        [left] { $name } hat die Partie verlassen.
        [aborted] Die Partie wurde abgebrochen.
       *[other] Die Partie ist zu Ende.
    }
page-table-unfinished = Die Partie wurde nicht zu Ende gespielt, daher zählen die Punkte nicht.
page-table-tie-break =
    { $whose ->
        [you] Gleichstand; du warst zuerst auf dem letzten Feld.
        [computer] Gleichstand; der Computer war zuerst auf dem letzten Feld.
       *[other] Gleichstand; { $name } war zuerst auf dem letzten Feld.
    }
page-table-step-buttons = Knöpfe
page-table-step-tile = Sonderplättchen
page-table-step-empty = Leere Felder
page-table-step-total = Summe
page-table-why-buttons = je 1 Punkt
page-table-why-tile = 7 Punkte für das erste volle Quadrat aus 7 × 7 Feldern
page-table-why-empty = je 2 Punkte Abzug
page-table-skip = Alles auf einmal zeigen
page-table-next-game = Nächste Partie
page-table-rematch = Noch einmal spielen
page-table-rematch-same = Noch einmal, gleiche Flicken
page-table-rematch-asked = Warten auf deinen Gegner …
page-table-rematch-accept = Ja, noch einmal spielen
page-table-new-game = Neue Partie
page-table-replay = Nachspielen
page-table-record = Aufzeichnung herunterladen
page-table-picture = Bild der Decken ({ $format })
page-table-look = Tisch ansehen
page-table-to-scores = Zur Wertung
page-table-watching = Du schaust zu.
page-table-waits-for = Warten auf { $name } …

## The page: home and settings

page-home = Startseite von Patchwork
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
page-tokens-classic = Grün und Gelb
page-tokens-revised = Blau und Rot
page-look = Seite des Zeitplans
page-look-rug = Geflochtener Teppich
page-look-blocks = Quiltblöcke
page-confirm = Jeden Zug bestätigen
page-confirm-why = Ist das ausgeschaltet, wird ein Zug gespielt, sobald du die Stelle für den Flicken gewählt hast.
page-motion = Animationen
page-motion-calm = Auf deinem Gerät ausgeschaltet.
page-sound = Töne
page-close = Schließen
page-fan = Ein inoffizielles Fanprojekt. Patchwork ist ein Spiel von Uwe Rosenberg, erschienen bei Lookout Spiele; beide haben mit dieser Seite nichts zu tun. Wenn es dir gefällt, kaufe das echte Spiel.
page-licence = Freie Software unter der MIT-Lizenz.
page-api = Für Entwickler

page-tagline = Für Knöpfe gibt es Flicken, aus Flicken wird eine Decke. Ein Spiel für zwei, in einer Viertelstunde.
page-play-now = Jetzt spielen
page-opening = Das Spiel wird aufgebaut …
page-level = Wie stark soll der Computer sein?
page-level-1 = Sanft
page-level-2 = Leicht
page-level-3 = Gemütlich
page-level-4 = Solide
page-level-5 = Geübt
page-level-6 = Stark
page-level-7 = Sehr stark
page-level-8 = Maximal
page-level-lowest = Beginne hier, wenn du neu bist. Etwas schwächer als ein Spieler, der nach einer einfachen Faustregel kauft.
page-level-strength = Gewinnt etwa { $percent } von 100 Partien gegen Stufe { $below }.
page-level-thinks = Denkt eine Sekunde nach; die anderen Stufen antworten sofort.
page-level-honest = Gemessen in Partien der Stufen gegeneinander, nicht gegen Menschen. Keine Stufe spielt absichtlich schlecht; die niedrigeren rechnen nur nicht so weit voraus.
page-options = Weitere Optionen
page-first = Wer beginnt?
page-first-me = Ich
page-first-computer = Der Computer
page-first-friend = Mein Gegner
page-first-one = Spieler 1
page-first-two = Spieler 2
page-first-random = Der Zufall entscheidet
page-first-needle = Wer zuletzt eine Nadel benutzt hat
page-edition = Zeitplan
page-edition-classic = Ausgabe von 2014
page-edition-revised = Spätere Auflagen und Apps
page-edition-why = Nur die Spezialflicken liegen anders.
page-order = Reihenfolge der Flicken (freiwillig)
page-order-why = Für gleiche Flicken wie bei jemand anderem: Gib dieselbe Zahl ein oder füge die Reihenfolge aus dem Menü einer Partie oder aus einer Aufzeichnung ein. Leer ist sie zufällig.
page-clock = Uhr
page-clock-none = Keine
page-clock-minutes =
    { $minutes ->
        [one] Je { $minutes } Minute, + { $increment } s pro Zug
       *[other] Je { $minutes } Minuten, + { $increment } s pro Zug
    }
page-clock-days =
    { $days ->
        [one] { $days } Tag pro Zug
       *[other] { $days } Tage pro Zug
    }
page-name = Dein Name (freiwillig)
page-name-one = Name von Spieler 1 (freiwillig)
page-name-two = Name von Spieler 2 (freiwillig)

page-ways = Weitere Möglichkeiten
page-screen = Zu zweit an einem Bildschirm
page-screen-why = Setzt euch nebeneinander oder reicht das Gerät hin und her.
page-screen-begin = Beginnen
page-friend = Jemanden einladen
page-friend-why = Du bekommst einen Link zum Verschicken. Wer ihn zuerst öffnet, spielt mit dir; niemand braucht ein Konto.
page-friend-begin = Link erstellen
page-watch = Bei einer Partie zusehen
page-watch-why = Wer den Link einer Partie kennt, kann zusehen.
page-watch-label = Link der Partie
page-watch-begin = Zusehen
page-carry = Auf einem anderen Gerät weiterspielen
page-carry-why = Deine Partien gehören zu diesem Browser. Mit einem privaten Link spielst du sie auf einem anderen Gerät weiter.
page-carry-begin = Privaten Link erstellen
page-carry-link = Privater Link
page-carry-picture = QR-Code des privaten Links
page-carry-expires = Er gilt bis { $time }. Zeige ihn sonst niemandem: Wer ihn öffnet, spielt unter deinem Namen.
page-network = Andere in diesem Netzwerk mitspielen lassen
page-network-why = Bisher kann nur dieser Computer die Seite öffnen. Lässt du andere herein, kann jeder im selben Netzwerk, etwa deinem WLAN, sie öffnen und spielen; an deine Dateien und andere Programme kommt dabei niemand. Das endet, sobald du es hier schließt oder Patchwork beendest.
page-network-is-open = Offen für alle in diesem Netzwerk, unter
page-network-picture = QR-Code dieser Adresse
page-network-others = Weitere Adressen dieses Computers:
page-network-firewall = Falls sich die Seite auf dem anderen Gerät nicht öffnet, prüfe, ob beide im selben Netzwerk sind und ob die Firewall dieses Computers Patchwork (Python) durchlässt.
page-network-close = Für andere schließen
page-network-failed = Das hat nicht geklappt. Vielleicht benutzt ein anderes Programm denselben Port.
page-network-none = Dieser Computer ist in keinem lokalen Netzwerk; andere können ihn also nicht erreichen.
page-network-again = Noch einmal prüfen
page-carry-here = Hier weiterspielen?
page-carry-here-why = In diesem Browser spielst du dann als der Spieler, der den Link erstellt hat.
page-carry-here-begin = Hier weiterspielen
page-carry-too-old = Dieser Link ist zu alt oder nicht vollständig. Erstelle auf dem anderen Gerät einen neuen.
page-carry-own = Dieser Browser
page-carry-maker = Anderes Gerät
page-carry-games = Partien
page-carry-running = Laufend
page-carry-finished = Beendet
page-carry-adopt = Dieser Browser hat noch keine eigenen Partien.
page-carry-merge = Deine Partien und die des anderen Geräts werden eine gemeinsame Liste. Du kannst sie alle hier und dort weiterspielen; keine geht verloren.
page-carry-merge-undo = Einen Tag lang kannst du das rückgängig machen.
page-carry-merge-own-link = Mach nur weiter, wenn du den Link selbst erstellt hast. Sonst könnte jemand anders deine Partien spielen.
page-carry-same = Dieser Browser spielt schon als der Spieler, der den Link erstellt hat. Es gibt nichts mehr zu tun.
page-carry-opponents = Du spielst gerade gegen den Spieler, der den Link erstellt hat. Bis das zu Ende ist, lassen sich eure Partien nicht zusammenlegen.
page-carry-opponents-how = Spiele erst zu Ende, gib auf oder brich ab, und erstelle dann einen neuen Link. Bis dahin ändert sich nichts, und keine Partie geht verloren.
page-carry-not-now = Jetzt nicht
page-carry-retry = Noch einmal versuchen
page-carry-merged = Die Partien dieses Browsers und eines anderen Geräts wurden zusammengelegt.
page-carry-undo-why = Bis { $time } kannst du das rückgängig machen. Inzwischen begonnene Partien bleiben dann beim anderen Gerät.
page-carry-undo = Rückgängig machen
page-copy = Kopieren
page-copied = Kopiert

page-continue = Weiterspielen
page-finished = Beendete Partien
page-no-games = Hier erscheinen deine Partien.
page-last-quilt = Deine letzte Decke
page-loading = Wird geladen …
page-more-games = Mehr Partien zeigen
page-against = Gegner: { $name }
page-computer-level = Computer, Stufe { $level }
page-both = { $one } und { $two }
page-your-turn = Du bist am Zug
page-turn-of = Am Zug: { $name }
page-time-left = noch { $time } für den Zug
page-not-begun = Noch nicht begonnen
page-won = Gewonnen
page-lost = Verloren
page-won-by = Sieg: { $name }
page-no-winner = Abgebrochen
page-by-resigning = durch Aufgabe
page-by-time = auf Zeit
page-by-leaving = weil ein Spieler ging

page-nowhere = Hier ist nichts
page-nowhere-why = Unter dieser Adresse gibt es keine Seite. Ist der Link vollständig?
page-trouble-offline = Der Server ist nicht zu erreichen. Prüfe deine Verbindung und versuche es noch einmal.
page-trouble-too-many = Das war zu viel auf einmal. Bitte warte eine Minute und versuche es noch einmal.
page-trouble-unavailable = Der Server ist gerade überlastet. Bitte versuche es gleich noch einmal.
page-trouble-no-such-table = Unter diesem Link gibt es keine Partie. Ist er vollständig?
page-trouble-reserved-name = Dieser Name sieht aus wie der des Computers. Bitte wähle einen anderen.
page-trouble-bad-circle = Diese Reihenfolge der Flicken geht nicht. Gib eine ganze Zahl ein oder alle 33 Flicken, wie das Menü einer Partie sie zeigt.
page-trouble-other = Das hat nicht geklappt. Bitte lade die Seite neu.

page-try-again = Noch einmal versuchen

## The page: privacy

page-privacy = Datenschutz
page-privacy-intro = Was der Server und dein Browser über dich speichern, wie lange sie es tun und was du selbst tun kannst.
page-privacy-server = Was der Server speichert
page-privacy-server-games = Deine Partien: die Züge, ihre Zeitpunkte und die Namen, die die Spieler angegeben haben. Wer den Link einer Partie kennt, kann sie ansehen.
page-privacy-server-records = Aufzeichnungen, die du zum Nachspielen öffnest, mit den Namen und Kommentaren darin, aber nicht, wer sie geöffnet hat. Wer den Link kennt, kann sie ansehen. Sie werden so lange aufbewahrt wie beendete Partien, gerechnet ab dem letzten Öffnen.
page-privacy-server-player = Eine zufällige Kennung, die für dich steht, damit deine Partien deine bleiben. Es gibt keine Konten; der Server kennt also weder deine E-Mail-Adresse noch ein Passwort.
page-privacy-server-address = Deine Netzwerkadresse dient nur dazu, den Server vor Überlastung zu schützen. Sie wird nicht bei deinen Partien gespeichert. Eine Adresse, die deshalb abgewiesen wird, kann im Protokoll des Servers stehen.
page-privacy-time = Wie lange der Server das speichert
page-privacy-time-unfinished = Unbeendete Partien: { $time }
page-privacy-time-finished = Beendete Partien: { $time }
page-privacy-time-unlimited = unbegrenzt
page-privacy-time-since = Gezählt ab dem letzten Ereignis einer Partie.
page-privacy-time-backups = Gelöschte Daten können noch in Sicherungen des Betreibers stehen, bis diese ersetzt werden.
page-privacy-browser = Was dein Browser speichert
page-privacy-browser-cookie = Ein Cookie, an dem der Server dich erkennt. Es läuft 400 Tage nach deinem letzten Besuch ab.
page-privacy-browser-settings = Deine Einstellungen, die zuletzt eingegebenen Namen, wie weit du deine letzten 30 Partien verfolgt hast und wie weit du in der Lernpartie bist.
page-privacy-others = Was Dritte bekommen
page-privacy-others-text = Nichts. Es gibt keine Werbung und kein Tracking, und nichts wird von anderen Servern geladen.
page-privacy-yours = Deine Daten
page-privacy-data = Deine Daten abrufen
page-privacy-data-why = Alles, was der Server über dich speichert: deine Namen und deine Partien, Zug für Zug, in einer maschinenlesbaren Datei.
page-privacy-data-begin = Meine Daten herunterladen
page-privacy-data-done = Deine Daten wurden heruntergeladen.
page-privacy-revoke = Andere Geräte aussperren
page-privacy-revoke-why = Falls jemand anders in deinem Namen spielen kann, sperre ihn aus: Dann kann das nur noch dieser Browser. Auch deine anderen Geräte, Bots und privaten Links funktionieren dann nicht mehr.
page-privacy-revoke-begin = Alle anderen aussperren
page-privacy-revoke-done = Erledigt. Jetzt kann nur noch dieser Browser in deinem Namen spielen.
page-privacy-delete = Deine Daten löschen
page-privacy-delete-why = Deine Namen verschwinden, und keine Partie führt mehr zu dir. Unbeendete Partien werden aufgegeben. Deine Gegner behalten ihre Partien, gegen einen Spieler ohne Namen.
page-privacy-delete-begin = Meine Daten löschen …
page-privacy-delete-sure = Wirklich alles löschen? Das lässt sich nicht rückgängig machen.
page-privacy-delete-merged = Du hast die Partien mehrerer Geräte zusammengelegt. Sie werden alle gelöscht, für alle diese Geräte.
page-privacy-delete-yes = Ja, löschen
page-privacy-delete-no = Nein, behalten
page-privacy-delete-done = Erledigt. Der Server kennt dich nicht mehr.
page-privacy-nobody = Der Server kennt diesen Browser nicht; es gibt also nichts zu tun.
page-privacy-name = Was mit deinem Namen geschieht

## The page: the rules

page-rules-contents = Inhalt
page-rules-intro = Das ist das ganze Spiel. Du lernst es in fünf Minuten.
page-rules-aim = Das Ziel
page-rules-aim-text = Zwei Spieler nähen je eine Decke. Flicken kosten Knöpfe und Zeit. Am Ende ist jeder Knopf einen Punkt wert, und jedes leere Feld auf der Decke kostet zwei.
page-rules-table = Was auf dem Tisch liegt
page-rules-table-quilt = Jeder Spieler hat eine Decke mit 9 × 9 Feldern, einen Zeitstein und 5 Knöpfe.
page-rules-table-circle = 33 Flicken liegen in zufälliger Reihenfolge im Kreis um den Zeitplan. Die neutrale Spielfigur, hier eine Garnrolle, steht im Uhrzeigersinn direkt hinter dem kleinsten Flicken, dem mit 1 × 2 Feldern.
page-rules-table-patch = Das Etikett eines Flickens zeigt, wie viele Knöpfe und wie viel Zeit er kostet. Die Knöpfe auf dem Stoff sind sein Einkommen.
page-rules-patch-drawing = Ein Flicken mit { $size } Feldern: Knöpfe { $cost }, Zeit { $time }, Einkommen { $income }
page-rules-turn = Wer am Zug ist
page-rules-turn-text = Am Zug ist der Spieler, dessen Zeitstein weiter hinten liegt, auch mehrmals nacheinander. Liegen beide Zeitsteine auf demselben Feld, ist der obere am Zug: der, der zuletzt dort angekommen ist. Zu Beginn ist das der Zeitstein des Spielers, der zuletzt eine Nadel benutzt hat.
page-rules-turn-choice = In deinem Zug tust du eines von beiden: vorrücken oder einen Flicken nehmen.
page-rules-advance = Vorrücken
page-rules-advance-text = Ziehe deinen Zeitstein auf das Feld direkt vor dem anderen. Für jedes Feld, das du vorrückst, erhältst du 1 Knopf. Das darfst du immer.
page-rules-advance-drawing = Ein Zeitstein überholt den anderen, rückt 4 Felder vor und bringt 4 Knöpfe
page-rules-take = Einen Flicken nehmen
page-rules-take-choose = Wähle einen der drei nächsten Flicken, im Uhrzeigersinn vor der neutralen Spielfigur.
page-rules-take-neutral = Stelle die neutrale Spielfigur dorthin, wo der Flicken lag.
page-rules-take-pay = Bezahle so viele Knöpfe, wie das Etikett zeigt.
page-rules-take-sew = Nähe den Flicken auf deine Decke, beliebig gedreht und gewendet. Er darf keinen anderen Flicken überlappen und nicht über den Rand ragen, muss aber nichts berühren. Einmal aufgenäht, bleibt er dort.
page-rules-take-time = Rücke deinen Zeitstein so viele Felder vor, wie das Etikett zeigt. Kommt er auf das Feld des anderen, liegt er obenauf.
page-rules-take-not = Einen Flicken, den du nicht bezahlen kannst oder der nirgends passt, darfst du nicht nehmen.
page-rules-take-drawing = Die neutrale Spielfigur und die drei Flicken vor ihr
page-rules-lines = Linien überqueren
page-rules-lines-text = Egal, wie dein Zeitstein vorgerückt ist, sieh dir der Reihe nach die Linien an, die er überquert hat:
page-rules-lines-income = Knopf: Du erhältst das Einkommen deiner ganzen Decke, auch des eben aufgenähten Flickens.
page-rules-lines-leather = Spezialflicken: Nimm dieses kleine Stück Leder und nähe es sofort auf ein beliebiges freies Feld. Nur wer die Linie zuerst überquert, bekommt es.
page-rules-lines-where = Einkommen gibt es an den Linien vor den Feldern 5, 11, 17, 23, 29, 35, 41, 47 und 53. Spezialflicken liegen in der Ausgabe von 2014 auf den Linien vor den Feldern 20, 26, 32, 44 und 50, in späteren Auflagen und den Apps vor 26, 32, 38, 44 und 50.
page-rules-board-drawing = Der Zeitplan, eine Spirale aus 54 Feldern
page-rules-tile = Das Sonderplättchen
page-rules-tile-text = Wer zuerst auf seiner Decke ein Quadrat von 7 × 7 Feldern gefüllt hat, erhält das Sonderplättchen. Es ist 7 Punkte wert.
page-rules-tile-drawing = Eine Decke mit einem gefüllten Quadrat von 7 × 7 Feldern
page-rules-end = Das Ende
page-rules-end-text = Feld 53 in der Mitte ist das letzte. Kein Zeitstein zieht weiter; wer vorrückt, erhält Knöpfe nur für die Felder, die er wirklich vorrückt. Liegen beide Zeitsteine dort, ist die Partie zu Ende.
page-rules-score = Die Wertung
page-rules-score-text = Deine Knöpfe, plus 7 für das Sonderplättchen, minus 2 für jedes leere Feld. Es gewinnt, wer mehr Punkte hat. Bei Gleichstand gewinnt, wer zuerst auf dem letzten Feld war.
page-rules-score-example = Beispiel: 14 Knöpfe, das Sonderplättchen und 5 leere Felder ergeben 14 + 7 − 10 = 11 Punkte. Der Gegner hat 18 Knöpfe und 2 leere Felder, also 18 − 4 = 14 Punkte, und gewinnt.
page-rules-tips = Gut zu wissen
page-rules-tips-income = Einkommen lohnt sich am Anfang am meisten: Du erhältst es bei jedem Knopf, der noch vor dir liegt.
page-rules-tips-turn = Mit einem Flicken, der wenig Zeit kostet, bleibst du vielleicht hinten und bist noch einmal am Zug.
page-rules-tips-gaps = Lücken von einem einzigen Feld füllen nur Spezialflicken. Halte die Ränder glatt.
page-rules-play = Jetzt spielen

## The page: the lesson

page-learn-new = Neu hier? Lerne es beim Spielen, in fünf Minuten.
page-learn-by-playing = Oder lerne es beim Spielen.
page-learn-opponent = Dein Gegner
page-learn-step = { $number } von { $of }
page-learn-next = Weiter
page-learn-back = Zurück
page-learn-skip = Überspringen
page-learn-restart = Von vorn
page-learn-leave = Verlassen
page-learn-help = Zeige es mir
page-learn-retry = Noch einmal versuchen
page-learn-play = Jetzt gegen Stufe 1 spielen
page-learn-rules = Die Regeln lesen
page-learn-welcome = Deine erste Partie
page-learn-welcome-text = Du und dein Gegner näht je eine Decke. Flicken kosten Knöpfe und Zeit. Am Ende ist jeder Knopf einen Punkt wert, und jedes leere Feld kostet zwei; darum beginnst du bei −157. Wir probieren alles einmal aus, in fünf Minuten.
page-learn-advance = Vorrücken
page-learn-advance-text = Dein Gegner zieht auf dem Zeitplan davon. Wer hinten liegt, ist am Zug: du. Drücke auf „Vorrücken“ und zum Bestätigen noch einmal. Du springst direkt vor den anderen Zeitstein und erhältst für jedes Feld einen Knopf.
page-learn-advance-done = Sieben Felder, sieben Knöpfe. Vorrücken darfst du immer. Jetzt liegst du vorn, also ist dein Gegner am Zug.
page-learn-circle = Die Reihe der Flicken
page-learn-circle-text = Nur die nächsten drei Flicken nach der Garnrolle stehen zur Wahl. Wird einer genommen, kommt die Garnrolle an seine Stelle; die übersprungenen wandern ans Ende der Reihe und sind später wieder dran.
page-learn-buy = Einen Flicken nehmen
page-learn-buy-text = Wähle einen der drei Flicken. Das Etikett zeigt seinen Preis in Knöpfen und in Zeit. Drehe und wende den Flicken und platziere ihn auf deiner Decke: Getönte Felder zeigen, wo er passt. Dann nähe ihn auf.
page-learn-buy-wrong = Vorrücken ginge auch. Aber gönne dir diesmal einen Flicken: Wähle einen der drei.
page-learn-chain = Du bist noch einmal am Zug
page-learn-chain-text = Du hast die Knöpfe bezahlt, und dein Zeitstein ist so viele Felder vorgerückt, wie das Etikett zeigt. Er liegt immer noch hinten! Wer hinten liegt, ist am Zug, auch mehrmals nacheinander. Also: noch ein Flicken oder vorrücken?
page-learn-chain-done = Zwei Züge nacheinander! Flicken, die wenig Zeit kosten, lassen dich öfter ziehen.
page-learn-income = Einkommen
page-learn-income-text = Ab hier ist jeder Schritt ein Moment aus einer anderen Partie. Die Knöpfe auf deinen Flicken sind dein Einkommen. Nimm einen Flicken oder rücke vor, um die nächste Linie mit einem Knopf zu überqueren: Dann zahlt deine ganze Decke.
page-learn-income-done = Deine ganze Decke hat ihr Einkommen gezahlt. Es gibt neun solche Linien, darum ist frühes Einkommen am meisten wert.
page-learn-leather = Ein Spezialflicken
page-learn-leather-text = Beide Zeitsteine liegen auf demselben Feld; deiner liegt oben, also bist du am Zug. Auf der nächsten Linie liegt ein Spezialflicken aus Leder. Wer die Linie zuerst überquert, bekommt ihn. Überquere sie mit einem beliebigen Zug.
page-learn-sew = Nähe ihn auf
page-learn-sew-text = Der Spezialflicken gehört dir und kostet nichts. Er bedeckt ein einziges Feld, gerade richtig für eine Lücke, in die kein anderer passt. Platziere ihn auf einem freien Feld und nähe ihn auf.
page-learn-sew-done = Gut geflickt! Zu Beginn liegen fünf Spezialflicken auf dem Zeitplan, jeder für den, der zuerst kommt.
page-learn-tile = Sieben mal sieben
page-learn-tile-text = Wer zuerst ein Quadrat von 7 × 7 Feldern füllt, erhält das Sonderplättchen: 7 Punkte. Deinem Quadrat links oben fehlt nur noch ein Flicken, der dritte. Drehe ihn und fülle die Lücke.
page-learn-tile-done = Das Sonderplättchen gehört dir: 7 Punkte am Ende.
page-learn-tile-wrong = So bliebe das Quadrat unvollständig. Nimm den dritten Flicken, drehe ihn und fülle die Lücke im Quadrat links oben.
page-learn-end = Der letzte Zug
page-learn-end-text = Dein Gegner ist auf dem letzten Feld, in der Mitte des Zeitplans. Wenn du auch dort bist, ist die Partie zu Ende. Es ist knapp, und jedes leere Feld kostet 2 Punkte: Wähle gut!
page-learn-score = Du kennst das Spiel
page-learn-score-text = Knöpfe, plus 7 für das Sonderplättchen, minus 2 für jedes leere Feld: Es gewinnt, wer mehr Punkte hat. Das war alles. Viel Spaß!
page-learn-lost = Ganz knapp! Gehe zurück und nimm im letzten Zug einen Flicken.

## The page: replays

page-replay = Nachspielen
page-replay-broken = Diese Aufzeichnung lässt sich nicht lesen: { $detail }
page-replay-no-record = Das ist keine Aufzeichnung einer Patchwork-Partie.
page-replay-unknown = Diese Aufzeichnung gibt es hier nicht. Vielleicht ist der Link unvollständig, oder sie wird nicht mehr aufbewahrt.
page-replay-file = Eine Aufzeichnung aus einer Datei
page-replay-choose = Datei auswählen …
page-replay-text = Oder Text einfügen
page-replay-open = Nachspielen
page-replay-start = Beginn der Partie
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
page-replay-copy = Link zu diesem Zug kopieren
page-replay-variation = Variante zu Zug { $number }
page-replay-variations = Varianten:
page-replay-leave = Variante verlassen
page-replay-annotation =
    { $name ->
        [good] guter Zug
        [bad] schlechter Zug
        [very-good] sehr guter Zug
        [very-bad] sehr schlechter Zug
        [interesting] interessanter Zug
        [dubious] fragwürdiger Zug
       *[other] Anmerkung { $number }
    }
page-replay-record = Eine Aufzeichnung nachspielen


## Links in Messengern und Seiten ohne JavaScript

link-how = Nimm einen Flicken aus dem Kreis, bezahle mit Knöpfen und Zeit und nähe ihn auf; am Zug ist, wer auf dem Zeitplan hinten liegt. Am Ende zählen Knöpfe, und leere Felder kosten Punkte.
link-join = Öffne den Link, um mitzuspielen; ein Konto brauchst du nicht.
link-running = Die Partie läuft; du kannst Zug für Zug zusehen.
link-replay = Geh die Partie Zug für Zug durch.
link-drawing = Der Tisch: beide Decken, der Zeitplan und der Kreis der Flicken
link-script = Um hier zu spielen, schalte JavaScript in deinem Browser ein.

