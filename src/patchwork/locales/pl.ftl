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
#   neutral token = pionek neutralny       tag with the price = metka
#   mark on the time board = symbol        row (of a grid) = wiersz
#   turn (a patch) = obrócić               flip = odbić
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
#   cancel (a game) = anulować             loss (in training) = strata
#
# No-break spaces (U+00A0) stand after words of one letter, before dashes, and between a number and
# what it counts. Polish has no space before %.

## The command line

cli-usage = użycie:
cli-commands = polecenia
cli-arguments = argumenty
cli-options = opcje
cli-help = pokaż tę pomoc i zakończ
cli-lang = język komunikatów; domyślnie język systemu
cli-version = pokaż wersję i zakończ
cli-see-help = Spróbuj „{ $prog } --help”.
cli-no-such-command = nie ma polecenia „{ $command }”; polecenia to { $commands }
cli-similar-command = nie ma polecenia „{ $command }”; czy chodziło o „{ $similar }”?
cli-not-together = { $first } i { $second } nie można użyć razem
cli-needs = { $option } działa tylko razem z { $other }
cli-needs-record = { $option } działa tylko z zapisaną partią, a to jest pojedyncza pozycja

cli-description = Patchwork, gra planszowa Uwe Rosenberga dla dwojga. Nieoficjalny projekt fanowski.
cli-description-examples =
    przykłady:
      patchwork                          zagraj w przeglądarce, z komputerem lub ze znajomymi
      patchwork play                     zagraj z komputerem w terminalu
      patchwork play --opponent human    dwie osoby przy jednej klawiaturze
      patchwork replay game.patchwork    obejrzyj partię jeszcze raz

cli-play = zagraj całą partię w terminalu
cli-play-examples =
    Niedokończona partia jest wznawiana automatycznie. Nową zaczyna --new, a także
    każda opcja opisująca partię: --opponent, --seat, --names, --seed, --edition,
    --first. Niedokończona partia pozostaje zapisana; wznawia ją --file.
    przykłady:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = twój przeciwnik: greedy (prosty program), liczba od 1 (łagodny) do 8 (silnik na tym poziomie) lub human, czyli drugi człowiek (domyślnie: greedy)
cli-seat = twoje miejsce w grze z programem (domyślnie: 0)
cli-names = imiona graczy na miejscach 0 i 1
cli-seed = liczba, która ustala kolejność kawałków; jeśli jej nie podasz, zostanie wylosowana
cli-edition = gdzie leżą specjalne kawałki: classic (2014) lub revised (domyślnie: classic)
cli-first = miejsce gracza, który zaczyna (domyślnie: 0)
cli-play-new = zacznij nową partię, nawet jeśli inna jest niedokończona
cli-file = zapisuj partię w tym pliku; jeśli już istnieje, wznów ją
cli-compact = rysuj mały stół, do wąskiego terminala

cli-show = narysuj pozycję albo koniec zapisanej partii
cli-show-examples =
    przykłady:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = plik z zapisem lub pozycją, tekst pozycji albo - jako standardowe wejście
cli-game = która partia w pliku, licząc od 1 (domyślnie: 1)
cli-move = narysuj pozycję po N ruchach
cli-svg = wypisz obraz (SVG) zamiast tekstu
cli-dark = z --svg: ciemne kolory
cli-json = wypisz JSON zamiast tekstu

cli-replay = prześledź zapisaną partię ruch po ruchu
cli-replay-examples =
    Wypisuje ruchy jeden po drugim: skutki ruchu, komentarze do niego i stół po
    ruchu. W terminalu po każdym czeka na Enter.
    przykłady:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = plik z zapisami partii albo - jako standardowe wejście

cli-check = sprawdź, czy zapisy partii są zgodne z zasadami
cli-check-examples =
    Kończy z kodem 1, jeśli któryś plik zawiera błąd, i podaje, gdzie i jaki.
    przykłady:
      patchwork check *.patchwork

cli-new = wypisz zapis nowej partii bez ruchów
cli-new-examples =
    przykłady:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = policz dozwolone ciągi ruchów, żeby porównać implementacje zasad
cli-perft-examples =
    Wypisuje liczbę ciągów dla każdego pierwszego ruchu, a potem sumę. Bez pozycji
    liczy od początku nowej partii z ziarnem 0, chyba że --seed podaje inne.
    przykłady:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = długość ciągów, co najmniej 1
cli-perft-seed = liczba, która ustala kolejność kawałków (domyślnie: 0)
cli-position = tekst pozycji (domyślnie: nowa partia)

cli-serve = uruchom serwer: gra w przeglądarce, także ze znajomymi przez link
cli-serve-examples =
    Bez opcji działa tylko na tym komputerze i otwiera jego przeglądarkę. Partie są
    przechowywane w bazie danych i po ponownym uruchomieniu toczą się dalej.
    Wszystko można też ustawić zmiennymi środowiskowymi, na przykład PATCHWORK_PORT;
    wymienia je docs/operations.md.
    przykłady:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = adres, na którym serwer nasłuchuje (domyślnie: 127.0.0.1, dostępny tylko z tego komputera)
cli-port = port, na którym serwer nasłuchuje; 0 oznacza dowolny wolny (domyślnie: 8327)
cli-database = plik SQLite lub adres postgresql:// z partiami (domyślnie: server.db w katalogu danych użytkownika)
cli-public-url = adres, pod którym serwer jest dostępny dla graczy (do linków)
cli-origins = dodatkowe źródła (origins), których strony mogą tu grać, oddzielone przecinkami
cli-proxies = adresy zaufanych serwerów proxy, oddzielone przecinkami
cli-workers = ile procesów oblicza ruchy komputera (domyślnie: o jeden mniej niż rdzeni procesora)
cli-log-format = format wpisów w dzienniku (domyślnie: text)
cli-log-level = najniższy poziom wpisów w dzienniku (domyślnie: info)
cli-no-browser = nie otwieraj przeglądarki
cli-serving = Patchwork działa pod adresem { $url } (zatrzymuje go Ctrl+C)
cli-open-host = serwer nasłuchuje na { $host }, więc jest dostępny dla innych, a przesyłane dane nie są szyfrowane; w internecie potrzebne jest przed nim proxy z TLS (docs/operations.md)
cli-port-in-use = port { $port } na { $host } jest zajęty, być może przez inny Patchwork; inny można wybrać poleceniem „patchwork serve --port N” (0 oznacza dowolny wolny)
cli-cannot-listen = nie można nasłuchiwać na { $host }, port { $port }: { $detail }
cli-no-database = nie można użyć bazy danych: { $detail }
cli-newer-database = te partie zapisała inna, prawdopodobnie nowsza, wersja programu ({ $detail })
cli-no-postgres = nie zainstalowano wszystkiego, czego wymaga PostgreSQL; w klonie repozytorium uruchom „pip install '.[postgres]'”

cli-backup = skopiuj partie serwera do pliku, nawet gdy serwer działa
cli-backup-examples =
    Kopia jest pełna i sprawdzona. Zawiera też klucz, którym podpisywane są
    tożsamości graczy, więc wymaga takiej ochrony jak baza danych. Tylko dla SQLite;
    PostgreSQL ma pg_dump.
    przykłady:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = plik na kopię
cli-force = nadpisz plik, jeśli już istnieje
cli-backup-done = Partie skopiowano do pliku { $file }

cli-restore = zastąp partie serwera kopią zapasową
cli-restore-examples =
    Dotychczasowe partie pozostają obok, w pliku z datą i godziną w nazwie.
    przykład:
      patchwork restore games-2026-11-15.db
cli-restore-file = plik z kopią
cli-restore-done = Partie z kopii { $file } zostały przywrócone
cli-restore-kept = Poprzednie partie są w pliku { $file }

cli-export = wypisz wszystkie partie serwera jako zapisy
cli-export-examples =
    przykłady:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = plik na zapisy albo - jako standardowe wyjście (domyślnie: -)
cli-exported =
    { $games ->
        [one] zapisano { $games } partię w pliku { $file }
        [few] zapisano { $games } partie w pliku { $file }
        [many] zapisano { $games } partii w pliku { $file }
       *[other] zapisano { $games } partii w pliku { $file }
    }
cli-export-skipped = nie można zapisać partii { $game }: { $detail }
cli-no-such-file = nie ma pliku { $file }
cli-copy-exists = plik { $file } już istnieje i bez --force nie zostanie nadpisany
cli-copy-not-sqlite = to działa tylko z SQLite; do PostgreSQL służą pg_dump i pg_restore
cli-copy-same-file = kopia i baza danych to ten sam plik
cli-copy-unsound = to nie jest poprawna kopia partii serwera ({ $detail })
cli-copy-failed = nie udało się skopiować partii: { $detail }

