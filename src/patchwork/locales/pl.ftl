# Polish. What the command line and the terminal say. Names in dollars are filled in; keep them as
# they are. Words typed by the user (help, moves, try, undo, show, quit), option names and move texts
# such as 17Bc4 are the same in every language.
#
# Glossary:
#   patch = kawałek (materiału)            leather patch = specjalny kawałek (materiału)
#   button = guzik                         income = dochód
#   time token = znacznik czasu            time board = plansza czasu
#   quilt board = plansza kołdry           space = pole
#   special 7x7 tile = żeton specjalny     advance = przesunąć się do przodu
#   buy = kupić                            place = umieścić
#   turn = tura, kolej                     move = ruch
#   circle of patches = okrąg              game = partia
#   record = zapis                         position = pozycja
#   orientation = orientacja               seat = miejsce
#   score = wynik                          tag = tag
#   seed = ziarno
#   player = gracz                         match = mecz
#   pair of games = para                   ladder = ranking
#   strength = siła                        log = dziennik
#   limit = limit                          level = poziom

## The command line

cli-usage = użycie:
cli-commands = polecenia
cli-arguments = argumenty
cli-options = opcje
cli-help = pokaż tę pomoc i zakończ
cli-lang = język programu; domyślnie język twojego systemu
cli-version = pokaż wersję i zakończ
cli-see-help = Spróbuj „{ $prog } --help”.
cli-no-such-command = nie ma polecenia „{ $command }”; polecenia to { $commands }
cli-similar-command = nie ma polecenia „{ $command }”; czy chodziło o „{ $similar }”?
cli-not-together = { $first } i { $second } nie można użyć razem
cli-needs = { $option } działa tylko z { $other }
cli-needs-record = { $option } działa tylko z zapisaną partią, a to jest pojedyncza pozycja

cli-description = Patchwork, gra planszowa Uwe Rosenberga dla dwojga. Nieoficjalny projekt fanowski.
cli-description-examples =
    przykłady:
      patchwork                          zagraj w przeglądarce, z komputerem lub z kimś
      patchwork play                     zagraj z komputerem w terminalu
      patchwork play --opponent human    dwie osoby przy jednej klawiaturze
      patchwork replay game.patchwork    obejrzyj partię jeszcze raz

cli-play = zagraj całą partię w terminalu
cli-play-examples =
    Przerwana partia jest wznawiana automatycznie. Inną zaczyna --new, a także
    każda opcja opisująca partię: --opponent, --seat, --names, --seed, --edition,
    --first. Przerwana partia pozostaje zapisana; wznawia ją --file.
    przykłady:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = kto gra na drugim miejscu: program greedy, silnik na poziomie od 1 (łagodny) do 8 lub drugi człowiek (domyślnie: greedy)
cli-seat = twoje miejsce w grze z programem (domyślnie: 0)
cli-names = imiona graczy na miejscach 0 i 1
cli-seed = liczba, która ustala kolejność kawałków; jeśli jej nie podasz, zostanie wylosowana
cli-edition = gdzie leżą specjalne kawałki: classic (2014) czy revised (domyślnie: classic)
cli-first = miejsce, które zaczyna (domyślnie: 0)
cli-play-new = zacznij nową partię, nawet jeśli inna jest niedokończona
cli-file = zapisuj partię w tym pliku; jeśli już istnieje, wznów ją
cli-compact = rysuj stół w małej skali, na wąski terminal

cli-show = narysuj pozycję albo koniec zapisanej partii
cli-show-examples =
    przykłady:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = plik z zapisem lub pozycją, tekst pozycji albo - jako standardowe wejście
cli-game = która partia w pliku, licząc od 1 (domyślnie: 1)
cli-move = narysuj pozycję po tylu ruchach
cli-svg = wypisz obraz (SVG) zamiast tekstu
cli-dark = z --svg: ciemne kolory
cli-json = wypisz JSON dla programów

cli-replay = prześledź zapisaną partię ruch po ruchu
cli-replay-examples =
    Wypisuje wszystkie ruchy jeden po drugim, każdy z jego skutkami, komentarzami i
    stołem po nim; w terminalu po każdym czeka na Enter.
    przykłady:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = plik z zapisami partii albo - jako standardowe wejście

