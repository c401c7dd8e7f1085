# Czech. What the command line and the terminal say. Names in dollars are filled in; keep them as
# they are. Words typed by the user (help, moves, try, undo, show, quit), option names and move texts
# such as 17Bc4 are the same in every language.
#
# Glossary:
#   patch = záplata                        leather patch = kožená záplata
#   button = knoflík                       income = zisk
#   time token = žeton času                time board = časový plán
#   quilt board = přikrývka                space = pole
#   special 7x7 tile = kartička 7 × 7      advance = postoupit vpřed
#   buy = koupit                           place = umístit
#   neutral token = neutrální figurka      tag with the price = visačka
#   mark on the time board = značka        row (of a grid) = řádek
#   turn, move = tah                       circle of patches = kruh
#   game = partie                          record = záznam
#   position = pozice                      orientation = orientace
#   seat = místo                           score = skóre
#   tag = údaj v hlavičce                  seed = hodnota --seed
#   player = hráč                          match = zápas
#   pair of games = dvojice                ladder = žebříček
#   strength = síla                        log = protokol
#   limit = limit                          level = úroveň
#   cancel (a game) = zrušit               loss (in training) = ztráta
#   run (of training) = běh
#
# No-break spaces (U+00A0) stand after words of one letter, before dashes and %, and between a number
# and what it counts.

## The command line

cli-usage = použití:
cli-commands = příkazy
cli-arguments = argumenty
cli-options = volby
cli-help = zobrazit tuto nápovědu a skončit
cli-lang = jazyk zpráv programu (výchozí: jazyk systému)
cli-version = zobrazit verzi a skončit
cli-see-help = Zkus „{ $prog } --help“.
cli-no-such-command = příkaz „{ $command }“ neexistuje; k dispozici jsou { $commands }
cli-similar-command = příkaz „{ $command }“ neexistuje; neměl to být „{ $similar }“?
cli-not-together = { $first } a { $second } nelze použít zároveň
cli-needs = { $option } funguje jen spolu s { $other }
cli-needs-record = { $option } funguje jen se zaznamenanou partií, ale toto je samostatná pozice

cli-description = Patchwork, desková hra Uweho Rosenberga pro dva hráče. Neoficiální fanouškovský projekt.
cli-description-examples =
    příklady:
      patchwork                          hrát v prohlížeči, proti počítači nebo s přáteli
      patchwork play                     hrát v terminálu proti počítači
      patchwork play --opponent human    dva lidé u jedné klávesnice
      patchwork replay game.patchwork    znovu si projít partii

cli-play = zahrát si celou partii v terminálu
cli-play-examples =
    Nedohraná partie se obnoví automaticky. Novou začne --new a také každá volba,
    která popisuje partii: --opponent, --seat, --names, --seed, --edition, --first.
    Nedohraná partie přitom zůstane uložená; pokračovat v ní jde pomocí --file.
    příklady:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = soupeř: greedy (jednoduchý program), úroveň herního enginu od 1 (mírná) do 8, nebo human, tedy člověk (výchozí: greedy)
cli-seat = tvoje místo ve hře proti počítači (výchozí: 0)
cli-names = jména hráčů na místech 0 a 1
cli-seed = číslo, které určuje pořadí záplat; bez něj se pořadí vylosuje
cli-edition = kde leží kožené záplaty: classic (2014), nebo revised (výchozí: classic)
cli-first = místo hráče, který začíná (výchozí: 0)
cli-play-new = začít novou partii, i když je jiná rozehraná
cli-file = ukládat partii do tohoto souboru; pokud už existuje, pokračovat v ní
cli-compact = kreslit malý stůl pro úzký terminál

cli-show = nakreslit pozici nebo konec zaznamenané partie
cli-show-examples =
    příklady:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = soubor se záznamem nebo pozicí, text pozice, nebo - pro standardní vstup
cli-game = kolikátá partie v souboru, počítáno od 1 (výchozí: 1)
cli-move = nakreslit pozici po tomto počtu tahů
cli-svg = vypsat obrázek (SVG) místo textu
cli-dark = s --svg: tmavé barvy
cli-json = vypsat JSON pro programy

cli-replay = projít zaznamenanou partii tah po tahu
cli-replay-examples =
    Vypíše jeden tah po druhém: co tah způsobil, komentáře k němu a stůl po něm.
    V terminálu po každém čeká na Enter.
    příklady:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = soubor se záznamy partií, nebo - pro standardní vstup

cli-check = ověřit, zda záznamy partií odpovídají pravidlům
cli-check-examples =
    Je-li některý soubor chybný, skončí s kódem 1 a vypíše, kde je chyba a jaká.
    příklady:
      patchwork check *.patchwork

cli-new = vypsat záznam nové partie bez tahů
cli-new-examples =
    příklady:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = spočítat povolené posloupnosti tahů pro porovnání implementací pravidel
cli-perft-examples =
    Vypíše počet po každém prvním tahu a nakonec součet. Bez pozice vychází z nové
    partie s --seed 0, pokud není zadáno jinak.
    příklady:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = délka posloupností, aspoň 1
cli-perft-seed = číslo, které určuje pořadí záplat (výchozí: 0)
cli-position = text pozice (výchozí: nová partie)

cli-serve = spustit server: hra v prohlížeči, i s přáteli přes odkaz
cli-serve-examples =
    Bez voleb slouží jen tomuto počítači a otevře jeho prohlížeč. Partie se ukládají
    do databáze a po restartu pokračují. Vše lze nastavit i proměnnými prostředí,
    například PATCHWORK_PORT; všechny uvádí docs/operations.md.
    příklady:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = adresa, na které server naslouchá (výchozí: 127.0.0.1, dostupná jen z tohoto počítače)
cli-port = port, na kterém server naslouchá; 0 znamená kterýkoli volný (výchozí: 8327)
cli-database = soubor SQLite nebo adresa postgresql:// s partiemi (výchozí: server.db ve složce s daty uživatele)
cli-public-url = adresa, na které je server dostupný hráčům (pro odkazy)
cli-origins = další zdroje (origins), jejichž stránky tu smějí hrát, oddělené čárkami
cli-proxies = adresy důvěryhodných proxy, oddělené čárkami
cli-workers = kolik procesů počítá tahy počítače (výchozí: o jeden méně, než je jader procesoru)
cli-log-format = formát záznamů v protokolu (výchozí: text)
cli-log-level = nejnižší úroveň záznamů v protokolu (výchozí: info)
cli-no-browser = neotvírat prohlížeč
cli-serving = Patchwork běží na { $url } (ukončí ho Ctrl+C)
cli-open-host = server naslouchá na { $host }, takže je dostupný i ostatním, a spojení není šifrované; na internetu před něj patří proxy s TLS (docs/operations.md)
cli-port-in-use = port { $port } na { $host } je obsazený, možná jiným Patchworkem; jiný lze zvolit příkazem „patchwork serve --port N“ (0 znamená kterýkoli volný)
cli-cannot-listen = na { $host }, port { $port }, nelze naslouchat: { $detail }
cli-no-database = databázi nelze použít: { $detail }
cli-newer-database = tyto partie patří k jiné, zřejmě novější verzi programu ({ $detail })
cli-no-postgres = pro PostgreSQL není nainstalováno vše potřebné; v klonu repozitáře spusť „pip install '.[postgres]'“

cli-backup = zálohovat partie serveru do souboru, i když server běží
cli-backup-examples =
    Záloha je úplná a ověřená. Obsahuje i klíč, kterým se podepisují identity hráčů,
    a patří proto na stejně bezpečné místo jako databáze. Jen pro SQLite; PostgreSQL
    má pg_dump.
    příklady:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = soubor pro zálohu
cli-force = přepsat soubor, pokud už existuje
cli-backup-done = Partie jsou zálohované v souboru { $file }

cli-restore = nahradit partie serveru zálohou
cli-restore-examples =
    Dosavadní partie zůstanou ve stejné složce, v souboru s datem a časem v názvu.
    příklad:
      patchwork restore games-2026-11-15.db
cli-restore-file = soubor se zálohou
cli-restore-done = Partie ze zálohy { $file } jsou obnovené
cli-restore-kept = Předchozí partie jsou v souboru { $file }

cli-export = vypsat všechny partie serveru jako záznamy
cli-export-examples =
    příklady:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = soubor pro záznamy nebo - pro standardní výstup (výchozí: -)
cli-exported =
    { $games ->
        [one] { $games } partie zapsána do souboru { $file }
        [few] { $games } partie zapsány do souboru { $file }
        [many] { $games } partie zapsáno do souboru { $file }
       *[other] { $games } partií zapsáno do souboru { $file }
    }