cli-bad-setting = { $setting } nie może mieć wartości „{ $value }”; dozwolone: { $allowed }
cli-allowed-host = adres lub nazwa komputera, bez portu
cli-allowed-port = liczba całkowita od 0 do 65535
cli-allowed-database = ścieżka pliku, sqlite:///ŚCIEŻKA lub postgresql://UŻYTKOWNIK:HASŁO@SERWER/NAZWA
cli-allowed-origins = źródła takie jak https://example.org, oddzielone przecinkami
cli-allowed-proxies = adresy IP lub sieci takie jak 10.0.0.0/8, oddzielone przecinkami
cli-allowed-public-url = adres taki jak https://example.org, bez ścieżki
cli-allowed-switch = auto, true lub false
cli-allowed-workers = liczba całkowita od 1 do 256
cli-allowed-secret = co najmniej 32 znaki
cli-allowed-log-format = text lub json
cli-allowed-log-level = debug, info, warning lub error
cli-allowed-frame = liczba całkowita od 256 do 1048576
cli-allowed-count = liczba całkowita, co najmniej 0
cli-allowed-positive = liczba całkowita, co najmniej 1
cli-allowed-seconds = liczba sekund większa od 0

cli-upi = uruchom silnik dla innego programu, zgodnie z protokołem UPI
cli-upi-examples =
    Czyta polecenia ze standardowego wejścia, a odpowiedzi wypisuje na standardowe
    wyjście. Protokół opisuje docs/upi.md.
    przykład:
      patchwork match greedy upi:"patchwork upi"@2000n
cli-analyse = analizuj pozycje wsadowo, po jednym obiekcie JSON w wierszu
cli-analyse-examples =
    Czyta zapytania ze standardowego wejścia i dla każdej pozycji wypisuje jeden
    wiersz odpowiedzi. Pola opisuje docs/upi.md.
    przykład:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = ile rdzeni procesora użyć (domyślnie: 1)
cli-memory = ile megabajtów może zająć przeszukiwanie (domyślnie: 56)
cli-preparing = Silnik się przygotowuje; za pierwszym razem trwa to pół minuty…
cli-match = rozegraj partie między dwoma programami i sprawdź, który jest silniejszy
cli-match-examples =
    Partie rozgrywane są parami: dwa razy ten sam okrąg kawałków, z zamienionymi
    miejscami. Mecz z opcją --log po powtórzeniu tego samego polecenia toczy się
    dalej od miejsca, w którym stanął. Gracz, który ulegnie awarii, nie odpowie lub
    złamie zasady, przegrywa partię.
    gracze:
      random, greedy, uct1000    niezmienne programy do porównań z innymi
      level:1 ... level:8        silnik na danym poziomie
      playout:8                  silnik bez sieci; nigdy się nie zmienia
      network:PLIK               silnik z siecią z pliku
      upi:"POLECENIE"            program, który obsługuje UPI
      codingame:"POLECENIE"      bot napisany dla CodinGame
      level:8@0.5s, level:8@2000n, upi:"POLECENIE"@1s
                                 z limitem na ruch: sekundy lub węzły
    przykłady:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = gracz, na przykład greedy lub level:8
cli-pairs = ile par partii rozegrać z każdym przeciwnikiem (domyślnie: 100)
cli-jobs = ile partii rozgrywać jednocześnie (domyślnie: 1)
cli-match-seed = liczba, która ustala wszystko, co losowe (domyślnie: 0)
cli-match-edition = gdzie leżą specjalne kawałki; bez tej opcji oba wydania na przemian
cli-timeout = o ile sekund gracz może przekroczyć swój limit, zanim przegra (domyślnie: 60)
cli-log = zapisuj każdą partię w tym pliku; jeśli już istnieje, wznów mecz
cli-records = wpisz zapisy partii do tego pliku
cli-sprt = zakończ, gdy będzie jasne, czy A jest lepszy od B raczej o HIGH, czy o LOW punktów Elo

cli-ladder = oceń kilka programów w jednej skali
cli-ladder-examples =
    Listę graczy wypisuje „patchwork match --help”.
    przykłady:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = grają ze sobą tylko gracze odlegli na liście o najwyżej K miejsc
cli-anchor = gracz, którego siła wynosi 0 (domyślnie: pierwszy)

cli-learn = naucz sieć grać, oceń ją i zapisz
cli-learn-examples =
    Wszystko wyjaśnia docs/training.md. Szczegóły poda
    „patchwork learn POLECENIE --help”.
cli-learn-run = ucz sieć na partiach, które rozgrywa sama ze sobą
cli-learn-run-examples =
    Wszystko, co powstaje, leży w jednym folderze. Ctrl+C zatrzymuje uczenie
    w każdej chwili, a --resume później je wznawia.
    przykłady:
      patchwork learn run --config smoke --out runs/smoke
      patchwork learn run --config full --minutes 30 --out runs/first
      patchwork learn run --resume runs/first --minutes 30
      torchrun --nproc-per-node 2 -m patchwork learn run --config full --out runs/two
cli-learn-config = konfiguracja: full, deep, wide, far, smoke lub plik TOML (domyślnie: ta ze wznawianego uczenia, w przeciwnym razie full)
cli-learn-minutes = ile minut ma trwać uczenie (domyślnie: ile przewiduje konfiguracja)
cli-learn-out = folder uczenia (domyślnie: ten, z którego jest wznawiane)
cli-learn-resume = wznów uczenie z tego folderu albo zacznij od wag tej sieci
cli-learn-no-out = potrzebne jest --out, chyba że --resume podaje folder uczenia
cli-learn-status = minuta { $minutes }, zostało { $left }%  { $rating }  oceny/s: { $speed }  partie: { $games }  pozycje: { $positions }  straty: { $losses }
cli-learn-done = Uczenie trwało { $minutes } min; wszystko jest w folderze { $folder }
cli-learn-stopped = Zatrzymano i zapisano po { $minutes } min; uczenie wznowi „patchwork learn run --resume { $folder }”
cli-learn-rate = zmierz, jak silne są sieci z jednego uczenia
cli-learn-rate-examples =
    Grają ze sobą oraz z random, greedy i uct1000, w jednej skali, w której
    greedy = 0. Wyniki zostają w folderze; żadna partia nie jest grana dwa razy.
    przykład:
      patchwork learn rate runs/first --nodes 64 --pairs 100 --jobs 2
cli-learn-folder = folder uczenia
cli-learn-nodes = ile węzłów sieć może przeszukać na ruch; przy 1 wybiera pierwszy ruch, który przyjdzie jej na myśl (domyślnie: 64)
cli-learn-no-networks = w folderze { $folder } nie ma sieci
cli-learn-export = zapisz sieć w formacie ONNX, by z nią grać
cli-learn-export-examples =
    Obok sieci zapisuje kartę w formacie JSON z tym, co o sieci wiadomo.
    przykłady:
      patchwork learn export runs/first/networks/player-025.0.pt --out my.onnx
      patchwork match network:my.onnx@1s level:8@1s
cli-learn-network = plik z siecią, z folderu uczenia
cli-learn-onnx = plik docelowy; obok niego powstanie karta z rozszerzeniem .json
cli-learn-exported = Zapisano plik { $file } (liczba parametrów: { $parameters })
cli-learn-distil = przenieś wiedzę sieci do wag wzorców, żeby przyspieszyć przeszukiwanie
cli-learn-distil-examples =
    Sieć gra sama ze sobą, a wagi wzorców uczą się od niej oceniać pozycje.
    Zostają zapisane obok niej; korzysta z nich poziom 8. Wystarczy pół godziny
    na dwóch rdzeniach procesora; GPU nie jest potrzebne.
    przykład:
      patchwork learn distil my.onnx
cli-learn-distilled-from = sieć z folderu uczenia albo w formacie ONNX (zob. „learn export”)
cli-learn-games = ile partii rozegra sieć (domyślnie: 24000)
cli-learn-steps = ile kroków uczyć się na tych partiach (domyślnie: 25000)
cli-learn-minutes-at-most = po ilu minutach najpóźniej zakończyć uczenie, łącznie z rozgrywaniem partii
cli-learn-seed = liczba, która ustala wszystko, co losowe (domyślnie: 0)
cli-learn-teaching = partie: { $games } z { $total }
cli-learn-step = krok { $step } z { $total }, strata: { $loss }
cli-learn-distilled = Zapisano plik { $file } (strata logarytmiczna: { $loss }; strata sieci: { $other })
cli-learn-unreadable = nie można użyć pliku { $file }: { $detail }
cli-learn-size = plik { $file } nie pasuje do konfiguracji: { $detail }
cli-learn-not-installed = nie zainstalowano wszystkiego, czego wymaga uczenie ({ $detail }); w klonie repozytorium uruchom „pip install '.[learn]'”
cli-bad-minutes = „{ $found }” tu nie pasuje; musi to być liczba minut większa od 0
cli-no-config = nie ma konfiguracji „{ $name }”; możliwe są { $names } albo ścieżka do pliku
cli-config-damaged = { $file } nie jest poprawnym plikiem TOML: { $detail }
cli-config-unknown = { $file }: nie ma ustawienia „{ $setting }”; dostępne ustawienia: { $settings }
cli-config-whole = { $file }: { $setting } nie może mieć wartości „{ $value }”; dozwolone: liczby całkowite od { $least } do { $most }
cli-config-number = { $file }: { $setting } nie może mieć wartości „{ $value }”; dozwolone: liczby od { $least } do { $most }
cli-config-simulations = { $file }: { $setting } nie może mieć wartości „{ $value }”; dozwolona jest lista taka jak [[0, 16], [0.5, 32]]: ułamki całego uczenia rosną od 0 do najwyżej 1, a przy każdym stoi od 1 do { $most } symulacji