cli-check = sprawdź, czy zapisy partii są zgodne z zasadami
cli-check-examples =
    Kończy z kodem 1, jeśli któryś plik zawiera błąd, i mówi, gdzie i dlaczego.
    przykłady:
      patchwork check *.patchwork

cli-new = wypisz zapis nowej partii bez ruchów
cli-new-examples =
    przykłady:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = policz dozwolone ciągi ruchów, żeby porównać implementacje zasad
cli-perft-examples =
    Wypisuje liczbę po każdym pierwszym ruchu, a potem sumę. Bez pozycji bierze
    nową partię z ziarnem 0, chyba że --seed mówi inaczej.
    przykłady:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = długość ciągów, co najmniej 1
cli-perft-seed = liczba, która ustala kolejność kawałków (domyślnie: 0)
cli-position = tekst pozycji

cli-serve = uruchom serwer: graj w przeglądarce, także z innymi przez link
cli-serve-examples =
    Bez opcji działa tylko na tym komputerze i otwiera jego przeglądarkę. Partie są
    przechowywane w bazie danych i trwają dalej po ponownym uruchomieniu. Wszystko
    można też ustawić zmiennymi, na przykład PATCHWORK_PORT; wszystkie wymienia
    docs/operations.md.
    przykłady:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = adres, na którym serwer nasłuchuje (domyślnie: 127.0.0.1, dostępny tylko z tego komputera)
cli-port = port, na którym serwer nasłuchuje; 0 wybiera dowolny wolny (domyślnie: 8327)
cli-database = plik SQLite lub adres postgresql:// z partiami (domyślnie: server.db w twoim katalogu danych)
cli-public-url = gdzie serwer jest dostępny dla innych, do linków
cli-origins = dodatkowe źródła (origins), których strony mogą tu grać, oddzielone przecinkami
cli-proxies = adresy zaufanych serwerów proxy, oddzielone przecinkami
cli-workers = procesy, które myślą za komputer (domyślnie: o jeden mniej niż rdzeni procesora)
cli-log-format = jak zapisywać zdarzenia serwera (domyślnie: text)
cli-log-level = najmniejsza ważność zapisywanych zdarzeń (domyślnie: info)
cli-no-browser = nie otwieraj przeglądarki
cli-serving = Patchwork działa pod adresem { $url } (Ctrl+C go zatrzymuje)
cli-open-host = serwer nasłuchuje na { $host }, więc jest dostępny dla innych, a to, co wysyłają, nie jest szyfrowane; w internecie postaw przed nim proxy z TLS (docs/operations.md)
cli-port-in-use = port { $port } na { $host } jest zajęty, być może przez inny Patchwork; wybierz inny przez „patchwork serve --port N”, 0 oznacza dowolny wolny
cli-cannot-listen = nie można nasłuchiwać na { $host }, port { $port }: { $detail }
cli-no-database = nie można użyć bazy danych: { $detail }
cli-newer-database = te partie należą do innej, prawdopodobnie nowszej wersji programu ({ $detail })
cli-no-postgres = brakuje czegoś, co jest potrzebne do PostgreSQL; w klonie zainstaluje to „pip install '.[postgres]'”

cli-backup = skopiuj partie serwera do pliku, nawet gdy serwer działa
cli-backup-examples =
    Kopia jest pełna i sprawdzona. Zawiera też klucz, którym podpisuje się, kto jest
    kim; przechowuj ją tak bezpiecznie jak bazę danych. Tylko dla SQLite; PostgreSQL
    ma pg_dump.
    przykłady:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = plik na kopię
cli-force = nadpisz plik, jeśli już istnieje
cli-backup-done = Partie skopiowano do { $file }

cli-restore = zastąp partie serwera kopią zapasową
cli-restore-examples =
    To, co było wcześniej, pozostaje obok w pliku nazwanym według chwili.
    przykład:
      patchwork restore games-2026-11-15.db