cli-export-skipped = partii { $game } nelze zapsat: { $detail }
cli-no-such-file = soubor { $file } neexistuje
cli-copy-exists = soubor { $file } už existuje a bez --force nebude přepsán
cli-copy-not-sqlite = funguje jen s SQLite; pro PostgreSQL slouží pg_dump a pg_restore
cli-copy-same-file = záloha a databáze jsou tentýž soubor
cli-copy-unsound = není to platná kopie partií serveru ({ $detail })
cli-copy-failed = partie se nepodařilo zkopírovat: { $detail }

cli-bad-setting = { $setting } nemůže být „{ $value }“; povoleno: { $allowed }
cli-allowed-host = adresa nebo jméno počítače, bez portu
cli-allowed-port = celé číslo od 0 do 65535
cli-allowed-database = cesta k souboru, sqlite:///CESTA nebo postgresql://UŽIVATEL:HESLO@SERVER/NÁZEV
cli-allowed-origins = zdroje jako https://example.org, oddělené čárkami
cli-allowed-proxies = IP adresy nebo sítě jako 10.0.0.0/8, oddělené čárkami
cli-allowed-public-url = adresa jako https://example.org, bez cesty
cli-allowed-switch = auto, true nebo false
cli-allowed-workers = celé číslo od 1 do 256
cli-allowed-secret = aspoň 32 znaků
cli-allowed-log-format = text nebo json
cli-allowed-log-level = debug, info, warning nebo error
cli-allowed-frame = celé číslo od 256 do 1048576
cli-allowed-count = celé číslo, aspoň 0
cli-allowed-positive = celé číslo, aspoň 1
cli-allowed-seconds = počet sekund větší než 0

cli-upi = spustit engine pro jiný program podle protokolu UPI
cli-upi-examples =
    Čte příkazy ze standardního vstupu a odpovídá na standardní výstup.
    Protokol popisuje docs/upi.md.
    příklad:
      patchwork match greedy upi:"patchwork upi"@2000n
cli-analyse = rozebrat pozice po dávkách, jeden objekt JSON na řádek
cli-analyse-examples =
    Čte dotazy ze standardního vstupu a odpovídá jedním řádkem na každou pozici.
    Pole popisuje docs/upi.md.
    příklad:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = kolik jader procesoru se použije (výchozí: 1)
cli-memory = kolik megabajtů smí prohledávání zabrat (výchozí: 56)
cli-preparing = Připravuje se engine; poprvé to trvá půl minuty…
cli-match = nechat dva programy hrát proti sobě a zjistit, který je silnější
cli-match-examples =
    Hraje se po dvojicích partií: dvakrát stejný kruh záplat, s prohozenými místy.
    S volbou --log zápas po zopakování stejného příkazu pokračuje tam, kde skončil.
    Hráč, který spadne, neodpoví nebo poruší pravidla, partii prohrává.
    hráči:
      random, greedy, uct1000    neměnné programy pro srovnání s jinými
      level:1 ... level:8        herní engine na dané úrovni
      playout:8                  engine bez sítě; nikdy se nemění
      network:SOUBOR             engine se sítí ze souboru
      upi:"PŘÍKAZ"               program, který umí UPI
      codingame:"PŘÍKAZ"         bot napsaný pro CodinGame
      level:8@0.5s, level:8@2000n, upi:"PŘÍKAZ"@1s
                                 s limitem na tah: sekundy nebo uzly
    příklady:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = hráč, například greedy nebo level:8
cli-pairs = kolik dvojic partií se zahraje s každým soupeřem (výchozí: 100)
cli-jobs = kolik partií se hraje současně (výchozí: 1)
cli-match-seed = číslo, které určuje vše náhodné (výchozí: 0)
cli-match-edition = kde leží kožené záplaty (výchozí: vydání se střídají)
cli-timeout = kolik sekund nad svůj limit smí hráč přemýšlet, než prohraje (výchozí: 60)
cli-log = ukládat každou partii do tohoto souboru; pokud už existuje, pokračovat v zápasu
cli-records = zapsat partie jako záznamy do tohoto souboru
cli-sprt = skončit, jakmile je jasné, zda je A lepší než B spíše o HIGH, nebo o LOW bodů Elo

cli-ladder = ohodnotit několik programů na jedné stupnici
cli-ladder-examples =
    Seznam hráčů vypíše „patchwork match --help“.
    příklady:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = hrají spolu jen hráči, kteří jsou v seznamu od sebe nejvýše K míst
cli-anchor = hráč, jehož síla je 0 (výchozí: první)

cli-learn = naučit síť hrát, změřit její sílu a uložit ji
cli-learn-examples =
    Vše vysvětluje docs/training.md. Víc vypíše „patchwork learn PŘÍKAZ --help“.
cli-learn-run = nechat síť hrát samu se sebou a učit se z toho
cli-learn-run-examples =
    Vše, co běh vytvoří, je v jedné složce. Ctrl+C ho kdykoli zastaví a --resume
    v něm později pokračuje.
    příklady:
      patchwork learn run --config smoke --out runs/smoke
      patchwork learn run --config full --minutes 30 --out runs/first
      patchwork learn run --resume runs/first --minutes 30
      torchrun --nproc-per-node 2 -m patchwork learn run --config full --out runs/two
cli-learn-config = konfigurace: full, deep, wide, far, smoke nebo soubor TOML (výchozí: konfigurace běhu, ve kterém se pokračuje, jinak full)
cli-learn-minutes = kolik minut se učit (výchozí: podle konfigurace)
cli-learn-out = složka běhu (výchozí: ta, ve které se pokračuje)
cli-learn-resume = pokračovat v běhu z této složky, nebo začít s vahami této sítě
cli-learn-no-out = je potřeba --out, pokud --resume neuvádí složku běhu
cli-learn-status = minuta { $minutes }, zbývá { $left } %  { $rating }  hodnocení/s: { $speed }  partie: { $games }  pozice: { $positions }  ztráty: { $losses }
cli-learn-done = Učení trvalo { $minutes } min; vše je ve složce { $folder }
cli-learn-stopped = Po { $minutes } min zastaveno a uloženo; pokračovat lze příkazem „patchwork learn run --resume { $folder }“
cli-learn-rate = změřit, jak silné jsou sítě z jednoho běhu
cli-learn-rate-examples =
    Hrají mezi sebou a proti random, greedy a uct1000, na jedné stupnici, kde
    greedy = 0. Výsledky zůstávají ve složce; žádná partie se nehraje dvakrát.
    příklad:
      patchwork learn rate runs/first --nodes 64 --pairs 100 --jobs 2
cli-learn-folder = složka běhu
cli-learn-nodes = kolik uzlů smí síť prohledat pro každý tah; při 1 zahraje první, co ji napadne (výchozí: 64)
cli-learn-no-networks = ve složce { $folder } nejsou žádné sítě
cli-learn-export = uložit síť ve formátu ONNX, aby se s ní dalo hrát
cli-learn-export-examples =
    Vedle sítě uloží kartu ve formátu JSON s tím, co je o síti známo.
    příklady:
      patchwork learn export runs/first/networks/player-025.0.pt --out my.onnx
      patchwork match network:my.onnx@1s level:8@1s
cli-learn-network = soubor se sítí, ze složky běhu
cli-learn-onnx = cílový soubor; vedle něj vznikne karta s příponou .json
cli-learn-exported = Soubor { $file } je zapsaný (počet parametrů: { $parameters })
cli-learn-distil = převést znalosti sítě do vah vzorů, se kterými se prohledává rychleji
cli-learn-distil-examples =
    Síť hraje sama se sebou a váhy vzorů se od ní učí hodnotit pozice. Uloží se vedle
    ní a prohledává s nimi úroveň 8. Stačí půl hodiny na dvou jádrech procesoru; GPU
    není potřeba.
    příklad:
      patchwork learn distil my.onnx
cli-learn-distilled-from = síť ze složky běhu, nebo ve formátu ONNX (viz „learn export“)
cli-learn-games = kolik partií síť zahraje (výchozí: 24000)
cli-learn-steps = počet kroků učení (výchozí: 25000)
cli-learn-minutes-at-most = po kolika minutách učení nejpozději skončí, včetně hraní partií
cli-learn-seed = číslo, které určuje vše náhodné (výchozí: 0)
cli-learn-teaching = partie: { $games } z { $total }
cli-learn-step = krok { $step } z { $total }, ztráta: { $loss }
cli-learn-distilled = Soubor { $file } je zapsaný (logaritmická ztráta: { $loss }; u sítě: { $other })
cli-learn-unreadable = soubor { $file } nelze použít: { $detail }
cli-learn-size = soubor { $file } neodpovídá konfiguraci: { $detail }
cli-learn-not-installed = pro učení není nainstalováno vše potřebné ({ $detail }); v klonu repozitáře spusť „pip install '.[learn]'“
cli-bad-minutes = „{ $found }“ sem nepatří; musí to být počet minut větší než 0
cli-no-config = konfigurace „{ $name }“ neexistuje; lze zadat { $names } nebo cestu k souboru
cli-config-damaged = { $file } není platný soubor TOML: { $detail }
cli-config-unknown = { $file }: nastavení „{ $setting }“ neexistuje; možná nastavení: { $settings }
cli-config-whole = { $file }: { $setting } nemůže být „{ $value }“; povolena jsou celá čísla od { $least } do { $most }
cli-config-number = { $file }: { $setting } nemůže být „{ $value }“; povolena jsou čísla od { $least } do { $most }
cli-config-simulations = { $file }: { $setting } nemůže být „{ $value }“; povolen je seznam jako [[0, 16], [0.5, 32]], v němž podíly běhu rostou od 0 nejvýše do 1 a ke každému patří 1 až { $most } simulací