cli-cannot-open = nie można otworzyć { $file }: { $detail }
cli-cannot-write = nie można zapisać danych wyjściowych: { $detail }
cli-no-output = standardowe wyjście jest zamknięte, więc nie można nic wypisać
cli-no-input = standardowe wejście jest zamknięte, więc nie można nic z niego odczytać
cli-not-text = { $file } nie jest plikiem tekstowym: bajt { $byte } jest niezgodny z UTF-8
cli-file-exists = plik { $file } już istnieje i nie zostanie nadpisany; pomiń { $option }, aby wznowić tę partię
cli-game-finished = partia w pliku { $file } jest skończona; „{ $command }” ją pokaże
cli-damaged-save = plik { $file } jest pomijany, bo nie ma w nim poprawnej partii; przyczynę poda „patchwork check”
cli-no-such-source = nie ma pliku „{ $source }”, a to też nie jest pozycja: { $complaint }
cli-no-such-game = w pliku { $file } nie ma partii { $game }; liczba partii w pliku: { $games }
cli-no-such-move = nie ma ruchu { $move }; wybierz liczbę od 0 do { $last }
cli-bad-seed = { $seed } nie może być ziarnem; ziarna to liczby całkowite od 0 do { $last }
cli-bad-number = „{ $found }” tu nie pasuje; musi to być liczba całkowita, co najmniej { $least }
cli-bad-name = { $name } nie może być imieniem; imię to jeden wiersz tekstu
cli-bad-player = nie ma gracza „{ $player }”; gracze to random, greedy, uct1000, od level:1 do level:8, playout:8, network:PLIK, upi:POLECENIE i codingame:POLECENIE; level, playout, network i upi mogą mieć limit, na przykład @1s lub @2000n
cli-classic-only = { $player } zna tylko wydanie classic
cli-bad-elo = „{ $found }” tu nie pasuje; musi to być różnica Elo, na przykład 10 lub -2.5
cli-sprt-order = pierwsza granica musi być mniejsza od drugiej, a { $low } nie jest mniejsze od { $high }
cli-ladder-players = ranking wymaga co najmniej dwóch graczy, każdego podanego tylko raz
cli-no-anchor = gracz { $player } ma mieć siłę 0, ale nie bierze udziału
cli-ladder-unconnected = rozegrano za mało partii, by porównać wszystkich graczy
cli-not-installed = nie zainstalowano wszystkiego, co jest do tego potrzebne ({ $detail }); w klonie repozytorium uruchom „pip install '.[play]'”
cli-exists = plik { $file } już istnieje i nie zostanie nadpisany
cli-player-not-started = nie można uruchomić gracza { $player }: { $detail }
cli-log-another-match = { $file } to dziennik innego meczu: { $detail }
cli-log-damaged = dziennik { $file } jest uszkodzony: { $detail }
cli-log-in-use = dziennika { $file } używa właśnie inny mecz
cli-match-interrupted = przerwano; zakończone partie: { $games }
cli-match-progress = partie: { $games } z { $total }
cli-ladder-pairs = (liczba par: { $pairs })
cli-result-games = partie: { $games }, wygrane: { $wins }, przegrane: { $losses } ({ $percent }%)
cli-result-pairs = pary: { $pairs }, wygrane 2-0: { $won }, remisy 1-1: { $split }, przegrane 0-2: { $lost }
cli-result-elo = siła: { $elo }; prawdopodobieństwo, że jest lepszy: { $percent }%
cli-result-scores = średni wynik: { $first } : { $second }
cli-result-time = średni czas na ruch: { $first } : { $second }
cli-result-forfeit = { $player } przegrywa walkowerem partię { $game } z pary { $pair } ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] test: lepszy raczej o { $high } Elo niż o { $low } (logarytm ilorazu wiarygodności { $ratio })
        [rejected] test: lepszy raczej o { $low } Elo niż o { $high } (logarytm ilorazu wiarygodności { $ratio })
       *[undecided] test: brak rozstrzygnięcia między { $low } a { $high } Elo (logarytm ilorazu wiarygodności { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } partia, wszystko w porządku
        [few] { $games } partie, wszystko w porządku
        [many] { $games } partii, wszystko w porządku
       *[other] { $games } partii, wszystko w porządku
    }
cli-no-game = W pliku nie ma żadnej partii.
cli-press-enter = Enter: dalej, q: koniec
cli-ends-here =
    { $termination ->
        [resigned] Tu partia zakończyła się poddaniem.
        [time] Tu partia zakończyła się z powodu upływu czasu.
        [left] Tu partia zakończyła się, bo ktoś wyszedł z gry.
        [aborted] Tu partię anulowano.
       *[unfinished] Partia jest niedokończona.
    }

## Playing in the terminal

play-player = Gracz { $seat }
play-saved-in = Partia jest zapisywana w pliku { $path }
play-resumed = Wznowiono niedokończoną partię.
play-help-hint = Wpisz ruch albo „help”.
play-prompt =
    { $phase ->
        [leather] { $name } umieszcza specjalny kawałek:
       *[turn] Teraz gra { $name }:
    }
play-help =
    Ruchy:
      A        przesuń się tuż przed drugi znacznik czasu; 1 guzik za każde pole
      17Bc4    kup kawałek materiału 17, orientacja B, lewy górny róg w kolumnie c, wierszu 4
      Lc4      umieść specjalny kawałek w kolumnie c, wierszu 4
    Polecenia:
      moves       co możesz teraz zrobić
      moves 17    kawałek 17 we wszystkich orientacjach; litera o pokazuje, gdzie może leżeć jego róg
      try 17Bc4   zobacz skutki ruchu bez wykonywania go
      undo        cofnij swój ostatni ruch
      show        narysuj stół jeszcze raz
      quit        wyjdź; partia pozostaje zapisana
    Na rysunku: b – guziki, i – dochód, t – czas, = – wynik, gdyby partia skończyła się teraz.
    Na planszy czasu $ przynosi dochód, a przy % leży specjalny kawałek.
play-unknown = „{ $command }” to ani ruch, ani polecenie. Wpisz „help”.
play-try-what = Podaj też ruch, który chcesz wypróbować, na przykład „try 17Bc4”.
play-leather-first = Najpierw umieść specjalny kawałek, na przykład { $move }.
play-advance =
    { $spaces ->
        [one] przesuń się o { $spaces } pole i otrzymaj { $spaces } guzik
        [few] przesuń się o { $spaces } pola i otrzymaj { $spaces } guziki
        [many] przesuń się o { $spaces } pól i otrzymaj { $spaces } guzików
       *[other] przesuń się o { $spaces } pola i otrzymaj { $spaces } guzika
    }
play-places-count =
    { $count ->
        [0] nigdzie nie pasuje
        [one] można umieścić na { $count } sposób
        [few] można umieścić na { $count } sposoby
        [many] można umieścić na { $count } sposobów
       *[other] można umieścić na { $count } sposobu
    }
play-no-such-patch = Nie ma kawałka „{ $found }”; kawałki mają numery od 0 do { $last }.
play-nothing-to-undo = Nie ma czego cofnąć.
play-undone =
    { $count ->
        [one] Cofnięto { $count } ruch.
        [few] Cofnięto { $count } ruchy.
        [many] Cofnięto { $count } ruchów.
       *[other] Cofnięto { $count } ruchu.
    }
play-left = Partia jest zapisana. „{ $command }” ją wznowi.
play-not-saved = Ruch nie został wykonany, bo nie można zapisać pliku { $path }: { $detail }
play-changed-elsewhere = Ruch nie został wykonany, bo plik { $path } został tymczasem zmieniony, być może przez drugie uruchomione „patchwork play”. Wpisz „quit” i uruchom grę ponownie, aby grać dalej od tego miejsca.

play-advances =
    { $spaces ->
        [one] { $name } przesuwa się o { $spaces } pole i otrzymuje { $spaces } guzik.
        [few] { $name } przesuwa się o { $spaces } pola i otrzymuje { $spaces } guziki.
        [many] { $name } przesuwa się o { $spaces } pól i otrzymuje { $spaces } guzików.
       *[other] { $name } przesuwa się o { $spaces } pola i otrzymuje { $spaces } guzika.
    }
play-buys =
    { $name } kupuje kawałek { $patch } (zapłacone guziki: { $buttons }, przebyte pola: { $spaces }).
play-places = { $name } umieszcza specjalny kawałek na polu { $cell }.
play-income =
    { $buttons ->
        [one] Dochód: { $buttons } guzik.
        [few] Dochód: { $buttons } guziki.
        [many] Dochód: { $buttons } guzików.
       *[other] Dochód: { $buttons } guzika.
    }
play-tile = { $name } otrzymuje żeton specjalny.
play-takes-leather = { $name } bierze specjalny kawałek.
play-discards-leather = { $name } bierze specjalny kawałek, ale nie ma już dla niego wolnego pola.
play-home = Pierwszy znacznik na ostatnim polu: { $name }.
play-try-score = Wynik: { $score } ({ $change })
play-try-next = Potem gra: { $name }