cli-restore-file = plik z kopią
cli-restore-done = Partie z { $file } zostały przywrócone
cli-restore-kept = To, co było wcześniej, jest w { $file }

cli-export = wypisz wszystkie partie serwera jako zapisy
cli-export-examples =
    przykłady:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = plik na zapisy lub - dla standardowego wyjścia (domyślnie: -)
cli-exported =
    { $games ->
        [one] zapisano { $games } partię w { $file }
        [few] zapisano { $games } partie w { $file }
        [many] zapisano { $games } partii w { $file }
       *[other] zapisano { $games } partii w { $file }
    }
cli-export-skipped = nie można zapisać partii { $game }: { $detail }
cli-no-such-file = nie ma pliku { $file }
cli-copy-exists = plik { $file } już istnieje i bez --force nie zostanie nadpisany
cli-copy-not-sqlite = PostgreSQL tworzy własne kopie, za pomocą pg_dump i pg_restore
cli-copy-same-file = kopia i baza danych to ten sam plik
cli-copy-unsound = nie ma w nim poprawnych partii serwera ({ $detail })
cli-copy-failed = nie udało się skopiować partii: { $detail }

cli-bad-setting = { $setting } nie może mieć wartości „{ $value }”; dozwolone: { $allowed }
cli-allowed-host = adres lub nazwa komputera, bez portu
cli-allowed-port = liczba całkowita od 0 do 65535
cli-allowed-database = ścieżka pliku, sqlite:///PATH lub postgresql://USER:PASSWORD@HOST/NAME
cli-allowed-origins = źródła takie jak https://example.org, oddzielone przecinkami
cli-allowed-proxies = adresy IP lub sieci takie jak 10.0.0.0/8, oddzielone przecinkami
cli-allowed-public-url = adres taki jak https://example.org, bez ścieżki
cli-allowed-switch = auto, true lub false
cli-allowed-workers = liczba całkowita od 1 do 256
cli-allowed-secret = co najmniej 32 znaki
cli-allowed-log-format = text lub json
cli-allowed-log-level = debug, info, warning lub error
cli-allowed-frame = liczba całkowita od 256 do 1048576
cli-allowed-count = liczba całkowita, co najmniej 0
cli-allowed-positive = liczba całkowita, co najmniej 1
cli-allowed-seconds = liczba sekund większa od 0

cli-upi = uruchom silnik dla innego programu, przez protokół UPI
cli-upi-examples =
    Czyta polecenia ze standardowego wejścia i odpowiada na standardowe wyjście.
    Protokół opisuje docs/upi.md.
cli-analyse = analizuj pozycje partiami, jeden obiekt JSON w wierszu
cli-analyse-examples =
    Czyta zapytania ze standardowego wejścia i odpowiada wierszem na każdą pozycję.
    Pola opisuje docs/upi.md.
    przykład:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = ile rdzeni procesora użyć (domyślnie: 1)
cli-memory = ile megabajtów może zająć przeszukiwanie (domyślnie: 256)
cli-preparing = Silnik się przygotowuje; za pierwszym razem trwa to pół minuty …
cli-match = rozegraj partie między dwoma programami i powiedz, który jest silniejszy
cli-match-examples =
    Partie rozgrywane są parami: dwa razy ten sam okrąg kawałków, z zamienionymi
    miejscami. Z --log mecz toczy się dalej od miejsca, w którym był, gdy podasz to
    samo polecenie. Kto ulegnie awarii, nie odpowie lub złamie zasady, przegrywa
    partię.
    gracze:
      random, greedy, uct1000    stałe programy, z którymi mierzy się inne
      level:1 ... level:8        silnik na danym poziomie
      playout:8                  silnik z pełną siłą, bez sieci
      upi:"POLECENIE"            program, który zna UPI
      codingame:"POLECENIE"      bot napisany dla CodinGame
      level:8@0.5s, level:8@2000n, upi:"POLECENIE"@1s
                                 z limitem na ruch: sekundy lub węzły
    przykłady:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = gracz, na przykład greedy lub level:8