cli-cannot-open = nelze otevřít { $file }: { $detail }
cli-cannot-write = výstup nelze zapsat: { $detail }
cli-no-output = standardní výstup je zavřený, takže nelze nic vypsat
cli-no-input = standardní vstup je zavřený, takže z něj nelze nic číst
cli-not-text = { $file } není textový soubor: bajt { $byte } neodpovídá UTF-8
cli-file-exists = soubor { $file } už existuje a nebude přepsán; bez { $option } se bude pokračovat v jeho partii
cli-game-finished = partie v souboru { $file } je dohraná; zobrazí ji „{ $command }“
cli-damaged-save = soubor { $file } se přeskakuje, protože v něm není platná partie; důvod vypíše „patchwork check“
cli-no-such-source = soubor „{ $source }“ neexistuje a pozice to také není: { $complaint }
cli-no-such-game = v souboru { $file } není partie { $game }; počet partií v něm: { $games }
cli-no-such-move = tah { $move } neexistuje; zvol číslo od 0 do { $last }
cli-bad-seed = { $seed } nemůže být hodnota --seed; musí to být celé číslo od 0 do { $last }
cli-bad-number = „{ $found }“ sem nepatří; musí to být celé číslo, aspoň { $least }
cli-bad-name = { $name } nemůže být jméno; jméno je jeden řádek textu
cli-bad-player = hráč „{ $player }“ neexistuje; k dispozici jsou random, greedy, uct1000, level:1 až level:8, playout:8, network:SOUBOR, upi:PŘÍKAZ a codingame:PŘÍKAZ; level, playout, network a upi mohou mít limit jako @1s nebo @2000n
cli-classic-only = { $player } zná jen vydání classic
cli-bad-elo = „{ $found }“ sem nepatří; musí to být rozdíl v Elo jako 10 nebo -2.5
cli-sprt-order = první mez musí být menší než druhá, ale { $low } není menší než { $high }
cli-ladder-players = žebříček potřebuje alespoň dva hráče, každého jednou
cli-no-anchor = hráč { $player } má mít sílu 0, ale neúčastní se
cli-ladder-unconnected = na porovnání všech hráčů se odehrálo příliš málo partií
cli-not-installed = není nainstalováno vše, co je k tomu potřeba ({ $detail }); v klonu repozitáře spusť „pip install '.[play]'“
cli-exists = soubor { $file } už existuje a nebude přepsán
cli-player-not-started = hráče { $player } nelze spustit: { $detail }
cli-log-another-match = { $file } je protokol jiného zápasu: { $detail }
cli-log-damaged = protokol { $file } je poškozený: { $detail }
cli-log-in-use = do protokolu { $file } právě zapisuje jiný zápas
cli-match-interrupted = přerušeno; dohrané partie: { $games }
cli-match-progress = partie: { $games } z { $total }
cli-ladder-pairs = (počet dvojic: { $pairs })
cli-result-games = partií: { $games }, výher: { $wins }, proher: { $losses } ({ $percent } %)
cli-result-pairs = dvojic: { $pairs }, výher 2-0: { $won }, remíz 1-1: { $split }, proher 0-2: { $lost }
cli-result-elo = síla: { $elo }; pravděpodobnost, že je lepší: { $percent } %
cli-result-scores = průměrné skóre: { $first } : { $second }
cli-result-time = průměrný čas na tah: { $first } : { $second }
cli-result-forfeit = { $player }: kontumační prohra v partii { $game } z dvojice { $pair } ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] test: lepší spíše o { $high } Elo než o { $low } (logaritmus poměru věrohodností { $ratio })
        [rejected] test: lepší spíše o { $low } Elo než o { $high } (logaritmus poměru věrohodností { $ratio })
       *[undecided] test: nerozhodnuto mezi { $low } a { $high } Elo (logaritmus poměru věrohodností { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } partie, vše v pořádku
        [few] { $games } partie, vše v pořádku
        [many] { $games } partie, vše v pořádku
       *[other] { $games } partií, vše v pořádku
    }
cli-no-game = V souboru není žádná partie.
cli-press-enter = Enter: dál, q: konec
cli-ends-here =
    { $termination ->
        [resigned] Partie tu skončila vzdáním.
        [time] Partie tu skončila vypršením času.
        [left] Partie tu skončila, protože někdo odešel.
        [aborted] Partie tu byla zrušena.
       *[unfinished] Partie není dohraná.
    }

## Playing in the terminal

play-player = Hráč { $seat }
play-saved-in = Partie se ukládá do souboru { $path }
play-resumed = Pokračuješ v nedohrané partii.
play-help-hint = Napiš tah nebo „help“.
play-prompt =
    { $phase ->
        [leather] { $name } umisťuje koženou záplatu:
       *[turn] Na tahu je { $name }:
    }
play-help =
    Tahy:
      A        postoupit těsně před druhý žeton času; 1 knoflík za každé pole
      17Bc4    koupit záplatu 17, orientace B, levý horní roh ve sloupci c, řádku 4
      Lc4      umístit koženou záplatu do sloupce c, řádku 4
    Příkazy:
      moves       co teď můžeš dělat
      moves 17    záplata 17 ve všech orientacích; „o“ značí, kde může být její roh
      try 17Bc4   podívat se, co by tah způsobil, aniž ho zahraješ
      undo        vzít zpět svůj poslední tah
      show        znovu nakreslit stůl
      quit        odejít; partie zůstane uložená
    Na obrázku: „b“ knoflíky, „i“ zisk, „t“ čas, „=“ skóre, kdyby teď byl konec.
    Na časovém plánu „$“ přináší zisk a na „%“ leží kožená záplata.
play-unknown = „{ $command }“ není tah ani příkaz. Napiš „help“.
play-try-what = Napiš i tah, který chceš vyzkoušet, například „try 17Bc4“.
play-leather-first = Nejdřív umísti koženou záplatu, například { $move }.
play-advance =
    { $spaces ->
        [one] postoupit o { $spaces } pole a získat { $spaces } knoflík
        [few] postoupit o { $spaces } pole a získat { $spaces } knoflíky
        [many] postoupit o { $spaces } pole a získat { $spaces } knoflíku
       *[other] postoupit o { $spaces } polí a získat { $spaces } knoflíků
    }
play-places-count =
    { $count ->
        [0] nikam se nevejde
        [one] lze umístit { $count } způsobem
        [few] lze umístit { $count } způsoby
        [many] lze umístit { $count } způsobu
       *[other] lze umístit { $count } způsoby
    }
play-no-such-patch = Záplata „{ $found }“ neexistuje; záplaty mají čísla 0 až { $last }.
play-nothing-to-undo = Není co vzít zpět.
play-undone =
    { $count ->
        [one] Vzat zpět { $count } tah.
        [few] Vzaty zpět { $count } tahy.
        [many] Vzato zpět { $count } tahu.
       *[other] Vzato zpět { $count } tahů.
    }
play-left = Partie je uložená. Pokračuje v ní „{ $command }“.
play-not-saved = Tah nebyl zahrán, protože do souboru { $path } nelze zapisovat: { $detail }
play-changed-elsewhere = Tah nebyl zahrán, protože soubor { $path } se mezitím změnil, možná kvůli druhému spuštěnému „patchwork play“. Napiš „quit“ a spusť hru znovu; naváže se na změněnou partii.

play-advances =
    { $spaces ->
        [one] { $name } postupuje o { $spaces } pole a získává { $spaces } knoflík.
        [few] { $name } postupuje o { $spaces } pole a získává { $spaces } knoflíky.
        [many] { $name } postupuje o { $spaces } pole a získává { $spaces } knoflíku.
       *[other] { $name } postupuje o { $spaces } polí a získává { $spaces } knoflíků.
    }
play-buys =
    { $name } kupuje záplatu { $patch } (zaplacené knoflíky: { $buttons }, posun na časovém plánu: { $spaces }).
play-places = { $name } umisťuje koženou záplatu na pole { $cell }.
play-income =
    { $buttons ->
        [one] Zisk: { $buttons } knoflík.
        [few] Zisk: { $buttons } knoflíky.
        [many] Zisk: { $buttons } knoflíku.
       *[other] Zisk: { $buttons } knoflíků.
    }