play-score =
    { $name }: { $buttons } (guziki) + { $tile } (żeton specjalny) - { $minus } (puste pola: { $empty }) = { $score }
play-tie-break = Wyniki są równe; zdecydowało wcześniejsze dotarcie na ostatnie pole: { $name }.
play-wins = { $name } wygrywa!
play-replay-hint = „{ $command }” pokaże partię jeszcze raz.

## Why a move is refused

reason-game-over = Partia jest skończona.
reason-not-in-this-phase = Nie teraz: specjalny kawałek trzeba umieścić zaraz po wzięciu i tylko wtedy można to zrobić.
reason-not-on-offer = Tego kawałka nie można wybrać; do wyboru są tylko trzy następne w okręgu.
reason-cannot-afford = Za mało guzików na ten kawałek.
reason-off-the-board = Kawałek wystawałby poza planszę kołdry.
reason-not-that-shape = Kawałek nie ma takiego kształtu.
reason-overlaps = Kawałek zachodziłby na inny.
reason-cell-taken = To pole jest już zakryte.

## What is wrong with a text

notation-move = ruch { $number }
notation-game = partia { $number }
notation-not-a-position = To nie jest tekst pozycji ({ $detail }).
notation-impossible-position = Żadna partia nie może doprowadzić do tej pozycji ({ $detail }).
notation-not-a-move = To nie jest ruch. Ruchy wyglądają tak: A, Lc4 albo 17Bc4 (kawałki od 0 do 32, orientacje od A do H, kolumny od a do i, wiersze od 1 do 9).
notation-illegal-move = Ten ruch jest niedozwolony ({ $detail }).
notation-bad-tag = Tag jest błędny ({ $detail }).
notation-missing-tag = Brakuje tagu ({ $detail }).
notation-unexpected = Tego tu nie powinno być ({ $detail }).
notation-unclosed = Komentarz nie jest zamknięty.
notation-too-deep = Warianty są zbyt głęboko zagnieżdżone.
notation-too-long = Zapis jest za długi.
notation-cut-off = Zapis kończy się bez wyniku; plik może być ucięty.
notation-contradiction = Zapis przeczy sam sobie ({ $detail }).
notation-not-one-record = Powinna tu być dokładnie jedna partia ({ $detail }).

## The page: the table

page-table-computer = Komputer, poziom { $level }
page-table-you = Ty
page-table-player = Gracz { $number }
page-table-turn-you =
    { $why ->
        [leather] Umieść specjalny kawałek
        [on-top] Twój ruch: twój znacznik leży na wierzchu
       *[behind] Twój ruch: twój znacznik jest z tyłu
    }
page-table-turn-other =
    { $whose ->
        [computer] Komputer
       *[other] { $name }
    } { $why ->
        [leather] umieszcza specjalny kawałek
        [on-top] gra, bo ma znacznik na wierzchu
       *[behind] gra, bo ma znacznik z tyłu
    }
page-table-called = Twój ruch – Patchwork
page-table-arrived = { $name } już jest – Patchwork
page-table-back = { $name } wraca do gry – Patchwork
page-table-connecting = Łączenie…
page-table-slow = Połączenie jest wolne…
page-table-lost = Utracono połączenie. Ponawiam próbę…
page-table-away = offline
page-table-thinks = Komputer myśli…
page-table-thinks-briefly = Komputer myśli krócej niż zwykle: serwer jest obciążony…
page-table-thinks-later =
    { $tables ->
        [one] Komputer myśli najpierw przy { $tables } innym stole.
        [few] Komputer myśli najpierw przy { $tables } innych stołach.
        [many] Komputer myśli najpierw przy { $tables } innych stołach.
       *[other] Komputer myśli najpierw przy { $tables } innego stołu.
    }
page-table-sending = Wysyłanie twojego ruchu…
page-table-withdrawn = Partia tymczasem się zmieniła, więc twój ruch nie został wykonany.
page-table-refused =
    { $code ->
        [nothing-to-undo] Nie ma czego cofnąć.
        [already-asked] Prośba została już wysłana.
        [too-late-to-abort] Obie osoby wykonały już ruch, więc partii nie można anulować.
        [not-gone] Druga osoba wróciła.
        [busy] Komputer jest zajęty. Spróbuj za chwilę.
        [too-many] Za dużo naraz. Spróbuj za chwilę.
       *[other] Teraz to niemożliwe.
    }
page-table-missed =
    { $moves ->
        [one] Pod twoją nieobecność wykonano { $moves } ruch:
        [few] Pod twoją nieobecność wykonano { $moves } ruchy:
        [many] Pod twoją nieobecność wykonano { $moves } ruchów:
       *[other] Pod twoją nieobecność wykonano { $moves } ruchu:
    }
page-table-joined = { $name } dołącza do gry.
page-table-asks = { $name } chce cofnąć swój ostatni ruch.
page-table-asked = Prośba o cofnięcie twojego ostatniego ruchu czeka na odpowiedź.
page-table-accept = Zgódź się
page-table-decline = Odmów
page-table-declined = { $name } nie zgadza się na cofnięcie ruchu.
page-table-taken-back = { $name }: ruch cofnięty.
page-table-wants-rematch = { $name } chce zagrać jeszcze raz.
page-table-swapped =
    { $begins ->
        [you] Strony zostały zamienione: to jest teraz twój znacznik. Ty zaczynasz.
        [computer] Strony zostały zamienione: to jest teraz twój znacznik. Zaczyna komputer.
       *[other] Strony zostały zamienione: to jest teraz twój znacznik. Zaczyna { $name }.
    }
page-table-gone = Druga osoba wyszła z gry.
page-table-gone-early = Druga osoba wyszła, zanim oboje wykonaliście ruch.
page-table-claim = Ogłoś zwycięstwo
page-table-did-advance =
    { $spaces ->
        [one] przesunięcie o { $spaces } pole, +{ $spaces } guzik
        [few] przesunięcie o { $spaces } pola, +{ $spaces } guziki
        [many] przesunięcie o { $spaces } pól, +{ $spaces } guzików
       *[other] przesunięcie o { $spaces } pola, +{ $spaces } guzika
    }
page-table-did-buy = kupiony kawałek { $patch } (guziki: { $buttons }, czas: { $spaces })
page-table-did-leather = specjalny kawałek na { $cell }
page-table-did-income = +{ $buttons } z dochodu
page-table-did-tile = zdobyty żeton specjalny
page-table-did-take-leather = wzięty specjalny kawałek
page-table-move-advance = przesunięcie
page-table-move-leather = specjalny kawałek na { $cell }
page-table-move-buy = kawałek { $patch } na { $cell }
page-table-buttons =
    { $buttons ->
        [one] { $buttons } guzik
        [few] { $buttons } guziki
        [many] { $buttons } guzików
       *[other] { $buttons } guzika
    }
page-table-income = Dochód { $income }
page-table-has-tile = ma żeton specjalny
page-table-score = Punkty { $points }
page-table-score-why = Punkty, gdyby partia skończyła się teraz: 1 za każdy guzik, 7 za żeton specjalny, minus 2 za każde puste pole. Każdy zaczyna od −157.
page-table-empty = Puste pola { $empty }
page-table-income-left = Dochód do końca +{ $buttons }
page-table-days =
    { $days ->
        [one] { $days } dzień
        [few] { $days } dni
        [many] { $days } dni
       *[other] { $days } dnia
    }
page-table-clock-low = { $name }: zostało mniej niż { $seconds } sekund
page-table-first-move = Pierwszy ruch:
page-table-first-move-you = Wykonaj pierwszy ruch na czas, inaczej partia zostanie anulowana. Nikt nie przegra.
page-table-first-move-other = { $name }: bez pierwszego ruchu na czas partia zostanie anulowana. Nikt nie przegra.
page-table-time-board = Plansza czasu: { $first } – pole { $at } z 53; { $second } – pole { $and }
page-table-quilt-of = Kołdra: { $name }
page-table-swap-quilts = Zamień kołdry
page-table-cell-empty = { $cell }, puste
page-table-cell-patch = { $cell }, kawałek { $patch }
page-table-cell-leather = { $cell }, specjalny kawałek
page-table-cell-thought = { $cell }, { $tag }: kawałek { $patch }
page-table-cell-fits = { $cell }, kawałek tu pasuje
page-table-cell-no-fit = { $cell }, tak kawałek nie pasuje
page-table-cell-tile = { $cell }, kawałek tu pasuje i zdobywa żeton specjalny
page-table-circle = Kawałki do wyboru
page-table-circle-rest = Pozostałe kawałki w okręgu, po kolei
page-table-neutral = Szpulka nici (pionek neutralny)
page-table-patch = Kawałek { $patch }: pola { $cells }, cena { $cost }, czas { $time }, dochód { $income }
page-table-spaces = Pola { $cells }
page-table-coming-after =
    { $patches ->
        [one] Jeszcze { $patches } miejsce, potem do wyboru
        [few] Jeszcze { $patches } miejsca, potem do wyboru
        [many] Jeszcze { $patches } miejsc, potem do wyboru
       *[other] Jeszcze { $patches } miejsca, potem do wyboru
    }