cli-pairs = ile par partii rozegrać, z każdym przeciwnikiem (domyślnie: 100)
cli-jobs = ile partii rozgrywać jednocześnie (domyślnie: 1)
cli-match-seed = liczba, która ustala wszystko, co losowe (domyślnie: 0)
cli-match-edition = gdzie leżą specjalne kawałki; jeśli nie podasz, wydania będą się zmieniać
cli-timeout = po ilu sekundach ponad swój limit przegrywa gracz, który nie wykonał ruchu (domyślnie: 60)
cli-log = zapisuj każdą partię w tym pliku; jeśli już istnieje, wznów mecz
cli-records = zapisz partie jako zapisy w tym pliku
cli-sprt = zakończ, gdy będzie jasne, czy A jest lepszy od B raczej o HIGH Elo niż o LOW

cli-ladder = oceń kilka programów na jednej skali
cli-ladder-examples =
    Jacy są gracze, powie „patchwork match --help”.
    przykłady:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = grają ze sobą tylko gracze odlegli na liście o najwyżej K miejsc
cli-anchor = gracz, którego siła wynosi 0 (domyślnie: pierwszy)

cli-cannot-open = nie można otworzyć { $file }: { $detail }
cli-cannot-write = nie można zapisać danych wyjściowych: { $detail }
cli-no-output = standardowe wyjście jest zamknięte, więc nie można nic wypisać
cli-no-input = standardowe wejście jest zamknięte, więc nie można nic z niego odczytać
cli-not-text = { $file } nie jest plikiem tekstowym: bajt { $byte } nie jest w UTF-8
cli-file-exists = plik { $file } już istnieje i nie zostanie nadpisany; pomiń { $option }, aby wznowić tę partię
cli-game-finished = partia w pliku { $file } jest skończona; „{ $command }” ją pokaże
cli-damaged-save = plik { $file } jest pomijany, bo nie ma w nim poprawnej partii; „patchwork check” powie dlaczego
cli-no-such-source = nie ma pliku „{ $source }”, a pozycja to też nie jest: { $complaint }
cli-no-such-game = w pliku { $file } nie ma partii { $game }; liczba partii w pliku: { $games }
cli-no-such-move = nie ma ruchu { $move }; wybierz od 0 do { $last }
cli-bad-seed = { $seed } nie może być ziarnem; ziarna to liczby całkowite od 0 do { $last }
cli-bad-number = „{ $found }” tu nie pasuje; musi to być liczba całkowita, co najmniej { $least }
cli-bad-name = { $name } nie może być imieniem; imię to jeden wiersz tekstu
cli-bad-player = „{ $player }” to nie gracz; gracze to random, greedy, uct1000, od level:1 do level:8, playout:8, upi:POLECENIE i codingame:POLECENIE; level, playout i upi mogą mieć limit, na przykład @1s lub @2000n
cli-classic-only = { $player } zna tylko wydanie classic
cli-bad-elo = „{ $found }” tu nie pasuje; musi to być różnica Elo, na przykład 10 lub -2.5
cli-sprt-order = pierwsza granica musi być mniejsza od drugiej, a { $low } nie jest mniejsze od { $high }
cli-ladder-players = ranking wymaga co najmniej dwóch graczy, każdego tylko raz
cli-no-anchor = { $player } ma mieć siłę 0, ale nie bierze udziału
cli-ladder-unconnected = rozegrano za mało partii, by porównać wszystkich graczy
cli-not-installed = brakuje czegoś, co jest do tego potrzebne ({ $detail }); w klonie zainstaluje to „pip install '.[play]'”
cli-exists = plik { $file } już istnieje i nie zostanie nadpisany
cli-player-not-started = nie można uruchomić gracza { $player }: { $detail }
cli-log-another-match = { $file } to dziennik czegoś innego: { $detail }
cli-log-damaged = dziennik { $file } jest uszkodzony: { $detail }
cli-log-in-use = do dziennika { $file } pisze właśnie inny mecz
cli-match-interrupted = przerwano; zakończone partie: { $games }
cli-match-progress = partie: { $games } z { $total }
cli-ladder-pairs = (pary: { $pairs })
cli-result-games = partie: { $games }, wygrane: { $wins }, przegrane: { $losses } ({ $percent } %)
cli-result-pairs = pary: { $pairs }, wygrane 2-0: { $won }, podzielone 1-1: { $split }, przegrane 0-2: { $lost }
cli-result-elo = siła: { $elo }; prawdopodobieństwo bycia lepszym: { $percent } %
cli-result-scores = średni wynik: { $first } : { $second }
cli-result-time = średni czas na ruch: { $first } : { $second }
cli-result-forfeit = { $player } przegrywa walkowerem partię { $game } z pary { $pair } ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] test: lepszy raczej o { $high } Elo niż o { $low } (logarytm ilorazu wiarygodności { $ratio })
        [rejected] test: lepszy raczej o { $low } Elo niż o { $high } (logarytm ilorazu wiarygodności { $ratio })
       *[undecided] test: nierozstrzygnięte między { $low } a { $high } Elo (logarytm ilorazu wiarygodności { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } partia, wszystko w porządku
        [few] { $games } partie, wszystko w porządku
        [many] { $games } partii, wszystko w porządku
       *[other] { $games } partii, wszystko w porządku
    }