play-tile = { $name } získává kartičku 7 × 7.
play-takes-leather = { $name } si bere koženou záplatu.
play-discards-leather = { $name } si bere koženou záplatu, ale nemá pro ni volné pole.
play-home = { $name } jako první dosahuje posledního pole.
play-try-score = Skóre: { $score } ({ $change })
play-try-next = Pak bude na tahu: { $name }

play-score =
    { $name }: { $buttons } (knoflíky) + { $tile } (kartička 7 × 7) - { $minus } (prázdná pole: { $empty }) = { $score }
play-tie-break = Skóre je stejné; rozhodl dřívější příchod na poslední pole: { $name }.
play-wins = { $name } vítězí!
play-replay-hint = „{ $command }“ ukáže partii znovu.

## Why a move is refused

reason-game-over = Partie skončila.
reason-not-in-this-phase = Teď ne: kožená záplata se musí umístit hned poté, co ji získáš, a jen tehdy.
reason-not-on-offer = Tato záplata není v nabídce; vybírat lze jen z následujících tří v kruhu.
reason-cannot-afford = Na tuto záplatu knoflíky nestačí.
reason-off-the-board = Záplata by přečnívala přes okraj přikrývky.
reason-not-that-shape = Záplata nemá takový tvar.
reason-overlaps = Záplata by překrývala jinou.
reason-cell-taken = Toto pole už je zakryté.

## What is wrong with a text

notation-move = tah { $number }
notation-game = partie { $number }
notation-not-a-position = Toto není text pozice ({ $detail }).
notation-impossible-position = K této pozici nemůže žádná partie dospět ({ $detail }).
notation-not-a-move = Toto není tah. Tahy vypadají jako A, Lc4 nebo 17Bc4: záplaty 0 až 32, orientace A až H, sloupce a až i, řádky 1 až 9.
notation-illegal-move = Tento tah není povolen ({ $detail }).
notation-bad-tag = Údaj v hlavičce je chybný ({ $detail }).
notation-missing-tag = V hlavičce chybí údaj ({ $detail }).
notation-unexpected = Toto sem nepatří ({ $detail }).
notation-unclosed = Komentář není uzavřen.
notation-too-deep = Příliš mnoho variant je vnořeno do sebe.
notation-too-long = Záznam je příliš dlouhý.
notation-cut-off = Záznam končí bez výsledku; soubor možná není úplný.
notation-contradiction = Záznam si protiřečí ({ $detail }).
notation-not-one-record = Musí tu být právě jedna partie ({ $detail }).

## The page: the table

page-table-computer = Počítač, úroveň { $level }
page-table-you = Ty
page-table-player = Hráč { $number }
page-table-turn-you =
    { $why ->
        [leather] Umísti koženou záplatu
        [on-top] Jsi na tahu: tvůj žeton leží nahoře
       *[behind] Jsi na tahu: tvůj žeton je vzadu
    }
page-table-turn-other =
    { $whose ->
        [computer] Počítač
       *[other] { $name }
    } { $why ->
        [leather] umisťuje koženou záplatu
        [on-top] je na tahu: má žeton nahoře
       *[behind] je na tahu: má žeton vzadu
    }
page-table-called = Jsi na tahu – Patchwork
page-table-arrived = { $name } je tady – Patchwork
page-table-back = { $name } je zpátky – Patchwork
page-table-connecting = Připojování…
page-table-slow = Spojení je pomalé…
page-table-lost = Spojení přerušeno. Obnovuje se…
page-table-away = pryč
page-table-thinks = Počítač přemýšlí…
page-table-thinks-briefly = Počítač přemýšlí kratší dobu než obvykle: server má hodně práce…
page-table-thinks-later =
    { $tables ->
        [one] Počítač nejdřív přemýšlí u { $tables } dalšího stolu.
        [few] Počítač nejdřív přemýšlí u { $tables } dalších stolů.
        [many] Počítač nejdřív přemýšlí u { $tables } dalšího stolu.
       *[other] Počítač nejdřív přemýšlí u { $tables } dalších stolů.
    }
page-table-sending = Tvůj tah se odesílá…
page-table-withdrawn = Partie se mezitím změnila, tvůj tah proto neplatí.
page-table-refused =
    { $code ->
        [nothing-to-undo] Není co vzít zpět.
        [already-asked] Žádost už je odeslaná.
        [too-late-to-abort] Oba hráči už táhli, partii nelze zrušit.
        [not-gone] Druhý hráč je zpět.
        [busy] Počítač má plno práce. Zkus to za chvíli.
        [too-many] Příliš mnoho požadavků najednou. Zkus to za chvíli.
       *[other] To teď nejde.
    }
page-table-missed =
    { $moves ->
        [one] V tvé nepřítomnosti byl zahrán { $moves } tah:
        [few] V tvé nepřítomnosti byly zahrány { $moves } tahy:
        [many] V tvé nepřítomnosti bylo zahráno { $moves } tahu:
       *[other] V tvé nepřítomnosti bylo zahráno { $moves } tahů:
    }
page-table-joined = { $name } se připojuje ke hře.
page-table-asks = { $name } chce vzít zpět svůj poslední tah.
page-table-asked = Žádost o vrácení tvého posledního tahu čeká na odpověď.
page-table-accept = Povolit
page-table-decline = Odmítnout
page-table-declined = { $name } nesouhlasí s vrácením tahu.
page-table-taken-back = { $name }: tah vzat zpět.
page-table-wants-rematch = { $name } chce hrát znovu.
page-table-swapped =
    { $begins ->
        [you] Strany se prohodily: toto je teď tvůj žeton. Začínáš ty.
        [computer] Strany se prohodily: toto je teď tvůj žeton. Začíná počítač.
       *[other] Strany se prohodily: toto je teď tvůj žeton. Začíná { $name }.
    }
page-table-gone = Druhý hráč odešel.
page-table-gone-early = Druhý hráč odešel dřív, než oba zahráli.
page-table-claim = Přihlásit se o výhru
page-table-did-advance =
    { $spaces ->
        [one] postup o { $spaces } pole, +{ $spaces } knoflík
        [few] postup o { $spaces } pole, +{ $spaces } knoflíky
        [many] postup o { $spaces } pole, +{ $spaces } knoflíku
       *[other] postup o { $spaces } polí, +{ $spaces } knoflíků
    }
page-table-did-buy = koupena záplata { $patch } (knoflíky: { $buttons }, čas: { $spaces })
page-table-did-leather = kožená záplata na { $cell }
page-table-did-income = +{ $buttons } ze zisku
page-table-did-tile = získána kartička 7 × 7
page-table-did-take-leather = získána kožená záplata
page-table-move-advance = postup
page-table-move-leather = kožená záplata na { $cell }
page-table-move-buy = záplata { $patch } na { $cell }
page-table-buttons =
    { $buttons ->
        [one] { $buttons } knoflík
        [few] { $buttons } knoflíky
        [many] { $buttons } knoflíku
       *[other] { $buttons } knoflíků
    }
page-table-income = Zisk { $income }
page-table-has-tile = má kartičku 7 × 7
page-table-score = Body { $points }
page-table-score-why = Body, kdyby partie skončila teď: 1 za každý knoflík, 7 za kartičku 7 × 7, minus 2 za každé prázdné pole. Každý začíná na −157.
page-table-empty = Prázdná pole { $empty }
page-table-income-left = Zisk do konce +{ $buttons }
page-table-days =
    { $days ->
        [one] { $days } den
        [few] { $days } dny
        [many] { $days } dne
       *[other] { $days } dní
    }
page-table-clock-low = { $name }: zbývá méně než { $seconds } sekund
page-table-first-move = První tah:
page-table-first-move-you = Zahraj první tah včas, jinak se partie zruší. Nikdo neprohraje.
page-table-first-move-other = { $name }: bez prvního tahu včas se partie zruší. Nikdo neprohraje.
page-table-time-board = Časový plán: { $first } – pole { $at } z 53; { $second } – pole { $and }
page-table-quilt-of = Přikrývka: { $name }
page-table-swap-quilts = Prohodit přikrývky
page-table-cell-empty = { $cell }, prázdné
page-table-cell-patch = { $cell }, záplata { $patch }
page-table-cell-leather = { $cell }, kožená záplata
page-table-cell-thought = { $cell }, { $tag }: záplata { $patch }
page-table-cell-fits = { $cell }, sem se záplata vejde
page-table-cell-no-fit = { $cell }, takto se záplata nevejde
page-table-cell-tile = { $cell }, sem se záplata vejde a přinese kartičku 7 × 7
page-table-circle = Záplaty v nabídce
page-table-circle-rest = Ostatní záplaty v kruhu podle pořadí
page-table-neutral = Cívka s nití (neutrální figurka)
page-table-patch = Záplata { $patch }: počet polí { $cells }, cena { $cost }, čas { $time }, zisk { $income }
page-table-spaces = Pole { $cells }
page-table-coming-after =
    { $patches ->
        [one] Ještě { $patches } místo do nabídky
        [few] Ještě { $patches } místa do nabídky
        [many] Ještě { $patches } místa do nabídky
       *[other] Ještě { $patches } míst do nabídky
    }