page-table-cannot-afford = Za mało guzików
page-table-fits-nowhere = Nigdzie nie pasuje
page-table-choose = Weź jeden z trzech kawałków albo przesuń się do przodu.
page-table-only-advance = Możesz tylko przesunąć się do przodu.
page-table-advance = Przesuń się
page-table-sew = Przyszyj
page-table-turn = Obróć
page-table-flip = Odbij
page-table-cancel = Odłóż
page-table-no-fit-this-way = Tak nigdzie nie pasuje. Obróć go albo odbij.
page-table-no-place-there = Dalej w tę stronę się nie zmieści.
page-table-place-leather = Specjalny kawałek: wybierz wolne pole.
page-table-lands = pole { $space } (+{ $spaces })
page-table-gets-income = +{ $buttons } z dochodu
page-table-gets-leather = specjalny kawałek
page-table-gets-tile = żeton specjalny
page-table-points = punkty { $before } → { $after }
page-table-then = potem: { $name }
page-table-then-computer = potem: komputer
page-table-then-again = znowu twój ruch
page-table-then-leather = potem go umieścisz
page-table-then-over = potem koniec partii
page-idea-tag = pomysł
page-idea-keep = Zachowaj jako pomysł
page-idea-take = Weź teraz
page-idea-clear = Odłóż wszystkie pomysły
page-idea-count = Pomysły: { $count }
page-idea-costs = cena { $buttons }
page-idea-lacking = brakuje { $buttons }
page-idea-short =
    { $buttons ->
        [one] brakuje { $buttons } guzika
        [few] brakuje { $buttons } guzików
        [many] brakuje { $buttons } guzików
       *[other] brakuje { $buttons } guzika
    }
page-idea-now = teraz do wyboru
page-idea-next = po następnym zakupie
page-idea-if = po zakupie
page-idea-later =
    { $purchases ->
        [one] najwcześniej po { $purchases } zakupie
        [few] najwcześniej po { $purchases } zakupach
        [many] najwcześniej po { $purchases } zakupach
       *[other] najwcześniej po { $purchases } zakupu
    }
page-idea-dropped =
    { $why ->
        [taken] Kawałek { $patch } jest już zajęty.
        [covered] Kawałek { $patch } nie mieści się już w zaplanowanym miejscu.
        [home] Na kawałek { $patch } nie starczy już czasu.
       *[other] Kawałek { $patch } nigdzie nie pasuje.
    }
page-next-tag = następny ruch
page-next-play = Zagraj, gdy będzie moja kolej
page-next-begin = Przygotuj ruch
page-next-advance = Przesunąć się, gdy tylko będzie twoja kolej? Albo wybierz kawałek.
page-next-is = Następny ruch: { $move }.
page-next-when = Zostanie wykonany, gdy będzie twoja kolej, o ile ta strona pozostanie otwarta.
page-next-cancel = Anuluj następny ruch
page-next-cancelled =
    { $why ->
        [taken] Następny ruch anulowany: kawałek { $patch } jest już zajęty.
        [not-on-offer] Następny ruch anulowany: kawałka { $patch } nie ma do wyboru.
        [cannot-afford] Następny ruch anulowany: masz za mało guzików na kawałek { $patch }.
        [overlaps] Następny ruch anulowany: kawałek { $patch } już tam nie pasuje.
        [leather] Następny ruch anulowany: najpierw musisz umieścić specjalny kawałek.
        [takeback] Następny ruch anulowany: cofnięto ruch.
       *[moved] Następny ruch anulowany: twój ruch został już wykonany.
    }
page-table-undo = Cofnij
page-table-hint = Podpowiedź
page-table-hint-look =
    { $kind ->
        [advance] Przesunięcie się do przodu wygląda lepiej niż kupno.
        [buy] Kupno kawałka wygląda lepiej niż przesunięcie się do przodu.
        [only] Możesz tylko przesunąć się do przodu.
       *[leather] Na którym polu specjalny kawałek przyda się najbardziej?
    }
page-table-hint-watch =
    { $code ->
        [tile] Spójrz na swój kwadrat 7 × 7.
        [hole] Spójrz na dziury wielkości jednego pola.
        [leather] Spójrz na specjalny kawałek na planszy czasu.
        [again] Spójrz, czyja będzie potem kolej.
        [income] Spójrz na dochód, który jeszcze przyjdzie.
       *[line] Spójrz na następny symbol dochodu.
    }
page-table-hint-figures = Ty: szansa na wygraną { $win }%, przewaga w punktach { $points }
page-table-hint-best = najlepszy
page-table-hint-why =
    { $code ->
        [tile] daje żeton specjalny: { $figure } punktów
        [hole] wypełnia dziurę wielkości jednego pola
        [leather] daje specjalny kawałek
        [again] potem znowu twoja kolej
        [income] do końca dochód przewyższy cenę o { $figure }
       *[line] po drodze jest wypłata dochodu: +{ $figure }
    }
page-table-hint-more =
    { $step ->
        [which] Pokaż ruchy
       *[where] Pokaż gdzie
    }
page-table-hint-prepared = Przygotowany, ale jeszcze niezagrany: potwierdź ruch albo go zmień.
page-table-menu = Partia
page-table-moves = Ruchy
page-table-no-moves = Nie ma jeszcze ruchów.
page-table-order = Kolejność kawałków
page-table-order-why = Wklej ją do opcji nowej partii, aby zagrać tymi samymi kawałkami.
page-table-qr = Link jako kod QR
page-table-link = Link do tego stołu
page-table-copy = Kopiuj link
page-table-copied = Skopiowano
page-table-share = Udostępnij
page-table-abort = Anuluj partię
page-table-abort-why = Partia kończy się od razu, bez zwycięzcy.
page-table-resign = Poddaj się
page-table-resign-why = Partia kończy się od razu, a wygrywa drugi gracz.
page-table-sure = Na pewno? Naciśnij jeszcze raz.
page-table-home = Strona główna
page-table-notify = Powiadom mnie, gdy przyjdzie moja kolej
page-table-notify-arrival = Powiadom mnie, gdy ktoś dołączy
page-table-notify-forbidden = Przeglądarka nie pozwala tej stronie na powiadomienia.
page-table-words = Stół opisany słowami
page-table-words-tile-free = Nikt nie ma jeszcze żetonu specjalnego.
page-table-words-place = Plansza czasu: pole { $space } z 53
page-table-words-income-next = Następny dochód przed polem { $space }
page-table-words-leather-next = Następny specjalny kawałek przed polem { $space }
page-table-words-shape = Szerokość { $width }, wysokość { $height }; wypełnione kolumny: { $rows }
page-table-words-row = wiersz { $row }: { $content }
page-table-words-takeable = Można wziąć
page-table-words-latest = Ostatnie ruchy
page-table-keys = Klawisze
page-table-key-choose = weź pierwszy, drugi albo trzeci kawałek
page-table-key-try = wypróbuj inny kawałek z okręgu na swojej kołdrze
page-table-key-arrows = przesuń kawałek
page-table-key-turn = obróć
page-table-key-flip = odbij
page-table-key-enter = wykonaj ruch albo przygotuj go, gdy czekasz
page-table-key-escape = odłóż kawałek albo anuluj przygotowany ruch
page-table-key-keep = zachowaj kawałek jako pomysł
page-table-key-clear = odłóż wszystkie pomysły
page-table-key-advance = przesuń się do przodu
page-table-key-undo = cofnij ostatni ruch
page-table-key-hint = poproś o podpowiedź; ponownie: następny krok
page-table-key-words = stół opisany słowami
page-table-key-circle = obejrzyj kolejne kawałki
page-table-key-quilts = zamień obie kołdry
page-table-key-help = ta lista
page-table-waiting = Czekamy na drugą osobę…
page-table-invite = Wyślij ten link komuś, z kim chcesz zagrać. Partia zacznie się, gdy ta osoba dołączy.
page-table-only-here = Ten link można otworzyć tylko na tym komputerze. Aby grać z innymi, uruchom „patchwork serve --host 0.0.0.0” i otwórz stronę pod adresem sieciowym tego komputera.
page-table-invited = { $name } zaprasza cię do gry.
page-table-your-name = Twoje imię (opcjonalnie)
page-table-join = Dołącz i graj
page-table-seat-taken = Miejsce jest już zajęte. Możesz oglądać.
page-table-needle = Kto ostatnio posługiwał się igłą? Ta osoba zaczyna.
page-table-soon = Partia zaraz się zacznie.
page-table-wins =
    { $whose ->
        [you] Wygrywasz!
        [computer] Komputer wygrywa!
       *[other] { $name } wygrywa!
    }
page-table-ended =
    { $reason ->
        [resigned-you] Poddajesz partię.
        [resigned] { $name } poddaje partię.
        [time-you] Twój czas się skończył.
        [time] Czas się skończył: { $name }.
        [left-you] Opuszczasz partię.
        [left] { $name } opuszcza partię.
        [aborted] Partię anulowano.
       *[other] Partia jest skończona.
    }
page-table-unfinished = Partii nie dokończono, więc punkty się nie liczą.
page-table-tie-break =
    { $whose ->
        [you] Wyniki są równe; twój znacznik dotarł na ostatnie pole wcześniej.
        [computer] Wyniki są równe; znacznik komputera dotarł na ostatnie pole wcześniej.
       *[other] Wyniki są równe; zdecydowało wcześniejsze dotarcie na ostatnie pole: { $name }.
    }