cli-no-game = Nie ma w nim żadnej partii.
cli-press-enter = Enter: dalej, q: koniec
cli-ends-here =
    { $termination ->
        [resigned] Partia skończyła się tutaj poddaniem.
        [time] Partia skończyła się tutaj z powodu upływu czasu.
        [left] Partia skończyła się tutaj, bo ktoś wyszedł z gry.
        [aborted] Partię tutaj przerwano.
       *[unfinished] Partia jest niedokończona.
    }

## Playing in the terminal

play-player = Gracz { $seat }
play-saved-in = Partia jest zapisywana w { $path }
play-resumed = Wznawiamy przerwaną partię.
play-help-hint = Wpisz ruch albo „help”.
play-prompt =
    { $phase ->
        [leather] { $name } umieszcza specjalny kawałek:
       *[turn] Teraz gra { $name }:
    }
play-help =
    Ruchy:
      A        przesuń się przed drugi znacznik czasu; 1 guzik za każde pole
      17Bc4    kup kawałek materiału 17, orientacja B, lewy górny róg w kolumnie c, wierszu 4
      Lc4      umieść specjalny kawałek w kolumnie c, wierszu 4
    Polecenia:
      moves       co możesz teraz zrobić
      moves 17    kawałek 17 we wszystkich orientacjach; litera o pokazuje, gdzie może leżeć jego róg
      try 17Bc4   zobacz skutki ruchu bez wykonywania go
      undo        cofnij swój ostatni ruch
      show        narysuj stół jeszcze raz
      quit        wyjdź; partia pozostaje zapisana
    Na rysunku: b – guziki, i – dochód, t – czas, = – wynik, gdyby partia skończyła się teraz.
    Na planszy czasu $ przynosi dochód, a przy % leży specjalny kawałek.
play-unknown = „{ $command }” to ani ruch, ani polecenie. Wpisz „help”.
play-try-what = Podaj też ruch, który chcesz wypróbować, na przykład „try 17Bc4”.
play-leather-first = Najpierw umieść specjalny kawałek, na przykład { $move }.
play-advance =
    { $spaces ->
        [one] przesuń się o { $spaces } pole i otrzymaj { $spaces } guzik
        [few] przesuń się o { $spaces } pola i otrzymaj { $spaces } guziki
        [many] przesuń się o { $spaces } pól i otrzymaj { $spaces } guzików
       *[other] przesuń się o { $spaces } pól i otrzymaj { $spaces } guzików
    }
play-places-count =
    { $count ->
        [0] nigdzie nie pasuje
        [one] można umieścić na { $count } sposób
        [few] można umieścić na { $count } sposoby
        [many] można umieścić na { $count } sposobów
       *[other] można umieścić na { $count } sposobów
    }
play-no-such-patch = Nie ma kawałka „{ $found }”; kawałki mają numery od 0 do { $last }.
play-nothing-to-undo = Nie ma czego cofnąć.
play-undone =
    { $count ->
        [one] Cofnięto { $count } ruch.
        [few] Cofnięto { $count } ruchy.
        [many] Cofnięto { $count } ruchów.
       *[other] Cofnięto { $count } ruchów.
    }