page-table-cannot-afford = Málo knoflíků
page-table-fits-nowhere = Nikam se nevejde
page-table-choose = Vezmi si jednu ze tří záplat, nebo postup vpřed.
page-table-only-advance = Můžeš jen postoupit vpřed.
page-table-advance = Postoupit
page-table-sew = Přišít
page-table-turn = Otočit
page-table-flip = Převrátit
page-table-cancel = Vrátit
page-table-no-fit-this-way = Takto se nikam nevejde. Otoč ji nebo převrať.
page-table-no-place-there = Dál tímto směrem se nevejde.
page-table-place-leather = Kožená záplata: vyber volné pole.
page-table-lands = pole { $space } (+{ $spaces })
page-table-gets-income = +{ $buttons } ze zisku
page-table-gets-leather = kožená záplata
page-table-gets-tile = kartička 7 × 7
page-table-points = body { $before } → { $after }
page-table-then = pak: { $name }
page-table-then-computer = pak: počítač
page-table-then-again = jsi na tahu znovu
page-table-then-leather = pak ji umístíš
page-table-then-over = pak konec partie
page-idea-tag = nápad
page-idea-keep = Nechat jako nápad
page-idea-take = Vzít hned
page-idea-clear = Odložit všechny nápady
page-idea-count = Nápady: { $count }
page-idea-costs = cena { $buttons }
page-idea-lacking = chybí { $buttons }
page-idea-short =
    { $buttons ->
        [one] chybí { $buttons } knoflík
        [few] chybí { $buttons } knoflíky
        [many] chybí { $buttons } knoflíku
       *[other] chybí { $buttons } knoflíků
    }
page-idea-now = teď v nabídce
page-idea-next = po příštím nákupu
page-idea-if = po koupi
page-idea-later =
    { $purchases ->
        [one] nejdříve po { $purchases } nákupu
        [few] nejdříve po { $purchases } nákupech
        [many] nejdříve po { $purchases } nákupu
       *[other] nejdříve po { $purchases } nákupech
    }
page-idea-dropped =
    { $why ->
        [taken] Záplatu { $patch } už někdo má.
        [covered] Záplata { $patch } se už na zamýšlené místo nevejde.
        [home] Na záplatu { $patch } už nezbývá čas.
       *[other] Záplata { $patch } se nikam nevejde.
    }
page-next-tag = příští tah
page-next-play = Zahrát, až budu na tahu
page-next-begin = Připravit tah
page-next-advance = Postoupit, jakmile budeš na tahu? Nebo vyber záplatu.
page-next-is = Příští tah: { $move }.
page-next-when = Zahraje se, až budeš na tahu, pokud tato stránka zůstane otevřená.
page-next-cancel = Zrušit příští tah
page-next-cancelled =
    { $why ->
        [taken] Příští tah zrušen: záplatu { $patch } už někdo má.
        [not-on-offer] Příští tah zrušen: záplata { $patch } není v nabídce.
        [cannot-afford] Příští tah zrušen: na záplatu { $patch } máš málo knoflíků.
        [overlaps] Příští tah zrušen: záplata { $patch } se tam už nevejde.
        [leather] Příští tah zrušen: nejdřív musíš umístit koženou záplatu.
        [takeback] Příští tah zrušen: jeden tah byl vzat zpět.
       *[moved] Příští tah zrušen: tvůj tah už proběhl.
    }
page-table-undo = Vzít zpět
page-table-hint = Nápověda
page-table-hint-look =
    { $kind ->
        [advance] Postoupit vypadá lépe než kupovat.
        [buy] Koupit záplatu vypadá lépe než postoupit.
        [only] Můžeš jen postoupit.
       *[leather] Na kterém poli se kožená záplata hodí nejvíc?
    }
page-table-hint-watch =
    { $code ->
        [tile] Všimni si svého čtverce 7 × 7.
        [hole] Všimni si mezer o jediném poli.
        [leather] Všimni si kožené záplaty na časovém plánu.
        [again] Všimni si, kdo bude potom na tahu.
        [income] Všimni si zisku, který ještě přijde.
       *[line] Všimni si příští značky zisku.
    }
page-table-hint-figures = Ty: šance na výhru { $win } %, náskok v bodech { $points }
page-table-hint-best = nejlepší
page-table-hint-why =
    { $code ->
        [tile] získá kartičku 7 × 7: { $figure } bodů
        [hole] vyplní mezeru o jediném poli
        [leather] získá koženou záplatu
        [again] potom jsi znovu na tahu
        [income] do konce její zisk převýší cenu o { $figure }
       *[line] cestou dostaneš zisk: +{ $figure }
    }
page-table-hint-more =
    { $step ->
        [which] Ukaž mi tahy
       *[where] Ukaž mi kam
    }
page-table-hint-prepared = Připraveno, ale ještě nezahráno: tah potvrď, nebo změň.
page-table-menu = Partie
page-table-moves = Tahy
page-table-no-moves = Zatím žádné tahy.
page-table-order = Pořadí záplat
page-table-order-why = Vlož je do voleb nové partie a budeš hrát se stejnými záplatami.
page-table-qr = Odkaz jako QR kód
page-table-link = Odkaz na tento stůl
page-table-copy = Kopírovat odkaz
page-table-copied = Zkopírováno
page-table-share = Sdílet
page-table-abort = Zrušit partii
page-table-abort-why = Partie hned skončí, bez vítěze.
page-table-resign = Vzdát
page-table-resign-why = Partie hned skončí a vyhraje druhý hráč.
page-table-sure = Opravdu? Stiskni znovu.
page-table-home = Úvodní stránka
page-table-notify = Upozornit mě, když budu na tahu
page-table-notify-arrival = Upozornit mě, až se někdo připojí
page-table-notify-forbidden = Prohlížeč této stránce upozornění nepovoluje.
page-table-words = Stůl popsaný slovy
page-table-words-tile-free = Kartičku 7 × 7 zatím nikdo nemá.
page-table-words-place = Časový plán: pole { $space } z 53
page-table-words-income-next = Další zisk před polem { $space }
page-table-words-leather-next = Další kožená záplata před polem { $space }
page-table-words-shape = Šířka { $width }, výška { $height }; zaplněné sloupce: { $rows }
page-table-words-row = řádek { $row }: { $content }
page-table-words-takeable = Lze vzít
page-table-words-latest = Poslední tahy
page-table-keys = Klávesy
page-table-key-choose = vzít první, druhou nebo třetí záplatu
page-table-key-try = vyzkoušet jinou záplatu z kruhu na své přikrývce
page-table-key-arrows = posunout záplatu
page-table-key-turn = otočit
page-table-key-flip = převrátit
page-table-key-enter = zahrát tah, nebo si ho při čekání připravit
page-table-key-escape = vrátit záplatu, nebo zrušit připravený tah
page-table-key-keep = nechat záplatu jako nápad
page-table-key-clear = odložit všechny nápady
page-table-key-advance = postoupit
page-table-key-undo = vzít zpět poslední tah
page-table-key-hint = požádat o nápovědu; znovu: další krok
page-table-key-words = stůl popsaný slovy
page-table-key-circle = prohlédnout další záplaty
page-table-key-quilts = prohodit obě přikrývky
page-table-key-help = tento seznam
page-table-waiting = Čeká se na druhého hráče…
page-table-invite = Pošli tento odkaz někomu, s kým chceš hrát. Partie začne, jakmile se druhý hráč připojí.
page-table-only-here = Tento odkaz jde otevřít jen na tomto počítači. Chceš-li hrát s ostatními, spusť „patchwork serve --host 0.0.0.0“ a otevři stránku na síťové adrese tohoto počítače.
page-table-invited = { $name } tě zve ke hře.
page-table-your-name = Tvé jméno (nepovinné)
page-table-join = Připojit se a hrát
page-table-seat-taken = Místo už je obsazené. Můžeš se dívat.
page-table-needle = Kdo naposledy šil jehlou? Ten začíná.
page-table-soon = Partie za chvíli začne.
page-table-wins =
    { $whose ->
        [you] Vyhráváš!
        [computer] Počítač vítězí!
       *[other] { $name } vítězí!
    }
page-table-ended =
    { $reason ->
        [resigned-you] Vzdáváš partii.
        [resigned] { $name } vzdává partii.
        [time-you] Tvůj čas vypršel.
        [time] Čas vypršel: { $name }.
        [left-you] Odcházíš z partie.
        [left] { $name } odchází z partie.
        [aborted] Partie byla zrušena.
       *[other] Partie skončila.
    }