page-table-step-buttons = Guziki
page-table-step-tile = Żeton specjalny
page-table-step-empty = Puste pola
page-table-step-total = Razem
page-table-why-buttons = 1 punkt za każdy
page-table-why-tile = 7 punktów za pierwszy pełny kwadrat 7 × 7 pól
page-table-why-empty = minus 2 punkty za każde
page-table-skip = Pokaż wszystko naraz
page-table-next-game = Następna partia
page-table-rematch = Zagraj jeszcze raz
page-table-rematch-same = Jeszcze raz z tymi samymi kawałkami
page-table-rematch-asked = Czekamy na drugą osobę…
page-table-rematch-accept = Przyjmij i zagraj jeszcze raz
page-table-new-game = Nowa partia
page-table-replay = Obejrzyj partię
page-table-record = Pobierz zapis
page-table-picture = Obrazek kołder ({ $format })
page-table-look = Zobacz stół
page-table-to-scores = Wróć do punktacji
page-table-watching = Oglądasz partię.
page-table-waits-for = Teraz gra { $name }…

## The page: home and settings

page-home = Patchwork, strona główna
page-learn = Naucz się grać
page-rules = Zasady
page-preferences = Ustawienia
page-language = Język
page-theme = Kolory
page-theme-system = Jak w urządzeniu
page-theme-light = Jasne
page-theme-dark = Ciemne
page-tokens = Kolory znaczników
page-tokens-edition = Jak w wydaniu
page-tokens-classic = Limonkowy i żółty
page-tokens-revised = Niebieski i czerwony
page-look = Strona planszy czasu
page-look-rug = Pleciony dywanik
page-look-blocks = Zszyte kwadraty
page-confirm = Potwierdzaj każdy ruch
page-confirm-why = Bez potwierdzania ruch jest wykonywany zaraz po wybraniu miejsca.
page-motion = Animacje
page-motion-calm = Wyłączone w ustawieniach urządzenia.
page-sound = Dźwięki
page-close = Zamknij
page-fan = Nieoficjalny projekt fanowski. Patchwork to gra Uwe Rosenberga wydana przez Lookout Games; ani autor, ani wydawnictwo nie mają związku z tą stroną. Jeśli gra ci się podoba, kup prawdziwą.
page-licence = Wolne oprogramowanie na licencji MIT.
page-api = Dla programistów

page-tagline = Za guziki kupujesz kawałki materiału, z kawałków szyjesz kołdrę. Gra dla dwojga na kwadrans.
page-play-now = Zagraj teraz
page-opening = Przygotowywanie gry…
page-level = Jak silny ma być komputer?
page-level-1 = Łagodny
page-level-2 = Łatwy
page-level-3 = Spokojny
page-level-4 = Solidny
page-level-5 = Wprawny
page-level-6 = Silny
page-level-7 = Bardzo silny
page-level-8 = Najsilniejszy
page-level-lowest = Zacznij tutaj, jeśli dopiero poznajesz grę. Nieco słabszy od gracza, który kupuje według prostej reguły.
page-level-strength = Wygrywa około { $percent } na 100 partii z poziomem { $below }.
page-level-thinks = Myśli sekundę; pozostałe odpowiadają od razu.
page-level-honest = Zmierzono w partiach między poziomami, a nie z ludźmi. Żaden nie gra źle celowo: niższe po prostu nie myślą tak daleko naprzód.
page-options = Więcej opcji
page-first = Kto zaczyna?
page-first-me = Ja
page-first-computer = Komputer
page-first-friend = Druga osoba
page-first-one = Gracz 1
page-first-two = Gracz 2
page-first-random = Decyduje los
page-first-needle = Kto ostatnio posługiwał się igłą
page-edition = Plansza czasu
page-edition-classic = Plansza z 2014 roku
page-edition-revised = Późniejsze wydania i aplikacje
page-edition-why = Różnią się tylko miejsca specjalnych kawałków.
page-order = Kolejność kawałków (opcjonalnie)
page-order-why = Aby zagrać tymi samymi kawałkami co ktoś inny, wpisz tę samą liczbę albo wklej kolejność z menu innej partii lub z zapisu. Puste pole oznacza kolejność losową.
page-clock = Zegar
page-clock-none = Brak
page-clock-minutes =
    { $minutes ->
        [one] { $minutes } minuta na osobę, + { $increment } s na ruch
        [few] { $minutes } minuty na osobę, + { $increment } s na ruch
        [many] { $minutes } minut na osobę, + { $increment } s na ruch
       *[other] { $minutes } minuty na osobę, + { $increment } s na ruch
    }
page-clock-days =
    { $days ->
        [one] { $days } dzień na ruch
        [few] { $days } dni na ruch
        [many] { $days } dni na ruch
       *[other] { $days } dnia na ruch
    }
page-name = Twoje imię (opcjonalnie)
page-name-one = Imię gracza 1 (opcjonalnie)
page-name-two = Imię gracza 2 (opcjonalnie)

page-ways = Inne sposoby gry
page-screen = Dwie osoby przy jednym ekranie
page-screen-why = Obok siebie albo podając sobie urządzenie.
page-screen-begin = Zacznij
page-friend = Zaproś kogoś
page-friend-why = Dostaniesz link, który komuś wyślesz. Kto pierwszy go otworzy, gra z tobą; konto nie jest potrzebne.
page-friend-begin = Utwórz link
page-watch = Oglądaj partię
page-watch-why = Partię może oglądać każdy, kto ma do niej link.
page-watch-label = Link do partii
page-watch-begin = Oglądaj
page-carry = Graj dalej na innym urządzeniu
page-carry-why = Twoje partie należą do tej przeglądarki. Dzięki prywatnemu linkowi dokończysz je na innym urządzeniu.
page-carry-begin = Utwórz prywatny link
page-carry-link = Prywatny link
page-carry-picture = Kod QR prywatnego linku
page-carry-expires = Działa do { $time }. Nie pokazuj go nikomu innemu: kto go otworzy, gra za ciebie.
page-network = Wpuść do gry innych z tej sieci
page-network-why = Na razie tylko ten komputer może otworzyć tę stronę. Jeśli wpuścisz innych, każdy w tej samej sieci, np. w twoim Wi-Fi, będzie mógł ją otworzyć i grać; twoje pliki i inne programy pozostaną poza ich zasięgiem. Dostęp kończy się, gdy go tu zamkniesz albo zakończysz Patchwork.
page-network-is-open = Otwarte dla wszystkich w tej sieci pod adresem
page-network-picture = Kod QR tego adresu
page-network-others = Inne adresy tego komputera:
page-network-firewall = Jeśli strona nie otwiera się na drugim urządzeniu, sprawdź, czy oba są w tej samej sieci i czy zapora tego komputera przepuszcza Patchwork (Python).
page-network-close = Zamknij dla innych
page-network-failed = Nie udało się otworzyć. Być może inny program używa tego samego portu.
page-network-none = Ten komputer nie jest w sieci lokalnej, więc inni nie mogą się z nim połączyć.
page-network-again = Sprawdź ponownie
page-carry-here = Grać dalej tutaj?
page-carry-here-why = W tej przeglądarce będziesz wtedy grać jako osoba, która utworzyła link.
page-carry-here-begin = Graj dalej tutaj
page-carry-too-old = Ten link wygasł albo jest niekompletny. Utwórz nowy na drugim urządzeniu.
page-carry-own = Ta przeglądarka
page-carry-maker = Drugie urządzenie
page-carry-games = Partie
page-carry-running = W toku
page-carry-finished = Skończone
page-carry-adopt = Ta przeglądarka nie ma jeszcze własnych partii.
page-carry-merge = Twoje partie i partie z drugiego urządzenia utworzą jedną listę. We wszystkie zagrasz tu i tam; żadna nie zginie.
page-carry-merge-undo = Przez jeden dzień możesz to cofnąć.
page-carry-merge-own-link = Kontynuuj tylko wtedy, gdy link jest twój. Inaczej ktoś inny mógłby grać w twoje partie.
page-carry-same = Ta przeglądarka gra już za osobę, która utworzyła link. Nie trzeba nic więcej robić.
page-carry-opponents = Grasz przeciwko osobie, która utworzyła link. Dopóki to się nie skończy, waszych partii nie można połączyć.
page-carry-opponents-how = Najpierw dokończ, poddaj się albo anuluj, a potem utwórz nowy link. Do tego czasu nic się nie zmieni i żadna partia nie zginie.
page-carry-not-now = Nie teraz
page-carry-retry = Spróbuj ponownie
page-carry-merged = Partie tej przeglądarki i innego urządzenia zostały połączone.
page-carry-undo-why = Możesz to cofnąć do { $time }. Partie rozpoczęte w tym czasie zostaną wtedy na drugim urządzeniu.
page-carry-undo = Cofnij
page-copy = Kopiuj
page-copied = Skopiowano

