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
cli-memory = Megabyte, die eine Suche benutzen darf (Vorgabe: 256)
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
cli-bad-player = „{ $player }“ ist kein Spieler; Spieler sind random, greedy, uct1000, level:1 bis level:8, playout:8, upi:BEFEHL und codingame:BEFEHL; level, playout und upi können eine Grenze wie @1s oder @2000n haben
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