page-table-unfinished = Partie se nedohrála do konce, takže o ní body nerozhodují.
page-table-tie-break =
    { $whose ->
        [you] Skóre je stejné; tvůj žeton dorazil na poslední pole dřív.
        [computer] Skóre je stejné; žeton počítače dorazil na poslední pole dřív.
       *[other] Skóre je stejné; rozhodl dřívější příchod na poslední pole: { $name }.
    }
page-table-step-buttons = Knoflíky
page-table-step-tile = Kartička 7 × 7
page-table-step-empty = Prázdná pole
page-table-step-total = Celkem
page-table-why-buttons = 1 bod za každý
page-table-why-tile = 7 bodů za první zaplněný čtverec 7 × 7 polí
page-table-why-empty = minus 2 body za každé
page-table-skip = Ukázat vše najednou
page-table-next-game = Další partie
page-table-rematch = Hrát znovu
page-table-rematch-same = Znovu se stejnými záplatami
page-table-rematch-asked = Čeká se na druhého hráče…
page-table-rematch-accept = Přijmout a hrát znovu
page-table-new-game = Nová partie
page-table-replay = Prohlédnout partii
page-table-record = Stáhnout záznam
page-table-picture = Obrázek přikrývek ({ $format })
page-table-look = Podívat se na stůl
page-table-to-scores = Zpět k bodování
page-table-watching = Sleduješ partii.
page-table-waits-for = Na tahu je { $name }…

## The page: home and settings

page-home = Patchwork, úvodní stránka
page-learn = Naučit se hrát
page-rules = Pravidla
page-preferences = Nastavení
page-language = Jazyk
page-theme = Barvy
page-theme-system = Podle zařízení
page-theme-light = Světlé
page-theme-dark = Tmavé
page-tokens = Barvy žetonů
page-tokens-edition = Podle vydání
page-tokens-classic = Limetková a žlutá
page-tokens-revised = Modrá a červená
page-look = Strana časového plánu
page-look-rug = Pletený koberec
page-look-blocks = Sešité čtverce
page-confirm = Potvrzovat každý tah
page-confirm-why = Bez toho se tah zahraje, jakmile vybereš místo.
page-motion = Animace
page-motion-calm = Vypnuté v nastavení zařízení.
page-sound = Zvuky
page-close = Zavřít
page-fan = Neoficiální fanouškovský projekt. Patchwork je hra Uweho Rosenberga, kterou vydalo nakladatelství Lookout Games; ani autor, ani nakladatelství nemají s touto stránkou nic společného. Jestli se ti hra líbí, kup si opravdovou.
page-licence = Svobodný software pod licencí MIT.
page-api = Pro vývojáře

page-tagline = Za knoflíky kupuješ záplaty, ze záplat šiješ přikrývku. Hra pro dva na čtvrt hodiny.
page-play-now = Hrát hned
page-opening = Připravuje se hra…
page-level = Jak silný má být počítač?
page-level-1 = Mírná
page-level-2 = Lehká
page-level-3 = Pohodová
page-level-4 = Solidní
page-level-5 = Zkušená
page-level-6 = Silná
page-level-7 = Velmi silná
page-level-8 = Nejsilnější
page-level-lowest = Začni tady, pokud hru teprve poznáváš. O něco slabší než hráč, který kupuje podle jednoduchého pravidla.
page-level-strength = Proti úrovni { $below } vyhrává asi { $percent } ze 100 partií.
page-level-thinks = Přemýšlí sekundu; ostatní odpovídají hned.
page-level-honest = Změřeno v partiích mezi úrovněmi, ne proti lidem. Žádná nehraje špatně schválně: nižší jen nevidí tak daleko dopředu.
page-options = Další možnosti
page-first = Kdo začíná?
page-first-me = Já
page-first-computer = Počítač
page-first-friend = Druhý hráč
page-first-one = Hráč 1
page-first-two = Hráč 2
page-first-random = Rozhodne náhoda
page-first-needle = Kdo naposledy šil jehlou
page-edition = Časový plán
page-edition-classic = Plán z roku 2014
page-edition-revised = Pozdější vydání a aplikace
page-edition-why = Liší se jen místa kožených záplat.
page-order = Pořadí záplat (nepovinné)
page-order-why = Chceš-li hrát se stejnými záplatami jako někdo jiný, zadej stejné číslo nebo vlož pořadí z nabídky jiné partie či ze záznamu. Prázdné pole znamená náhodné pořadí.
page-clock = Hodiny
page-clock-none = Žádné
page-clock-minutes =
    { $minutes ->
        [one] { $minutes } minuta na hráče + { $increment } s za tah
        [few] { $minutes } minuty na hráče + { $increment } s za tah
        [many] { $minutes } minuty na hráče + { $increment } s za tah
       *[other] { $minutes } minut na hráče + { $increment } s za tah
    }
page-clock-days =
    { $days ->
        [one] { $days } den na tah
        [few] { $days } dny na tah
        [many] { $days } dne na tah
       *[other] { $days } dní na tah
    }
page-name = Tvoje jméno (nepovinné)
page-name-one = Jméno hráče 1 (nepovinné)
page-name-two = Jméno hráče 2 (nepovinné)

page-ways = Další způsoby hry
page-screen = Dva u jedné obrazovky
page-screen-why = Seďte vedle sebe, nebo si zařízení podávejte.
page-screen-begin = Začít
page-friend = Pozvat někoho
page-friend-why = Dostaneš odkaz, který někomu pošleš. Kdo ho otevře první, hraje s tebou; účet není potřeba.
page-friend-begin = Vytvořit odkaz
page-watch = Dívat se na partii
page-watch-why = Dívat se může každý, kdo má odkaz na partii.
page-watch-label = Odkaz na partii
page-watch-begin = Dívat se
page-carry = Pokračovat na jiném zařízení
page-carry-why = Tvoje partie patří k tomuto prohlížeči. Pomocí soukromého odkazu v nich můžeš pokračovat na jiném zařízení.
page-carry-begin = Vytvořit soukromý odkaz
page-carry-link = Soukromý odkaz
page-carry-picture = QR kód soukromého odkazu
page-carry-expires = Platí do { $time }. Nikomu jinému ho neukazuj: kdo ho otevře, hraje za tebe.
page-network = Pustit ke hře ostatní v této síti
page-network-why = Zatím může tuto stránku otevřít jen tento počítač. Když pustíš ostatní dovnitř, může ji otevřít a hrát kdokoli ve stejné síti, třeba na tvé wi-fi; k tvým souborům a jiným programům se nedostane. Skončí to, jakmile to zde zavřeš nebo ukončíš Patchwork.
page-network-is-open = Otevřeno všem v této síti na adrese
page-network-picture = QR kód této adresy
page-network-others = Další adresy tohoto počítače:
page-network-firewall = Pokud se stránka na druhém zařízení neotevře, zkontroluj, že jsou obě ve stejné síti a že firewall tohoto počítače propouští Patchwork (Python).
page-network-close = Zavřít pro ostatní
page-network-failed = Nepodařilo se otevřít. Možná stejný port používá jiný program.
page-network-none = Tento počítač není v místní síti, takže se k němu ostatní nepřipojí.
page-network-again = Zkontrolovat znovu
page-carry-here = Pokračovat ve hře tady?
page-carry-here-why = Tento prohlížeč pak bude hrát za hráče, který odkaz vytvořil.
page-carry-here-begin = Pokračovat tady
page-carry-too-old = Platnost odkazu vypršela, nebo odkaz není úplný. Na druhém zařízení vytvoř nový.
page-carry-own = Tento prohlížeč
page-carry-maker = Druhé zařízení
page-carry-games = Partie
page-carry-running = Rozehrané
page-carry-finished = Dohrané
page-carry-adopt = Tento prohlížeč zatím nemá žádné vlastní partie.
page-carry-merge = Tvoje partie a partie z druhého zařízení se spojí do jednoho seznamu. Všechny můžeš hrát tady i tam; žádná se neztratí.
page-carry-merge-undo = Během jednoho dne to můžeš vrátit zpět.
page-carry-merge-own-link = Pokračuj, jen pokud je odkaz tvůj. Jinak by tvoje partie mohl hrát někdo jiný.
page-carry-same = Tento prohlížeč už hraje za hráče, který odkaz vytvořil. Nic dalšího není potřeba.
page-carry-opponents = Hraješ proti hráči, který odkaz vytvořil. Dokud to neskončí, vaše partie nejde spojit.
page-carry-opponents-how = Nejdřív dohraj, vzdej se nebo partii zruš a pak vytvoř nový odkaz. Do té doby se nic nezmění a žádná partie se neztratí.
page-carry-not-now = Teď ne
page-carry-retry = Zkusit znovu
page-carry-merged = Partie tohoto prohlížeče a jiného zařízení byly spojeny.
page-carry-undo-why = Vrátit zpět to můžeš do { $time }. Partie začaté mezitím pak zůstanou druhému zařízení.
page-carry-undo = Vrátit zpět
page-copy = Kopírovat
page-copied = Zkopírováno