page-continue = Graj dalej
page-finished = Skończone partie
page-no-games = Tu pojawią się twoje partie.
page-last-quilt = Twoja ostatnia kołdra
page-loading = Wczytywanie…
page-more-games = Pokaż więcej partii
page-against = Przeciwnik: { $name }
page-computer-level = komputer, poziom { $level }
page-both = { $one } i { $two }
page-your-turn = Twoja kolej
page-turn-of = Teraz gra: { $name }
page-time-left = Na ruch zostało: { $time }
page-not-begun = Jeszcze nie rozpoczęta
page-won = Wygrana
page-lost = Przegrana
page-won-by = Zwycięstwo: { $name }
page-no-winner = Anulowana
page-by-resigning = przez poddanie
page-by-time = na czas
page-by-leaving = walkowerem

page-nowhere = Tu nic nie ma
page-nowhere-why = Pod tym adresem nie ma żadnej strony. Czy link jest kompletny?
page-trouble-offline = Nie można połączyć się z serwerem. Sprawdź połączenie i spróbuj ponownie.
page-trouble-too-many = Za dużo naraz. Odczekaj minutę i spróbuj ponownie.
page-trouble-unavailable = Serwer jest teraz zbyt obciążony. Spróbuj ponownie za chwilę.
page-trouble-no-such-table = Pod tym linkiem nie ma żadnej partii. Czy link jest kompletny?
page-trouble-reserved-name = To imię jest zarezerwowane dla komputera. Wybierz inne.
page-trouble-bad-circle = Taka kolejność kawałków jest niemożliwa. Wpisz liczbę całkowitą albo wszystkie 33 kawałki tak, jak pokazuje je menu partii.
page-trouble-other = Nie udało się. Wczytaj stronę ponownie.

page-try-again = Spróbuj ponownie

## The page: privacy

page-privacy = Prywatność
page-privacy-intro = Co serwer i twoja przeglądarka o tobie przechowują, jak długo i co możesz z tym zrobić.
page-privacy-server = Co przechowuje serwer
page-privacy-server-games = Twoje partie: ruchy, czas ich wykonania i imiona podane przez graczy. Każdy, kto zna link do partii, może ją obejrzeć.
page-privacy-server-records = Zapisy, które otwierasz, żeby je odtworzyć, razem z imionami i komentarzami, ale bez informacji, kto je otworzył. Kto zna link, może je obejrzeć. Są przechowywane tak długo jak zakończone partie, licząc od ostatniego otwarcia.
page-privacy-server-player = Losowy kod, który cię identyfikuje, żeby twoje partie pozostały twoje. Nie ma kont, więc serwer nie zna ani adresu e-mail, ani hasła.
page-privacy-server-address = Twój adres sieciowy służy tylko do ochrony serwera przed przeciążeniem. Nie jest zapisywany razem z partiami. Adres, który z tego powodu został zablokowany, może znaleźć się w dzienniku serwera.
page-privacy-time = Jak długo to przechowuje
page-privacy-time-unfinished = Niedokończone partie: { $time }
page-privacy-time-finished = Skończone partie: { $time }
page-privacy-time-unlimited = bez ograniczeń
page-privacy-time-since = Czas liczy się od ostatniego zdarzenia w partii.
page-privacy-time-backups = To, co usunięto, może pozostać w kopiach zapasowych operatora, dopóki nie zastąpią ich nowsze.
page-privacy-browser = Co przechowuje twoja przeglądarka
page-privacy-browser-cookie = Plik cookie, po którym serwer cię rozpoznaje. Wygasa 400 dni po twojej ostatniej wizycie.
page-privacy-browser-settings = Twoje ustawienia, ostatnio wpisane imiona oraz informacje o tym, które ruchy z 30 ostatnich partii już znasz i jak daleko jesteś w lekcji.
page-privacy-others = Co dostają osoby trzecie
page-privacy-others-text = Nic. Nie ma tu reklam ani śledzenia i niczego się nie pobiera z innych serwerów.
page-privacy-yours = Twoje dane
page-privacy-data = Pobierz swoje dane
page-privacy-data-why = Wszystko, co serwer o tobie przechowuje: twoje imiona i partie, ruch po ruchu, w pliku czytelnym dla programów.
page-privacy-data-begin = Pobierz moje dane
page-privacy-data-done = Twoje dane zostały pobrane.
page-privacy-revoke = Odłącz inne urządzenia
page-privacy-revoke-why = Jeśli ktoś inny może grać za ciebie, odłącz go: twoje partie będzie można rozgrywać tylko w tej przeglądarce. Inne urządzenia i boty od razu stracą dostęp, a prywatne linki przestaną działać.
page-privacy-revoke-begin = Odłącz wszystkie inne
page-privacy-revoke-done = Gotowe. Teraz twoje partie można rozgrywać tylko w tej przeglądarce.
page-privacy-delete = Usuń swoje dane
page-privacy-delete-why = Twoje imiona znikną i żadnej partii nie da się już z tobą powiązać. Niedokończone partie zostaną poddane. Przeciwnicy zachowają swoje partie, ale z graczem bez imienia.
page-privacy-delete-begin = Usuń moje dane…
page-privacy-delete-sure = Usunąć wszystko? Tego nie da się cofnąć.
page-privacy-delete-merged = Masz połączone partie z kilku urządzeń. Usunięte zostaną wszystkie, na wszystkich tych urządzeniach.
page-privacy-delete-yes = Tak, usuń
page-privacy-delete-no = Nie, zachowaj
page-privacy-delete-done = Gotowe. Serwer już cię nie zna.
page-privacy-nobody = Serwer nie zna tej przeglądarki, więc nie trzeba nic robić.
page-privacy-name = Co się dzieje z twoim imieniem

## The page: the rules

page-rules-contents = Spis treści
page-rules-intro = Oto cała gra. Można się jej nauczyć w pięć minut.
page-rules-aim = Cel gry
page-rules-aim-text = Gra dwoje graczy i każdy szyje własną kołdrę. Kawałki materiału kosztują guziki i czas. Na koniec każdy guzik to punkt, a każde puste pole kołdry odbiera dwa.
page-rules-table = Co leży na stole
page-rules-table-quilt = Każdy gracz ma planszę kołdry o wymiarach 9 × 9 pól, znacznik czasu i 5 guzików.
page-rules-table-circle = 33 kawałki materiału leżą w losowej kolejności w okręgu wokół planszy czasu. Pionek neutralny, tutaj szpulka nici, stoi tuż za najmniejszym z nich, 1 × 2, zgodnie z ruchem wskazówek zegara.
page-rules-table-patch = Metka pokazuje, ile kawałek kosztuje guzików i ile czasu. Guziki naszyte na kawałku to jego dochód.
page-rules-patch-drawing = Kawałek materiału, liczba pól { $size }: guziki { $cost }, czas { $time }, dochód { $income }
page-rules-turn = Czyja kolej
page-rules-turn-text = Gra ten, czyj znacznik czasu jest dalej z tyłu, czasem kilka razy z rzędu. Gdy oba znaczniki są na tym samym polu, gra ten, czyj znacznik leży na wierzchu, czyli dotarł tam później. Na początku na wierzchu leży znacznik osoby, która ostatnio posługiwała się igłą.
page-rules-turn-choice = W swojej turze robisz jedną z dwóch rzeczy: przesuwasz się do przodu albo bierzesz kawałek materiału.
page-rules-advance = Przesuń się do przodu
page-rules-advance-text = Przesuń swój znacznik czasu na pole tuż przed drugim znacznikiem. Za każde przebyte pole otrzymujesz 1 guzik. Możesz to zrobić zawsze.
page-rules-advance-drawing = Znacznik przesuwa się o 4 pola, tuż przed drugi, i przynosi 4 guziki
page-rules-take = Weź kawałek materiału
page-rules-take-choose = Wybierz jeden z trzech następnych kawałków, zgodnie z ruchem wskazówek zegara od pionka neutralnego.
page-rules-take-neutral = Postaw pionek neutralny na miejscu tego kawałka.
page-rules-take-pay = Zapłać tyle guzików, ile wskazuje metka.
page-rules-take-sew = Przyszyj kawałek do swojej kołdry, dowolnie obrócony i odbity. Nie może zachodzić na inne ani wystawać, ale nie musi niczego dotykać. Przyszytego kawałka nie można już przesunąć.
page-rules-take-time = Przesuń swój znacznik czasu o tyle pól, ile wskazuje metka. Jeśli stanie na polu drugiego znacznika, połóż go na wierzchu.
page-rules-take-not = Kawałka, na który cię nie stać lub który nigdzie nie pasuje, nie można wziąć.
page-rules-take-drawing = Pionek neutralny i trzy kawałki materiału przed nim
page-rules-lines = Mijanie symboli
page-rules-lines-text = Bez względu na to, jak przesunął się twój znacznik, sprawdź po kolei, jakie symbole minął:
page-rules-lines-income = Guzik: otrzymujesz dochód z całej kołdry, także z kawałka właśnie przyszytego.
page-rules-lines-leather = Specjalny kawałek: weź go i od razu przyszyj na dowolnym wolnym polu. Dostaje go tylko ten, kto pierwszy minie symbol.
page-rules-lines-where = Symbole guzików są przed polami 5, 11, 17, 23, 29, 35, 41, 47 i 53. Specjalne kawałki leżą na planszy z 2014 roku przed polami 20, 26, 32, 44 i 50, a w późniejszych wydaniach i aplikacjach – przed polami 26, 32, 38, 44 i 50.
page-rules-board-drawing = Plansza czasu, spirala z 54 pól
page-rules-tile = Żeton specjalny
page-rules-tile-text = Kto pierwszy wypełni na swojej kołdrze kwadrat 7 × 7 pól, otrzymuje żeton specjalny. Jest wart 7 punktów.
page-rules-tile-drawing = Kołdra z wypełnionym kwadratem 7 × 7
page-rules-end = Koniec gry
page-rules-end-text = Pole 53 pośrodku jest ostatnie. Dalej nie idzie żaden znacznik; kto przesuwa się do przodu, dostaje guziki tylko za faktycznie przebyte pola. Gdy dotrą tam oba znaczniki, partia się kończy.
page-rules-score = Punktacja
page-rules-score-text = Twoje guziki, plus 7 za żeton specjalny, minus 2 za każde puste pole. Wygrywa osoba z wyższym wynikiem, a przy remisie ta, która wcześniej dotarła na ostatnie pole.
page-rules-score-example = Przykład: 14 guzików, żeton specjalny i 5 pustych pól to 14 + 7 − 10 = 11. Druga osoba ma 18 guzików i 2 puste pola, czyli 18 − 4 = 14, i wygrywa.
page-rules-tips = Warto wiedzieć
page-rules-tips-income = Dochód opłaca się najbardziej na początku: dostajesz go przy każdym symbolu guzika, który masz jeszcze przed sobą.
page-rules-tips-turn = Po wzięciu kawałka, który kosztuje mało czasu, możesz zostać z tyłu i zagrać jeszcze raz.
page-rules-tips-gaps = Pojedyncze dziury załatają tylko specjalne kawałki. Dbaj o równe brzegi.
page-rules-play = Gramy

