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
cli-memory = ile megabajtów może zająć przeszukiwanie (domyślnie: 56)
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
      network:PLIK               silnik z siecią z pliku
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

cli-learn = pozwól sieci uczyć się gry, oceń ją i zapisz
cli-learn-examples =
    Wszystko wyjaśnia docs/training.md. Więcej powie „patchwork learn COMMAND --help”.
cli-learn-run = graj z samym sobą i ucz się z tego
cli-learn-run-examples =
    Wszystko, co powstaje, leży w jednym folderze. Ctrl+C zatrzymuje naukę
    w każdej chwili, a --resume później ją kontynuuje.
    przykłady:
      patchwork learn run --config smoke --out runs/smoke
      patchwork learn run --config full --minutes 30 --out runs/first
      patchwork learn run --resume runs/first --minutes 30
      torchrun --nproc-per-node 2 -m patchwork learn run --config full --out runs/two
cli-learn-config = konfiguracja: full, deep, wide, far, smoke lub plik TOML (domyślnie: ta z kontynuowanej nauki, inaczej full)
cli-learn-minutes = ile minut się uczyć (domyślnie: ile przewiduje konfiguracja)
cli-learn-out = folder nauki (domyślnie: ten, który jest kontynuowany)
cli-learn-resume = kontynuuj naukę z tego folderu albo zacznij od wag tej sieci
cli-learn-no-out = potrzebne jest --out, chyba że --resume podaje folder nauki
cli-learn-status = minuta { $minutes }, zostało { $left } %  { $rating }  oceny/s: { $speed }  partie: { $games }  pozycje: { $positions }  błędy: { $losses }
cli-learn-done = Minuty nauki: { $minutes }; wszystko jest w { $folder }
cli-learn-stopped = Zatrzymano i zapisano; minuty nauki: { $minutes }; „patchwork learn run --resume { $folder }” kontynuuje
cli-learn-rate = zmierz, jak silne są sieci z jednej nauki
cli-learn-rate-examples =
    Grają ze sobą oraz z random, greedy i uct1000, na jednej skali, na której
    greedy = 0. Wyniki zostają w folderze; nic nie jest grane dwa razy.
    przykład:
      patchwork learn rate runs/first --nodes 64 --pairs 100 --jobs 2
cli-learn-folder = folder nauki
cli-learn-nodes = ile węzłów sieć może przeszukać na każdy ruch; 1: gra to, o czym pomyśli najpierw (domyślnie: 64)
cli-learn-no-networks = w { $folder } nie ma sieci
cli-learn-export = zapisz sieć jako ONNX, by z nią grać
cli-learn-export-examples =
    Karta obok niej, w JSON, mówi, co wiadomo o sieci.
    przykłady:
      patchwork learn export runs/first/networks/player-025.0.pt --out my.onnx
      patchwork match network:my.onnx@1s level:8@1s
cli-learn-network = plik z siecią, z folderu nauki
cli-learn-onnx = plik do zapisania; obok niego karta z rozszerzeniem .json
cli-learn-exported = { $file } jest zapisany (parametry: { $parameters })
cli-learn-distil = zrób z tego, co wie sieć, tabele, z którymi szuka się szybciej
cli-learn-distil-examples =
    Sieć gra sama ze sobą; tabele i mała sieć uczą się tego, co ona mówi. Leżą
    obok niej, a poziom 8 szuka z nimi. Wystarczy pół godziny na dwóch
    rdzeniach procesora; GPU nie jest potrzebne.
    przykład:
      patchwork learn distil my.onnx
cli-learn-distilled-from = sieć z folderu nauki albo jako ONNX (zob. „learn export”)
cli-learn-games = gry, które rozegra sieć (domyślnie: 24000)
cli-learn-steps = kroki, w których się z nich uczy (domyślnie: 25000)
cli-learn-minutes-at-most = minuty, po których nauka w każdym razie się kończy, wraz z tymi na gry
cli-learn-seed = decyduje o wszystkim, co zależy od przypadku (domyślnie: 0)
cli-learn-teaching = gry: { $games } z { $total }
cli-learn-step = krok { $step } z { $total }, błąd: { $loss }
cli-learn-distilled = { $file } jest zapisany (log loss: { $loss }; sieci: { $other })
cli-learn-unreadable = { $file } nie nadaje się do użycia: { $detail }
cli-learn-size = { $file } nie pasuje do konfiguracji: { $detail }
cli-learn-not-installed = do nauki brakuje czegoś, co jest potrzebne ({ $detail }); w klonie zainstaluje to „pip install '.[learn]'”
cli-bad-minutes = „{ $found }” tu nie pasuje; musi to być liczba minut większa od 0
cli-no-config = nie ma konfiguracji „{ $name }”; możliwe są { $names } albo ścieżka do pliku
cli-config-damaged = { $file } to nie TOML: { $detail }
cli-config-unknown = { $file }: nie ma ustawienia „{ $setting }”; ustawienia to { $settings }
cli-config-whole = { $file }: { $setting } nie może mieć wartości „{ $value }”; dozwolone: liczby całkowite od { $least } do { $most }
cli-config-number = { $file }: { $setting } nie może mieć wartości „{ $value }”; dozwolone: liczby od { $least } do { $most }
cli-config-walks = { $file }: { $setting } nie może mieć wartości „{ $value }”; dozwolona: lista taka jak [[0, 16], [0.5, 32]], z rosnącymi częściami od 0 do 1 i od 1 do { $most } przejść

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
cli-bad-player = „{ $player }” to nie gracz; gracze to random, greedy, uct1000, od level:1 do level:8, playout:8, network:PLIK, upi:POLECENIE i codingame:POLECENIE; level, playout, network i upi mogą mieć limit, na przykład @1s lub @2000n
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
       *[other] przesuń się o { $spaces } pola i otrzymaj { $spaces } guzika
    }