page-continue = Pokračovat ve hře
page-finished = Dohrané partie
page-no-games = Tady se objeví tvoje partie.
page-last-quilt = Tvoje poslední přikrývka
page-loading = Načítá se…
page-more-games = Ukázat další partie
page-against = Soupeř: { $name }
page-computer-level = počítač, úroveň { $level }
page-both = { $one } a { $two }
page-your-turn = Jsi na tahu
page-turn-of = Na tahu: { $name }
page-time-left = Na tah zbývá: { $time }
page-not-begun = Ještě nezačala
page-won = Výhra
page-lost = Prohra
page-won-by = Vítěz: { $name }
page-no-winner = Zrušeno
page-by-resigning = vzdáním
page-by-time = na čas
page-by-leaving = odchodem hráče

page-nowhere = Tady nic není
page-nowhere-why = Na této adrese žádná stránka není. Je odkaz úplný?
page-trouble-offline = Server není dostupný. Zkontroluj připojení a zkus to znovu.
page-trouble-too-many = Příliš mnoho požadavků najednou. Počkej prosím minutu a zkus to znovu.
page-trouble-unavailable = Server je teď příliš vytížený. Zkus to prosím za chvíli.
page-trouble-no-such-table = Pod tímto odkazem žádná partie není. Je odkaz úplný?
page-trouble-reserved-name = To jméno vypadá jako jméno počítače. Zvol prosím jiné.
page-trouble-bad-circle = Takové pořadí záplat není možné. Zadej celé číslo, nebo všech 33 záplat tak, jak je ukazuje nabídka partie.
page-trouble-other = To se nepovedlo. Načti prosím stránku znovu.

page-try-again = Zkusit znovu

## The page: privacy

page-privacy = Soukromí
page-privacy-intro = Co o tobě server a tvůj prohlížeč ukládají, na jak dlouho a co s tím můžeš dělat.
page-privacy-server = Co ukládá server
page-privacy-server-games = Tvoje partie: tahy i to, kdy byly zahrány, a jména, která hráči zadali. Kdo zná odkaz na partii, může se na ni podívat.
page-privacy-server-records = Záznamy, které si otevřeš k přehrání, se jmény a komentáři, které obsahují, ale ne to, kdo je otevřel. Kdo zná odkaz, může si je prohlédnout. Uchovávají se stejně dlouho jako skončené partie, počítáno od posledního otevření.
page-privacy-server-player = Náhodný kód, podle kterého tě server pozná, aby tvoje partie zůstaly tvoje. Účty tu nejsou, server tedy nezná e-mailovou adresu ani heslo.
page-privacy-server-address = Tvoje síťová adresa slouží jen k ochraně serveru před přetížením. S partiemi se neukládá. Pokud server adresu kvůli přetěžování odmítne, může si ji zapsat do protokolu.
page-privacy-time = Jak dlouho se to uchovává
page-privacy-time-unfinished = Nedohrané partie: { $time }
page-privacy-time-finished = Dohrané partie: { $time }
page-privacy-time-unlimited = bez omezení
page-privacy-time-since = Počítá se od poslední události v partii.
page-privacy-time-backups = Co se odstraní, může zůstat v zálohách provozovatele, dokud je nenahradí novější.
page-privacy-browser = Co ukládá tvůj prohlížeč
page-privacy-browser-cookie = Cookie, podle které tě server pozná. Vyprší 400 dní po tvé poslední návštěvě.
page-privacy-browser-settings = Tvoje nastavení a naposledy zadaná jména; také to, které tahy z posledních 30 partií už znáš a na kterém kroku výuky jsi.
page-privacy-others = Co dostanou třetí strany
page-privacy-others-text = Nic. Není tu žádná reklama ani sledování a nic se nenačítá z jiných serverů.
page-privacy-yours = Tvoje data
page-privacy-data = Získat svoje data
page-privacy-data-why = Vše, co o tobě server ukládá: tvoje jména a partie tah po tahu, ve strojově čitelném souboru.
page-privacy-data-begin = Stáhnout moje data
page-privacy-data-done = Tvoje data byla stažena.
page-privacy-revoke = Odpojit ostatní zařízení
page-privacy-revoke-why = Pro případ, že za tebe může hrát někdo jiný: po odpojení to půjde jen v tomto prohlížeči. Tvoje další zařízení, boti a soukromé odkazy hned přestanou fungovat.
page-privacy-revoke-begin = Odpojit všechny ostatní
page-privacy-revoke-done = Hotovo. Teď za tebe jde hrát jen v tomto prohlížeči.
page-privacy-delete = Smazat svoje data
page-privacy-delete-why = Tvoje jména zmizí a žádná partie už nepovede k tobě. Nedohrané partie skončí vzdáním. Soupeřům jejich partie zůstanou, jen v nich bude místo tebe hráč beze jména.
page-privacy-delete-begin = Smazat moje data…
page-privacy-delete-sure = Smazat všechno? Nejde to vzít zpět.
page-privacy-delete-merged = Máš spojené partie z více zařízení. Smažou se všechny, a to na všech těchto zařízeních.
page-privacy-delete-yes = Ano, smazat
page-privacy-delete-no = Ne, ponechat
page-privacy-delete-done = Hotovo. Server už tě nezná.
page-privacy-nobody = Server tento prohlížeč nezná, takže není potřeba nic dělat.
page-privacy-name = Co se stane s tvým jménem

## The page: the rules

page-rules-contents = Obsah
page-rules-intro = Tohle je celá hra. Naučíš se ji za pět minut.
page-rules-aim = Cíl hry
page-rules-aim-text = Dva hráči šijí každý svou přikrývku. Záplaty stojí knoflíky a čas. Na konci je každý knoflík za bod a každé prázdné pole přikrývky ubírá dva.
page-rules-table = Co leží na stole
page-rules-table-quilt = Každý hráč má přikrývku o 9 × 9 polích, žeton času a 5 knoflíků.
page-rules-table-circle = 33 záplat leží v náhodném pořadí v kruhu kolem časového plánu. Neutrální figurka, tady cívka s nití, stojí po směru hodinových ručiček hned za nejmenší záplatou, 1 × 2.
page-rules-table-patch = Visačka záplaty ukazuje, kolik záplata stojí knoflíků a kolik času. Knoflíky přišité na záplatě jsou její zisk.
page-rules-patch-drawing = Záplata, počet polí { $size }: knoflíky { $cost }, čas { $time }, zisk { $income }
page-rules-turn = Kdo je na tahu
page-rules-turn-text = Na tahu je ten, jehož žeton času je více vzadu, třeba i několikrát za sebou. Jsou-li oba žetony na stejném poli, je na řadě ten, jehož žeton leží nahoře, tedy přišel později. Na začátku leží nahoře žeton toho, kdo naposledy šil jehlou.
page-rules-turn-choice = Ve svém tahu uděláš jednu ze dvou věcí: postoupíš vpřed, nebo si vezmeš záplatu.
page-rules-advance = Postoupit vpřed
page-rules-advance-text = Posuň svůj žeton času na pole přímo před druhým žetonem. Za každé pole, o které ho posuneš, získáš 1 knoflík. Postoupit můžeš vždy.
page-rules-advance-drawing = Žeton postoupí o 4 pole těsně před druhý a přinese 4 knoflíky
page-rules-take = Vzít si záplatu
page-rules-take-choose = Vyber si jednu ze tří následujících záplat, po směru hodinových ručiček od neutrální figurky.
page-rules-take-neutral = Na její místo postav neutrální figurku.
page-rules-take-pay = Zaplať za ni tolik knoflíků, kolik určuje visačka.
page-rules-take-sew = Přišij ji na svou přikrývku, libovolně otočenou i převrácenou. Nesmí překrývat jiné ani přečnívat, ale nemusí se ničeho dotýkat. Už ji nelze přesunout.
page-rules-take-time = Posuň svůj žeton času o tolik polí, kolik určuje visačka. Skončí-li na poli druhého žetonu, polož ho nahoru.
page-rules-take-not = Záplatu, na kterou nemáš dost knoflíků nebo která se nikam nevejde, si vzít nemůžeš.
page-rules-take-drawing = Neutrální figurka a tři záplaty před ní
page-rules-lines = Přechod přes značky
page-rules-lines-text = Ať už se tvůj žeton posunul jakkoli, vyhodnoť popořadě značky, které přešel:
page-rules-lines-income = Knoflík: dostaneš zisk z celé své přikrývky, i z právě přišité záplaty.
page-rules-lines-leather = Kožená záplata: vezmi si ji a hned ji přišij na libovolné volné pole. Dostane ji jen ten, kdo značku přejde první.
page-rules-lines-where = Značky zisku jsou před poli 5, 11, 17, 23, 29, 35, 41, 47 a 53. Kožené záplaty leží na plánu z roku 2014 před poli 20, 26, 32, 44 a 50, v pozdějších vydáních a aplikacích před poli 26, 32, 38, 44 a 50.
page-rules-board-drawing = Časový plán, spirála z 54 polí
page-rules-tile = Kartička 7 × 7
page-rules-tile-text = Kdo na své přikrývce jako první zaplní čtverec 7 × 7 polí, získá kartičku 7 × 7. Má hodnotu 7 bodů.
page-rules-tile-drawing = Přikrývka se zaplněným čtvercem 7 × 7
page-rules-end = Konec hry
page-rules-end-text = Pole 53 uprostřed je poslední. Dál žádný žeton nejde; při postupu vpřed dostaneš knoflíky jen za pole, o která se skutečně posuneš. Jakmile tam dojdou oba žetony, partie končí.
page-rules-score = Bodování
page-rules-score-text = Tvoje knoflíky, plus 7 za kartičku 7 × 7, minus 2 za každé prázdné pole. Vítězí hráč s vyšším skóre, při rovnosti ten, kdo dřív došel na poslední pole.
page-rules-score-example = Příklad: 14 knoflíků, kartička 7 × 7 a 5 prázdných polí dává 14 + 7 − 10 = 11. Druhý hráč má 18 knoflíků a 2 prázdná pole, tedy 18 − 4 = 14, a vítězí.
page-rules-tips = Dobré vědět
page-rules-tips-income = Zisk se nejvíc vyplatí na začátku: dostaneš ho u každé značky s knoflíkem, kterou máš ještě před sebou.
page-rules-tips-turn = Se záplatou, která stojí málo času, možná zůstaneš vzadu a budeš znovu na tahu.
page-rules-tips-gaps = Jednotlivá prázdná pole zalátá jen kožená záplata. Udržuj okraje rovné.
page-rules-play = Jdeme hrát