play-left = Partia jest zapisana. „{ $command }” ją wznowi.
play-not-saved = Ruch nie został wykonany, bo nie można zapisać pliku { $path }: { $detail }
play-changed-elsewhere = Ruch nie został wykonany, bo plik { $path } został tymczasem zmieniony, być może przez drugie „patchwork play”. Wpisz „quit” i uruchom grę ponownie, aby grać dalej od tego miejsca.

play-advances =
    { $spaces ->
        [one] { $name } przesuwa się o { $spaces } pole i otrzymuje { $spaces } guzik.
        [few] { $name } przesuwa się o { $spaces } pola i otrzymuje { $spaces } guziki.
        [many] { $name } przesuwa się o { $spaces } pól i otrzymuje { $spaces } guzików.
       *[other] { $name } przesuwa się o { $spaces } pól i otrzymuje { $spaces } guzików.
    }
play-buys =
    { $name } kupuje kawałek { $patch } (zapłacone guziki: { $buttons }, przebyte pola: { $spaces }).
play-places = { $name } umieszcza specjalny kawałek na polu { $cell }.
play-income =
    { $buttons ->
        [one] Dochód: { $buttons } guzik.
        [few] Dochód: { $buttons } guziki.
        [many] Dochód: { $buttons } guzików.
       *[other] Dochód: { $buttons } guzików.
    }
play-tile = { $name } otrzymuje żeton specjalny 7×7.
play-takes-leather = { $name } bierze specjalny kawałek.
play-discards-leather = { $name } bierze specjalny kawałek, ale nie ma już dla niego wolnego pola.
play-home = { $name } najszybciej dociera na ostatnie pole.
play-try-score = Wynik: { $score } ({ $change })
play-try-next = Potem gra: { $name }

play-score =
    { $name }: { $buttons } (guziki) + { $tile } (żeton specjalny) - { $minus } (puste pola: { $empty }) = { $score }
play-tie-break = Wyniki są równe; decyduje szybsze dotarcie na ostatnie pole: { $name }.
play-wins = { $name } wygrywa!
play-replay-hint = „{ $command }” pokaże partię jeszcze raz.

## Why a move is refused

reason-game-over = Partia jest skończona.
reason-not-in-this-phase = Nie teraz: specjalny kawałek umieszcza się zaraz po wzięciu i tylko wtedy.
reason-not-on-offer = Tego kawałka nie można wybrać; do wyboru są tylko trzy następne w okręgu.
reason-cannot-afford = Za mało guzików na ten kawałek.
reason-off-the-board = To wystawałoby poza planszę kołdry.
reason-not-that-shape = Kawałek nie ma takiego kształtu.
reason-overlaps = Kawałek zachodziłby na inny.
reason-cell-taken = To pole jest już zakryte.

## What is wrong with a text

notation-move = ruch { $number }
notation-game = partia { $number }
notation-not-a-position = To nie jest tekst pozycji ({ $detail }).
notation-impossible-position = Żadna partia nie może doprowadzić do tej pozycji ({ $detail }).
notation-not-a-move = To nie jest ruch. Ruchy wyglądają tak: A, Lc4 albo 17Bc4: kawałki od 0 do 32, orientacje od A do H, kolumny od a do i, wiersze od 1 do 9.
notation-illegal-move = Ten ruch jest niedozwolony ({ $detail }).
notation-bad-tag = Tag jest błędny ({ $detail }).
notation-missing-tag = Brakuje tagu ({ $detail }).
notation-unexpected = Tego tu nie powinno być ({ $detail }).
notation-unclosed = Komentarz nie jest zamknięty.
notation-too-deep = Zbyt wiele wariantów jest zagnieżdżonych jeden w drugim.
notation-too-long = Zapis jest za długi.
notation-cut-off = Zapis kończy się bez wyniku; plik może być ucięty.
notation-contradiction = Zapis przeczy sam sobie ({ $detail }).
notation-not-one-record = Nie ma tu dokładnie jednej partii ({ $detail }).