play-places-count =
    { $count ->
        [0] nigdzie nie pasuje
        [one] można umieścić na { $count } sposób
        [few] można umieścić na { $count } sposoby
        [many] można umieścić na { $count } sposobów
       *[other] można umieścić na { $count } sposobu
    }
play-no-such-patch = Nie ma kawałka „{ $found }”; kawałki mają numery od 0 do { $last }.
play-nothing-to-undo = Nie ma czego cofnąć.
play-undone =
    { $count ->
        [one] Cofnięto { $count } ruch.
        [few] Cofnięto { $count } ruchy.
        [many] Cofnięto { $count } ruchów.
       *[other] Cofnięto { $count } ruchu.
    }
play-left = Partia jest zapisana. „{ $command }” ją wznowi.
play-not-saved = Ruch nie został wykonany, bo nie można zapisać pliku { $path }: { $detail }
play-changed-elsewhere = Ruch nie został wykonany, bo plik { $path } został tymczasem zmieniony, być może przez drugie „patchwork play”. Wpisz „quit” i uruchom grę ponownie, aby grać dalej od tego miejsca.

play-advances =
    { $spaces ->
        [one] { $name } przesuwa się o { $spaces } pole i otrzymuje { $spaces } guzik.
        [few] { $name } przesuwa się o { $spaces } pola i otrzymuje { $spaces } guziki.
        [many] { $name } przesuwa się o { $spaces } pól i otrzymuje { $spaces } guzików.
       *[other] { $name } przesuwa się o { $spaces } pola i otrzymuje { $spaces } guzika.
    }
play-buys =
    { $name } kupuje kawałek { $patch } (zapłacone guziki: { $buttons }, przebyte pola: { $spaces }).