## The page: the lesson

page-learn-new = Jsi tu poprvé? Nauč se hrát přímo při hře, za pět minut.
page-learn-by-playing = Nebo se ji nauč přímo při hře.
page-learn-opponent = Soupeř
page-learn-step = { $number } z { $of }
page-learn-next = Dál
page-learn-back = Zpět
page-learn-skip = Přeskočit
page-learn-restart = Od začátku
page-learn-leave = Odejít
page-learn-help = Ukaž mi to
page-learn-retry = Zkusit znovu
page-learn-play = Hrát hned proti úrovni 1
page-learn-rules = Přečíst pravidla
page-learn-welcome = Tvoje první partie
page-learn-welcome-text = Ty i soupeř šijete každý svou přikrývku. Záplaty stojí knoflíky a čas. Na konci je každý knoflík za 1 bod a každé prázdné pole za −2, proto začínáš na −157. Za pět minut si všechno vyzkoušíš.
page-learn-advance = Postup vpřed
page-learn-advance-text = Soupeř postoupil na časovém plánu vpřed. Na tahu je ten, kdo je vzadu: ty. Stiskni „Postoupit“ a potvrď to dalším stisknutím. Tvůj žeton skočí těsně před druhý a za každé pole dostaneš knoflík.
page-learn-advance-done = Sedm polí, sedm knoflíků. Postoupit vpřed můžeš vždycky. Teď jsi vepředu, a tak je na tahu soupeř.
page-learn-circle = Řada záplat
page-learn-circle-text = V nabídce jsou jen tři záplaty hned za cívkou s nití. Když si někdo jednu vezme, cívka se přesune na její místo; přeskočené záplaty jdou na konec řady a vrátí se později.
page-learn-buy = Vezmi si záplatu
page-learn-buy-text = Vyber si jednu ze tří záplat. Na visačce je její cena, v knoflících a v čase. Otoč ji, převrať a polož na přikrývku: podbarvená pole ukazují, kam se vejde. Pak ji přišij.
page-learn-buy-wrong = Postoupit by šlo také. Ale teď si dopřej záplatu: vyber si jednu ze tří.
page-learn-chain = Jsi znovu na tahu
page-learn-chain-text = Knoflíky jsou zaplacené a tvůj žeton se posunul o tolik polí, kolik určuje visačka. Pořád je vzadu! Kdo je vzadu, je na tahu, třeba i několikrát za sebou. Takže: další záplata, nebo postup vpřed?
page-learn-chain-done = Dva tahy za sebou! Se záplatami, které stojí málo času, hraješ častěji.
page-learn-income = Zisk
page-learn-income-text = Odteď je každý krok okamžikem z jiné partie. Knoflíky přišité na tvých záplatách jsou tvůj zisk. Přejdi nejbližší značku s knoflíkem: vezmi si záplatu, nebo postup vpřed. Celá přikrývka ti vyplatí zisk.
page-learn-income-done = Celá přikrývka ti vyplatila zisk. Takových značek je devět, takže nejcennější je zisk, který získáš brzy.
page-learn-leather = Kožená záplata
page-learn-leather-text = Oba žetony jsou na stejném poli; tvůj leží nahoře, takže jsi na tahu. Na nejbližší značce leží kožená záplata. Dostane ji ten, kdo značku přejde první. Přejdi ji jakýmkoli tahem.
page-learn-sew = Přišij ji
page-learn-sew-text = Kožená záplata je tvoje a nic nestojí. Zakryje jedno pole, hodí se tedy do mezery, kam se nic jiného nevejde. Polož ji na kterékoli volné pole a přišij ji.
page-learn-sew-done = Pěkně zašito! Na začátku leží na časovém plánu pět kožených záplat, každá pro toho, kdo k ní dojde první.
page-learn-tile = Sedm krát sedm
page-learn-tile-text = Kdo první zaplní čtverec 7 × 7 polí, získá kartičku 7 × 7 za 7 bodů. Tvému čtverci vlevo nahoře chybí už jen jedna záplata: ta třetí. Otoč ji a zaplň mezeru.
page-learn-tile-done = Kartička 7 × 7 je tvoje: 7 bodů na konci.
page-learn-tile-wrong = Tak by čtverec zůstal neúplný. Vezmi si třetí záplatu, otoč ji a zaplň mezeru ve čtverci vlevo nahoře.
page-learn-end = Poslední tah
page-learn-end-text = Soupeř je na posledním poli, uprostřed časového plánu. Až tam dojdeš i ty, partie skončí. Je to těsné a každé prázdné pole ubírá 2 body: vybírej dobře!
page-learn-score = Teď hru znáš
page-learn-score-text = Knoflíky, plus 7 za kartičku 7 × 7, minus 2 za každé prázdné pole: vítězí vyšší skóre. To je všechno. Dobře se bav!
page-learn-lost = O vlásek! Vrať se a v posledním tahu si vezmi záplatu.

## The page: replays

page-replay = Přehrání partie
page-replay-broken = Tento záznam nelze přečíst: { $detail }
page-replay-no-record = Tohle není záznam partie Patchworku.
page-replay-unknown = Takový záznam tu není. Odkaz je možná neúplný, nebo se záznam už neuchovává.
page-replay-file = Záznam ze souboru
page-replay-choose = Vybrat soubor…
page-replay-text = Nebo vlož jeho text
page-replay-open = Přehrát
page-replay-start = Začátek
page-replay-first = Na začátek
page-replay-back = O tah zpět
page-replay-play = Přehrávat
page-replay-pause = Pozastavit
page-replay-forward = O tah vpřed
page-replay-last = Na konec
page-replay-swap = Prohodit strany
page-replay-move = Tah { $number } z { $of }
page-replay-figures = Knoflíky { $buttons } · zisk { $income } · body { $points }
page-replay-board = Časový plán: žetony na polích { $first } a { $second }
page-replay-to-game = Zpět k partii
page-replay-copy = Kopírovat odkaz na tento tah
page-replay-variation = Varianta tahu { $number }
page-replay-variations = Varianty:
page-replay-leave = Opustit variantu
page-replay-annotation =
    { $name ->
        [good] dobrý tah
        [bad] špatný tah
        [very-good] velmi dobrý tah
        [very-bad] velmi špatný tah
        [interesting] zajímavý tah
        [dubious] pochybný tah
       *[other] poznámka { $number }
    }
page-replay-record = Přehrát záznam


## Odkazy v komunikátorech a stránky bez JavaScriptu

link-how = Vezmi si záplatu z kruhu, zaplať knoflíky a časem a přišij ji; na tahu je ten, kdo je na časovém plánu pozadu. Na konci se počítají knoflíky a prázdná pole stojí body.
link-join = Otevři odkaz a připoj se; účet nepotřebuješ.
link-running = Partie právě probíhá a můžeš ji sledovat tah po tahu.
link-replay = Projdi si partii tah po tahu.
link-drawing = Stůl: obě přikrývky, časový plán a kruh záplat
link-script = Chceš-li zde hrát, zapni v prohlížeči JavaScript.