## The page: the lesson

page-learn-new = Pierwszy raz? Naucz się gry w pięć minut, grając.
page-learn-by-playing = Albo naucz się jej, grając.
page-learn-opponent = Przeciwnik
page-learn-step = { $number } z { $of }
page-learn-next = Dalej
page-learn-back = Wstecz
page-learn-skip = Pomiń
page-learn-restart = Od początku
page-learn-leave = Wyjdź
page-learn-help = Pokaż mi
page-learn-retry = Spróbuj ponownie
page-learn-play = Zagraj teraz z poziomem 1
page-learn-rules = Przeczytaj zasady
page-learn-welcome = Twoja pierwsza partia
page-learn-welcome-text = Ty i przeciwnik szyjecie każdy własną kołdrę. Kawałki materiału kosztują guziki i czas. Na koniec każdy guzik to 1 punkt, a puste pole −2, dlatego zaczynasz od −157. W pięć minut wypróbujesz wszystko.
page-learn-advance = Przesuń się do przodu
page-learn-advance-text = Przeciwnik przesuwa się do przodu na planszy czasu. Gra ten, kto jest z tyłu, czyli ty. Naciśnij „Przesuń się”, a potem jeszcze raz, by potwierdzić. Przeskoczysz tuż przed drugi znacznik i dostaniesz guzik za każde pole.
page-learn-advance-done = Siedem pól, siedem guzików. Przesunąć się możesz zawsze. Teraz jesteś z przodu, więc kolej na przeciwnika.
page-learn-circle = Rząd kawałków
page-learn-circle-text = Do wyboru są tylko trzy kawałki tuż za szpulką nici. Gdy ktoś weźmie jeden z nich, szpulka staje na jego miejscu; pominięte kawałki trafiają na koniec rzędu i wrócą później.
page-learn-buy = Weź kawałek materiału
page-learn-buy-text = Wybierz jeden z trzech kawałków. Metka pokazuje, ile kosztuje guzików i ile czasu. Obróć kawałek, odbij go i połóż na kołdrze: podświetlone pola pokazują, gdzie pasuje. Potem go przyszyj.
page-learn-buy-wrong = Można też przesunąć się do przodu. Ale teraz spraw sobie kawałek materiału: wybierz jeden z trzech.
page-learn-chain = Znowu twoja kolej
page-learn-chain-text = Guziki zapłacone, a twój znacznik przesunął się o tyle pól, ile wskazuje metka. Wciąż jest z tyłu! Kto jest z tyłu, ten gra, nawet kilka razy z rzędu. A więc: jeszcze jeden kawałek czy do przodu?
page-learn-chain-done = Dwie tury z rzędu! Dzięki kawałkom, które kosztują mało czasu, grasz częściej.
page-learn-income = Dochód
page-learn-income-text = Odtąd każdy krok to chwila z innej partii. Guziki naszyte na twoich kawałkach to twój dochód. Weź kawałek albo przesuń się do przodu i miń najbliższy symbol guzika: dostaniesz dochód z całej kołdry.
page-learn-income-done = Cała kołdra przyniosła dochód. Takich symboli jest dziewięć, więc wczesny dochód jest wart najwięcej.
page-learn-leather = Specjalny kawałek
page-learn-leather-text = Oba znaczniki są na jednym polu; twój leży na wierzchu, więc ruch należy do ciebie. Na najbliższym symbolu leży specjalny kawałek. Dostaje go ten, kto pierwszy minie ten symbol. Zrób to dowolnym ruchem.
page-learn-sew = Przyszyj go
page-learn-sew-text = Specjalny kawałek jest twój i nic nie kosztuje. Zakrywa jedno pole, w sam raz na lukę, do której nic innego nie pasuje. Połóż go na dowolnym wolnym polu i przyszyj.
page-learn-sew-done = Pięknie zszyte! Na początku na planszy czasu leży pięć specjalnych kawałków, każdy dla tego, kto pierwszy do niego dotrze.
page-learn-tile = Siedem na siedem
page-learn-tile-text = Kto pierwszy wypełni kwadrat 7 × 7 pól, zdobywa żeton specjalny wart 7 punktów. Twojemu kwadratowi w lewym górnym rogu brakuje już tylko jednego kawałka: trzeciego. Obróć go i wypełnij lukę.
page-learn-tile-done = Żeton specjalny jest twój: 7 punktów na koniec.
page-learn-tile-wrong = Tak kwadrat zostałby niepełny. Weź trzeci kawałek, obróć go i wypełnij lukę w kwadracie w lewym górnym rogu.
page-learn-end = Ostatni ruch
page-learn-end-text = Przeciwnik jest na ostatnim polu, pośrodku planszy czasu. Gdy i ty tam dotrzesz, partia się skończy. Gra jest wyrównana, a każde puste pole odbiera 2 punkty: wybierz dobrze!
page-learn-score = Znasz już grę
page-learn-score-text = Guziki, plus 7 za żeton specjalny, minus 2 za każde puste pole: wygrywa wyższy wynik. To wszystko. Dobrej zabawy!
page-learn-lost = O włos! Cofnij się i w ostatnim ruchu weź kawałek materiału.

## The page: replays

page-replay = Odtwarzanie
page-replay-broken = Tego zapisu nie da się odczytać: { $detail }
page-replay-no-record = To nie jest zapis partii Patchworku.
page-replay-unknown = Nie ma tu takiego zapisu. Może link jest niepełny albo zapis nie jest już przechowywany.
page-replay-file = Zapis z pliku
page-replay-choose = Wybierz plik…
page-replay-text = Albo wklej jego tekst
page-replay-open = Odtwórz
page-replay-start = Początek
page-replay-first = Na początek
page-replay-back = Ruch wstecz
page-replay-play = Odtwarzaj
page-replay-pause = Wstrzymaj
page-replay-forward = Ruch do przodu
page-replay-last = Na koniec
page-replay-swap = Zamień strony
page-replay-move = Ruch { $number } z { $of }
page-replay-figures = Guziki { $buttons } · dochód { $income } · punkty { $points }
page-replay-board = Plansza czasu: znaczniki na polach { $first } i { $second }
page-replay-to-game = Wróć do partii
page-replay-copy = Kopiuj link do tego ruchu
page-replay-variation = Wariant ruchu { $number }
page-replay-variations = Warianty:
page-replay-leave = Wyjdź z wariantu
page-replay-annotation =
    { $name ->
        [good] dobry ruch
        [bad] zły ruch
        [very-good] bardzo dobry ruch
        [very-bad] bardzo zły ruch
        [interesting] ciekawy ruch
        [dubious] wątpliwy ruch
       *[other] adnotacja { $number }
    }
page-replay-record = Odtwórz zapis partii


## Linki w komunikatorach i strony bez JavaScriptu

link-how = Weź kawałek materiału z okręgu, zapłać guzikami i czasem i przyszyj go; ruch ma osoba, która jest z tyłu na planszy czasu. Na końcu liczą się guziki, a puste pola kosztują punkty.
link-join = Otwórz link, aby dołączyć; nie potrzebujesz konta.
link-running = Partia trwa i możesz ją oglądać ruch po ruchu.
link-replay = Przejrzyj partię ruch po ruchu.
link-drawing = Stół: obie kołdry, plansza czasu i okrąg kawałków materiału
link-script = Aby tu grać, włącz w przeglądarce JavaScript.