play-places = { $name } umieszcza specjalny kawałek na polu { $cell }.
play-income =
    { $buttons ->
        [one] Dochód: { $buttons } guzik.
        [few] Dochód: { $buttons } guziki.
        [many] Dochód: { $buttons } guzików.
       *[other] Dochód: { $buttons } guzika.
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

## The page: the table

page-table-computer = Komputer, poziom { $level }
page-table-you = Ty
page-table-guest = Gość
page-table-player = Gracz { $number }
page-table-turn-you =
    { $why ->
        [leather] Umieść specjalny kawałek
        [on-top] Twój ruch: twój znacznik leży na wierzchu
       *[behind] Twój ruch: twój znacznik jest z tyłu
    }
page-table-turn-other =
    { $whose ->
        [computer] Komputer
       *[other] { $name }
    } { $why ->
        [leather] umieszcza specjalny kawałek
        [on-top] gra teraz: ma znacznik na wierzchu
       *[behind] gra teraz: ma znacznik z tyłu
    }
page-table-called = Twój ruch – Patchwork
page-table-connecting = Łączenie…
page-table-lost = Utracono połączenie. Ponawiam próbę…
page-table-away = nieobecność
page-table-thinks = Komputer myśli…
page-table-thinks-briefly = Komputer myśli, krócej niż zwykle: serwer jest zajęty…
page-table-thinks-later =
    { $tables ->
        [one] Komputer myśli najpierw przy { $tables } innym stole.
        [few] Komputer myśli najpierw przy { $tables } innych stołach.
        [many] Komputer myśli najpierw przy { $tables } innych stołach.
       *[other] Komputer myśli najpierw przy { $tables } innego stołu.
    }
page-table-sending = Twój ruch jest w drodze…
page-table-withdrawn = Tymczasem zdarzyło się coś innego, twój ruch został wycofany.
page-table-refused =
    { $code ->
        [nothing-to-undo] Nie ma czego cofnąć.
        [already-asked] Prośba została już wysłana.
        [too-late-to-abort] Oboje już graliście, partii nie można przerwać.
        [not-gone] Druga osoba wróciła.
        [busy] Komputer jest zajęty. Spróbuj za chwilę.
        [too-many] Za dużo naraz. Spróbuj za chwilę.
       *[other] Teraz to niemożliwe.
    }
page-table-missed =
    { $moves ->
        [one] Pod twoją nieobecność wykonano { $moves } ruch:
        [few] Pod twoją nieobecność wykonano { $moves } ruchy:
        [many] Pod twoją nieobecność wykonano { $moves } ruchów:
       *[other] Pod twoją nieobecność wykonano { $moves } ruchu:
    }
page-table-joined = { $name } siada do stołu.
page-table-asks = { $name } chce cofnąć ostatni ruch.
page-table-asked = Prośba o cofnięcie twojego ostatniego ruchu czeka na odpowiedź.
page-table-accept = Zgoda
page-table-decline = Odmowa
page-table-declined = { $name } nie zgadza się na cofnięcie ruchu.
page-table-taken-back = { $name }: ruch cofnięty.
page-table-wants-rematch = { $name } chce zagrać jeszcze raz.
page-table-swapped =
    { $begins ->
        [you] Strony są zamienione: to jest teraz twój znacznik. Ty zaczynasz.
        [computer] Strony są zamienione: to jest teraz twój znacznik. Zaczyna komputer.
       *[other] Strony są zamienione: to jest teraz twój znacznik. Zaczyna { $name }.
    }
page-table-gone = Druga osoba wyszła z gry.
page-table-claim = Ogłoś zwycięstwo
page-table-did-advance =
    { $spaces ->
        [one] przesunięcie o { $spaces } pole za { $spaces } guzik
        [few] przesunięcie o { $spaces } pola za { $spaces } guziki
        [many] przesunięcie o { $spaces } pól za { $spaces } guzików
       *[other] przesunięcie o { $spaces } pola za { $spaces } guzika
    }
page-table-did-buy = kupiony kawałek { $patch } (guziki: { $buttons }, czas: { $spaces })
page-table-did-leather = specjalny kawałek na { $cell }
page-table-did-income = +{ $buttons } z dochodu
page-table-did-tile = zdobyty żeton specjalny 7×7
page-table-did-take-leather = wzięty specjalny kawałek
page-table-move-advance = przesunięcie
page-table-move-leather = specjalny kawałek na { $cell }
page-table-move-buy = kawałek { $patch } na { $cell }
page-table-buttons =
    { $buttons ->
        [one] { $buttons } guzik
        [few] { $buttons } guziki
        [many] { $buttons } guzików
       *[other] { $buttons } guzika
    }
page-table-income = Dochód { $income }
page-table-has-tile = ma żeton specjalny 7×7
page-table-score = Punkty { $points }
page-table-score-why = Punkty, gdyby partia skończyła się teraz: 1 za każdy guzik, 7 za żeton 7×7, minus 2 za każde puste pole. Zaczyna się od −157.
page-table-empty = Puste pola { $empty }
page-table-income-left = Dochód do końca +{ $buttons }
page-table-days =
    { $days ->
        [one] { $days } dzień
        [few] { $days } dni
        [many] { $days } dni
       *[other] { $days } dnia
    }
page-table-clock-low = { $name }: zostało mniej niż { $seconds } sekund
page-table-time-board = Plansza czasu: { $first } – pole { $at } z 53; { $second } – pole { $and }
page-table-quilt-of = Kołdra: { $name }
page-table-cell-empty = { $cell }, puste
page-table-cell-patch = { $cell }, kawałek { $patch }
page-table-cell-leather = { $cell }, specjalny kawałek
page-table-cell-fits = { $cell }, kawałek tu pasuje
page-table-cell-no-fit = { $cell }, tak kawałek nie pasuje
page-table-cell-tile = { $cell }, kawałek tu pasuje i zdobywa żeton 7×7
page-table-circle = Kawałki do wyboru
page-table-circle-rest = Pozostałe kawałki w okręgu, po kolei
page-table-neutral = Szpulka nici (pionek neutralny)
page-table-patch = Kawałek { $patch }: pola { $cells }, cena { $cost }, czas { $time }, dochód { $income }
page-table-cannot-afford = Za mało guzików
page-table-fits-nowhere = Nigdzie nie pasuje
page-table-choose = Weź jeden z trzech kawałków albo przesuń się.
page-table-advance = Przesuń się
page-table-sew = Przyszyj
page-table-turn = Obróć
page-table-flip = Odwróć
page-table-cancel = Odłóż
page-table-no-fit-this-way = Tak nigdzie nie pasuje. Obróć go albo odwróć.
page-table-no-place-there = W tym kierunku nie ma miejsca.
page-table-place-leather = Specjalny kawałek: wybierz wolne pole.
page-table-lands = pole { $space } (+{ $spaces })
page-table-gets-income = +{ $buttons } z dochodu
page-table-gets-leather = specjalny kawałek
page-table-gets-tile = żeton 7×7
page-table-points = punkty { $before } → { $after }
page-table-then = potem: { $name }
page-table-then-computer = potem komputer
page-table-then-again = znowu twój ruch
page-table-then-leather = potem go umieścisz
page-table-then-over = potem koniec partii
page-table-undo = Cofnij
page-table-hint = Podpowiedź
page-table-hint-is = Podpowiedź: { $move } (szanse na wygraną { $win } %)
page-table-menu = Partia
page-table-moves = Ruchy
page-table-no-moves = Nie ma jeszcze ruchów.
page-table-qr = Link jako kod QR
page-table-link = Link do tego stołu
page-table-copy = Kopiuj link
page-table-copied = Skopiowano
page-table-share = Udostępnij
page-table-abort = Przerwij partię
page-table-resign = Poddaj się
page-table-sure = Na pewno? Naciśnij jeszcze raz.
page-table-home = Strona główna
page-table-notify = Powiadom mnie, gdy przyjdzie moja kolej
page-table-notify-forbidden = Przeglądarka nie pozwala tej stronie na powiadomienia.
page-table-words = Stół opisany słowami
page-table-words-tile-free = Nikt nie ma jeszcze żetonu 7×7.
page-table-words-place = Na polu { $space } z 53 planszy czasu
page-table-words-income-next = Następny dochód przed polem { $space }
page-table-words-leather-next = Następny specjalny kawałek przed polem { $space }
page-table-words-shape = Szerokość { $width }, wysokość { $height }; wypełnione kolumny: { $rows }
page-table-words-row = rząd { $row }: { $content }
page-table-words-takeable = Można wziąć
page-table-words-latest = Ostatnie ruchy
page-table-keys = Klawisze
page-table-key-choose = weź pierwszy, drugi albo trzeci kawałek
page-table-key-arrows = przesuń kawałek
page-table-key-turn = obróć
page-table-key-flip = odwróć
page-table-key-enter = wykonaj ruch
page-table-key-escape = odłóż kawałek
page-table-key-advance = przesuń się po planszy czasu
page-table-key-undo = cofnij ostatni ruch
page-table-key-hint = poproś o podpowiedź
page-table-key-words = stół opisany słowami
page-table-key-help = ta lista
page-table-waiting = Czekamy na drugą osobę…
page-table-invite = Wyślij ten link komuś, z kim chcesz zagrać. Partia zacznie się, gdy ta osoba usiądzie do stołu.
page-table-only-here = Ten link otworzy tylko ten komputer. Aby grać z innymi, uruchom „patchwork serve --host 0.0.0.0” i otwórz stronę pod adresem sieciowym tego komputera.
page-table-invited = { $name } zaprasza cię do gry.
page-table-your-name = Twoje imię (opcjonalnie)
page-table-join = Usiądź i graj
page-table-seat-taken = Miejsce jest już zajęte. Możesz oglądać.
page-table-needle = Kto ostatnio używał igły? Ta osoba zaczyna.
page-table-soon = Partia zaraz się zacznie.
page-table-wins =
    { $whose ->
        [you] Wygrywasz!
        [computer] Komputer wygrywa!
       *[other] { $name } wygrywa!
    }
page-table-ended =
    { $reason ->
        [resigned] Partię poddano.
        [time] Czas się skończył.
        [left] Ktoś wyszedł z gry.
        [aborted] Partię przerwano.
       *[other] Partia jest skończona.
    }
page-table-tie-break =
    { $whose ->
        [you] Wyniki są równe; wcześniej na ostatnim polu jesteś ty.
        [computer] Wyniki są równe; znacznik komputera dotarł na ostatnie pole wcześniej.
       *[other] Wyniki są równe; wcześniej na ostatnim polu jest { $name }.
    }
page-table-step-buttons = Guziki
page-table-step-tile = Żeton 7×7
page-table-step-empty = Puste pola
page-table-step-total = Razem
page-table-why-buttons = 1 punkt za każdy
page-table-why-tile = 7 punktów za pierwszy pełny kwadrat 7×7 pól
page-table-why-empty = minus 2 punkty za każde
page-table-skip = Pokaż wszystko naraz
page-table-next-game = Do następnej partii
page-table-rematch = Zagraj jeszcze raz
page-table-rematch-same = Jeszcze raz z tymi samymi kawałkami
page-table-rematch-asked = Czekamy na drugą osobę…
page-table-rematch-accept = Przyjmij: zagraj jeszcze raz
page-table-replay = Obejrzyj jeszcze raz
page-table-record = Pobierz zapis
page-table-picture = Obraz kołder ({ $format })
page-table-look = Zobacz stół
page-table-to-scores = Do punktacji
page-table-watching = Oglądasz.
page-table-waits-for = Teraz gra { $name }…

## The page: home and settings

page-home = Patchwork, do strony początkowej
page-learn = Naucz się grać
page-rules = Zasady
page-preferences = Ustawienia
page-language = Język
page-theme = Kolory
page-theme-system = Jak w urządzeniu
page-theme-light = Jasne
page-theme-dark = Ciemne
page-tokens = Kolory znaczników
page-tokens-edition = Jak w wydaniu
page-tokens-classic = Limonkowy i żółty
page-tokens-revised = Niebieski i czerwony
page-look = Strona planszy czasu
page-look-rug = Pleciony dywanik
page-look-blocks = Zszyte kwadraty
page-confirm = Potwierdzaj każdy ruch
page-confirm-why = Bez tego ruch jest wykonywany zaraz po wybraniu miejsca.
page-motion = Animacje
page-motion-calm = Urządzenie prosi, by ich nie było.
page-sound = Dźwięki
page-close = Gotowe
page-fan = Nieoficjalny projekt fanowski. Patchwork to gra Uwe Rosenberga wydana przez Lookout Games; nie są oni związani z tą stroną. Jeśli gra ci się podoba, kup prawdziwą.
page-licence = Wolne oprogramowanie na licencji MIT.
page-api = Dla programistów

page-tagline = Za guziki kupujesz kawałki materiału, z kawałków szyjesz kołdrę. Gra dla dwojga na kwadrans.
page-play-now = Zagraj teraz
page-opening = Przygotowuję stół…
page-level = Jak silny jest komputer?
page-level-1 = Łagodny
page-level-2 = Łatwy
page-level-3 = Spokojny
page-level-4 = Solidny
page-level-5 = Wprawny
page-level-6 = Silny
page-level-7 = Bardzo silny
page-level-8 = Najsilniejszy
page-level-lowest = Zacznij tutaj, jeśli to twój pierwszy raz. Nieco słabszy od gracza, który kupuje według prostej reguły.
page-level-strength = Wygrywa około { $percent } na 100 partii z poziomem { $below }.
page-level-thinks = Myśli sekundę; pozostałe odpowiadają od razu.
page-level-honest = Zmierzone w partiach między poziomami, nie z ludźmi. Żaden nie gra źle celowo: niższe widzą mniej daleko.
page-options = Więcej opcji
page-first = Kto zaczyna?
page-first-me = Ja
page-first-computer = Komputer
page-first-friend = Druga osoba
page-first-one = Gracz 1
page-first-two = Gracz 2
page-first-random = Decyduje los
page-first-needle = Kto ostatnio posługiwał się igłą
page-edition = Plansza czasu
page-edition-classic = Plansza z 2014 roku
page-edition-revised = Późniejsze wydania i aplikacje
page-edition-why = Różnią się tylko miejsca specjalnych kawałków.
page-clock = Zegar
page-clock-none = Brak
page-clock-minutes =
    { $minutes ->
        [one] Po { $minutes } minucie, + { $increment } s na decyzję
        [few] Po { $minutes } minuty, + { $increment } s na decyzję
        [many] Po { $minutes } minut, + { $increment } s na decyzję
       *[other] Po { $minutes } minuty, + { $increment } s na decyzję
    }
page-clock-days =
    { $days ->
        [one] { $days } dzień na decyzję
        [few] { $days } dni na decyzję
        [many] { $days } dni na decyzję
       *[other] { $days } dnia na decyzję
    }
page-name = Twoje imię (opcjonalnie)
page-name-one = Imię gracza 1 (opcjonalnie)
page-name-two = Imię gracza 2 (opcjonalnie)

page-ways = Inne sposoby gry
page-screen = Dwie osoby przy jednym ekranie
page-screen-why = Obok siebie albo podając sobie urządzenie.
page-screen-begin = Zacznij
page-friend = Zaproś kogoś
page-friend-why = Dostaniesz link do wysłania. Kto pierwszy go otworzy, gra z tobą; nikt nie potrzebuje konta.
page-friend-begin = Utwórz link
page-watch = Oglądaj partię
page-watch-why = Kto zna link do partii, może ją oglądać.
page-watch-label = Link do partii
page-watch-begin = Oglądaj
page-carry = Graj dalej na innym urządzeniu
page-carry-why = Twoje partie należą do tej przeglądarki. Dzięki prywatnemu linkowi dokończysz je na innym urządzeniu.
page-carry-begin = Utwórz prywatny link
page-carry-link = Prywatny link
page-carry-picture = Kod QR prywatnego linku
page-carry-expires = Działa do { $time }. Nie pokazuj go nikomu innemu: kto go otworzy, gra jako ty.
page-carry-here = Grać dalej tutaj?
page-carry-here-why = Ta przeglądarka będzie wtedy grać jako gracz, który utworzył link.
page-carry-here-begin = Dalej tutaj
page-carry-too-old = Ten link jest za stary albo niepełny. Utwórz nowy na drugim urządzeniu.
page-copy = Kopiuj
page-copied = Skopiowano

page-continue = Graj dalej
page-finished = Skończone partie
page-no-games = Tu pojawią się twoje partie.
page-loading = Wczytywanie…
page-more-games = Pokaż więcej partii
page-against = Przeciwnik: { $name }
page-computer-level = komputer, poziom { $level }
page-nameless-friend = druga osoba
page-both = { $one } i { $two }
page-player-one = Gracz 1
page-player-two = Gracz 2
page-your-turn = Twoja kolej
page-turn-of = Teraz gra: { $name }
page-not-begun = Jeszcze nie rozpoczęta
page-won = Wygrana
page-lost = Przegrana
page-won-by = Wygrywa { $name }
page-no-winner = Przerwana
page-by-resigning = przez poddanie
page-by-time = na czas
page-by-leaving = bo ktoś odszedł

page-nowhere = Tu nic nie ma
page-nowhere-why = Pod tym adresem nie ma żadnej strony. Czy link jest kompletny?
page-trouble-offline = Nie można połączyć się z serwerem. Sprawdź połączenie i spróbuj ponownie.
page-trouble-too-many = To było dużo naraz. Odczekaj minutę i spróbuj ponownie.
page-trouble-unavailable = Serwer jest teraz zbyt zajęty. Spróbuj ponownie za chwilę.
page-trouble-no-such-table = Pod tym linkiem nie ma partii. Czy link jest pełny?
page-trouble-reserved-name = To imię wygląda jak nazwa komputera. Wybierz inne.
page-trouble-other = Nie udało się. Wczytaj stronę ponownie.

## The page: privacy

page-privacy = Prywatność
page-privacy-intro = Co serwer i twoja przeglądarka o tobie przechowują, jak długo i co możesz z tym zrobić.
page-privacy-server = Co przechowuje serwer
page-privacy-server-games = Twoje partie: ruchy, czas ich wykonania i imiona podane przez graczy. Każdy, kto zna link do partii, może ją obejrzeć.
page-privacy-server-player = Losowy kod, który cię oznacza, żeby twoje partie pozostały twoje. Nie ma kont, więc serwer nie zna ani adresu e-mail, ani hasła.
page-privacy-server-address = Twój adres sieciowy służy tylko do ochrony serwera przed przeciążeniem. Nie jest zapisywany razem z partiami. Adres, który z tego powodu został odrzucony, może znaleźć się w dzienniku serwera.
page-privacy-time = Jak długo
page-privacy-time-unfinished = Niedokończone partie: { $time }
page-privacy-time-finished = Zakończone partie: { $time }
page-privacy-time-unlimited = bez ograniczeń
page-privacy-time-since = Czas liczy się od ostatniego zdarzenia w partii.
page-privacy-time-backups = To, co usunięto, może pozostać w kopiach zapasowych operatora, dopóki nie zostaną zastąpione.
page-privacy-browser = Co przechowuje twoja przeglądarka
page-privacy-browser-cookie = Plik cookie, po którym serwer cię rozpoznaje. Wygasa 400 dni po twojej ostatniej wizycie.
page-privacy-browser-settings = Twoje ustawienia, ostatnio wpisane imiona, które ruchy z 30 ostatnich partii już znasz i jak daleko jesteś w lekcji.
page-privacy-others = Czego nie dostaje nikt
page-privacy-others-text = Nie ma tu reklam ani śledzenia i nic nie jest pobierane z innych serwerów.
page-privacy-yours = Twoje dane
page-privacy-data = Pobierz swoje dane
page-privacy-data-why = Wszystko, co serwer o tobie przechowuje: twoje imiona i partie, ruch po ruchu, w pliku, który mogą odczytać programy.
page-privacy-data-begin = Pobierz moje dane
page-privacy-data-done = Twoje dane zostały pobrane.
page-privacy-revoke = Odłącz inne urządzenia
page-privacy-revoke-why = Na wypadek, gdyby ktoś inny mógł grać jako ty: tylko ta przeglądarka pozostanie tobą. Twoje inne urządzenia, boty i prywatne linki od razu przestaną działać.
page-privacy-revoke-begin = Odłącz wszystkie inne
page-privacy-revoke-done = Gotowe. Teraz tylko ta przeglądarka może grać jako ty.
page-privacy-delete = Usuń swoje dane
page-privacy-delete-why = Twoje imiona znikną i żadna partia nie będzie już prowadzić do ciebie. Niedokończone partie zostaną poddane. Przeciwnicy zachowają swoje partie z graczem bez imienia.
page-privacy-delete-begin = Usuń moje dane…
page-privacy-delete-sure = Usunąć wszystko? Tego nie da się cofnąć.
page-privacy-delete-yes = Tak, usuń
page-privacy-delete-no = Nie, zachowaj
page-privacy-delete-done = Gotowe. Serwer już cię nie zna.
page-privacy-nobody = Serwer nie zna tej przeglądarki, więc nie ma nic do zrobienia.
page-privacy-name = Co się dzieje z twoim imieniem

## The page: the rules

page-rules-contents = Spis treści
page-rules-intro = Oto cała gra. Można się jej nauczyć w pięć minut.
page-rules-aim = Cel gry
page-rules-aim-text = Dwoje graczy szyje po kołdrze. Kawałki materiału kosztują guziki i czas. Na koniec guziki są punktami, a każde puste pole kołdry odbiera dwa.
page-rules-table = Co leży na stole
page-rules-table-quilt = Każdy gracz ma planszę kołdry z 9 × 9 polami, znacznik czasu i 5 guzików.
page-rules-table-circle = 33 kawałki materiału leżą w losowej kolejności w okręgu wokół planszy czasu. Pionek neutralny, tutaj szpulka nici, stoi za najmniejszym z nich (1 × 2), zgodnie z ruchem wskazówek zegara.
page-rules-table-patch = Metka kawałka mówi, ile kosztuje guzików i ile czasu. Guziki naszyte na kawałku to jego dochód.
page-rules-patch-drawing = Kawałek materiału, liczba pól { $size }: guziki { $cost }, czas { $time }, dochód { $income }
page-rules-turn = Czyja jest tura
page-rules-turn-text = Turę ma ten, czyj znacznik czasu jest dalej z tyłu, czasem kilka razy z rzędu. Gdy oba są na jednym polu, zaczyna znacznik na wierzchu, czyli ten, który przybył później. Na początku jest to znacznik osoby, która ostatnio posługiwała się igłą.
page-rules-turn-choice = W swojej turze robisz jedną z dwóch rzeczy: przesuwasz się do przodu albo bierzesz kawałek materiału.
page-rules-advance = Przesuń się do przodu
page-rules-advance-text = Przesuń swój znacznik czasu na pole tuż przed drugim znacznikiem. Za każde przebyte pole otrzymujesz 1 guzik. Możesz to zrobić zawsze.
page-rules-advance-drawing = Znacznik wyprzedza drugi, przebywa 4 pola i przynosi 4 guziki
page-rules-take = Weź kawałek materiału
page-rules-take-choose = Wybierz jeden z trzech następnych kawałków, zgodnie z ruchem wskazówek zegara od pionka neutralnego.
page-rules-take-neutral = Postaw pionek neutralny na jego miejscu.
page-rules-take-pay = Zapłać jego cenę w guzikach.
page-rules-take-sew = Przyszyj go do swojej kołdry, dowolnie obrócony i odwrócony. Nie może zachodzić na inne ani wystawać, ale nie musi niczego dotykać. Tam już zostaje.
page-rules-take-time = Przesuń swój znacznik czasu o jego cenę w czasie. Jeśli stanie na polu drugiego, leży na wierzchu.
page-rules-take-not = Kawałka, na który cię nie stać lub który nigdzie nie pasuje, nie można wziąć.
page-rules-take-drawing = Pionek neutralny i trzy kawałki materiału przed nim
page-rules-lines = Mijanie symboli
page-rules-lines-text = Jakkolwiek przesunął się znacznik, sprawdź po kolei, jakie symbole minął:
page-rules-lines-income = Guzik: otrzymujesz dochód całej kołdry, łącznie z kawałkiem właśnie przyszytym.
page-rules-lines-leather = Specjalny kawałek: weź go i od razu przyszyj na dowolnym wolnym polu. Dostaje go tylko ten, kto minie go pierwszy.
page-rules-lines-where = Dochód jest przed polami 5, 11, 17, 23, 29, 35, 41, 47 i 53. Specjalne kawałki leżą na planszy z 2014 roku przed polami 20, 26, 32, 44 i 50, w późniejszych wydaniach i aplikacjach przed polami 26, 32, 38, 44 i 50.
page-rules-board-drawing = Plansza czasu, spirala z 54 pól
page-rules-tile = Żeton specjalny
page-rules-tile-text = Kto pierwszy wypełni na swojej kołdrze kwadrat 7 × 7 pól, otrzymuje żeton specjalny. Jest wart 7 punktów.
page-rules-tile-drawing = Kołdra z wypełnionym kwadratem 7 × 7
page-rules-end = Koniec gry
page-rules-end-text = Pole 53 pośrodku jest ostatnie. Żaden znacznik nie idzie dalej; kto przesuwa się do przodu, dostaje guziki za faktycznie przebyte pola. Gdy oba znaczniki tam są, partia się kończy.
page-rules-score = Wynik
page-rules-score-text = Twoje guziki, plus 7 za żeton specjalny, minus 2 za każde puste pole. Wygrywa wyższy wynik. Przy remisie wygrywa ten, kto szybciej dotarł na ostatnie pole.
page-rules-score-example = Przykład: 14 guzików, żeton specjalny i 5 pustych pól to 14 + 7 − 10 = 11. Z 18 guzikami i 2 pustymi polami, 18 − 4 = 14, wygrywa druga osoba.
page-rules-tips = Warto wiedzieć
page-rules-tips-income = Dochód opłaca się najbardziej na początku: liczy się przy każdym guziku, który masz jeszcze przed sobą.
page-rules-tips-turn = Dzięki kawałkowi, który kosztuje mało czasu, być może zostaniesz z tyłu i zagrasz znowu.
page-rules-tips-gaps = Pojedyncze dziury wypełniają tylko specjalne kawałki. Dbaj o równe brzegi.
page-rules-play = Gramy

## The page: the lesson

page-learn-new = Pierwszy raz? Naucz się, grając, w pięć minut.
page-learn-by-playing = Albo naucz się jej, grając.
page-learn-opponent = Przeciwnik
page-learn-step = { $number } z { $of }
page-learn-next = Dalej
page-learn-back = Wstecz
page-learn-skip = Pomiń
page-learn-restart = Od początku
page-learn-leave = Wyjdź
page-learn-help = Pokaż mi
page-learn-retry = Spróbuj ponownie
page-learn-play = Zagraj teraz z poziomem 1
page-learn-rules = Przeczytaj zasady
page-learn-welcome = Twoja pierwsza partia
page-learn-welcome-text = Ty i przeciwnik szyjecie po kołdrze. Kawałki materiału kosztują guziki i czas. Na koniec każdy guzik to 1 punkt, a puste pole −2, dlatego zaczynasz od −157. Spróbujmy wszystkiego w pięć minut.
page-learn-advance = Przesuń się do przodu
page-learn-advance-text = Przeciwnik rusza do przodu na planszy czasu. Turę ma ten, kto jest z tyłu: ty. Naciśnij „Przesuń się” i jeszcze raz, by potwierdzić. Przeskoczysz tuż przed drugi znacznik, a każde pole da ci guzik.
page-learn-advance-done = Siedem pól, siedem guzików. Przesunąć się możesz zawsze. Teraz jesteś z przodu, więc kolej na przeciwnika.
page-learn-circle = Rząd kawałków
page-learn-circle-text = Do wyboru są tylko trzy kawałki tuż za szpulką nici. Gdy ktoś weźmie jeden z nich, szpulka staje na jego miejscu; pominięte kawałki trafiają na koniec rzędu i wrócą później.
page-learn-buy = Weź kawałek materiału
page-learn-buy-text = Wybierz jeden z trzech kawałków. Na metce jest cena w guzikach i w czasie. Obróć go, odwróć i połóż na kołdrze: podświetlone pola pokazują, gdzie pasuje. Potem go przyszyj.
page-learn-buy-wrong = Można się też przesunąć. Ale teraz spraw sobie kawałek: wybierz jeden z trzech.
page-learn-chain = Znowu twoja kolej
page-learn-chain-text = Guziki zapłacone, a twój znacznik przesunął się o czas z metki. Wciąż jest z tyłu! Kto jest z tyłu, ten gra, nawet kilka razy z rzędu. A więc: jeszcze jeden kawałek czy do przodu?
page-learn-chain-done = Dwie tury z rzędu! Dzięki kawałkom, które kosztują mało czasu, grasz częściej.
page-learn-income = Dochód
page-learn-income-text = Odtąd każdy krok to chwila z innej partii. Guziki naszyte na twoich kawałkach to twój dochód. Przekrocz najbliższą linię z guzikiem, biorąc kawałek lub przesuwając się, a cała kołdra zapłaci.
page-learn-income-done = Cała kołdra wypłaciła dochód. Takich linii jest dziewięć, więc wczesny dochód jest wart najwięcej.
page-learn-leather = Specjalny kawałek
page-learn-leather-text = Oba znaczniki są na jednym polu; zaczyna ten na wierzchu, twój. Na następnej linii leży specjalny kawałek. Dostaje go ten, kto pierwszy ją przekroczy. Przekrocz ją dowolnym ruchem.
page-learn-sew = Przyszyj go
page-learn-sew-text = Specjalny kawałek jest twój i nic nie kosztuje. Zakrywa jedno pole, w sam raz na lukę, do której nic innego nie pasuje. Połóż go na dowolnym wolnym polu.
page-learn-sew-done = Pięknie zszyte! Na początku na planszy czasu leży pięć specjalnych kawałków, każdy dla tego, kto dotrze pierwszy.
page-learn-tile = Siedem na siedem
page-learn-tile-text = Kto pierwszy wypełni kwadrat 7 × 7 pól, zdobywa żeton specjalny wart 7 punktów. Twojemu kwadratowi w lewym górnym rogu brakuje jednego kawałka: trzeciego. Obróć go i wypełnij lukę.
page-learn-tile-done = Żeton specjalny jest twój: 7 punktów na koniec.
page-learn-tile-wrong = Tak kwadrat zostałby niepełny. Weź trzeci kawałek, obróć go i wypełnij lukę w kwadracie w lewym górnym rogu.
page-learn-end = Ostatni ruch
page-learn-end-text = Przeciwnik jest na ostatnim polu, pośrodku planszy czasu. Gdy i ty tam dotrzesz, partia się skończy. Wynik jest bliski, a każde puste pole odbiera 2 punkty: wybierz dobrze!
page-learn-score = Znasz już grę
page-learn-score-text = Guziki, plus 7 za żeton specjalny, minus 2 za każde puste pole: wygrywa wyższy wynik. To wszystko. Dobrej zabawy!
page-learn-lost = O włos! Cofnij się i w ostatnim ruchu weź kawałek materiału.

## The page: replays

page-replay = Odtwarzanie
page-replay-broken = Tego zapisu nie da się odczytać: { $detail }
page-replay-no-record = To nie jest zapis partii Patchworku.
page-replay-file = Zapis z pliku
page-replay-choose = Wybierz plik…
page-replay-text = Albo jego tekst
page-replay-open = Odtwórz
page-replay-start = Początek
page-replay-first = Na początek
page-replay-back = Ruch wstecz
page-replay-play = Odtwarzaj
page-replay-pause = Zatrzymaj
page-replay-forward = Ruch do przodu
page-replay-last = Na koniec
page-replay-swap = Zamień strony
page-replay-move = Ruch { $number } z { $of }
page-replay-figures = Guziki { $buttons } · dochód { $income } · punkty { $points }
page-replay-board = Plansza czasu: znaczniki na polach { $first } i { $second }
page-replay-to-game = Wróć do partii
page-replay-record = Odtwórz zapis partii
