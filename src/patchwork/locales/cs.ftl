# Czech. What the command line and the terminal say. Names in dollars are filled in; keep them as
# they are. Words typed by the user (help, moves, try, undo, show, quit), option names and move texts
# such as 17Bc4 are the same in every language.
#
# Glossary:
#   patch = záplata                        leather patch = kožená záplata
#   button = knoflík                       income = zisk
#   time token = žeton času                time board = časový plán
#   quilt board = přikrývka                space = pole
#   special 7x7 tile = kartička 7×7        advance = postoupit vpřed
#   buy = koupit                           place = umístit
#   turn, move = tah                       circle of patches = kruh
#   game = partie                          record = záznam
#   position = pozice                      orientation = orientace
#   seat = místo                           score = skóre
#   tag = údaj v hlavičce                  seed = hodnota --seed
#   player = hráč                          match = zápas
#   pair of games = dvojice                ladder = žebříček
#   strength = síla                        log = protokol
#   limit = limit                          level = úroveň

## The command line

cli-usage = použití:
cli-commands = příkazy
cli-arguments = argumenty
cli-options = volby
cli-help = zobrazit tuto nápovědu a skončit
cli-lang = jazyk programu; jinak jazyk tvého systému
cli-version = zobrazit verzi a skončit
cli-see-help = Zkus „{ $prog } --help“.
cli-no-such-command = příkaz „{ $command }“ neexistuje; příkazy jsou { $commands }
cli-similar-command = příkaz „{ $command }“ neexistuje; nechceš „{ $similar }“?
cli-not-together = { $first } a { $second } nelze použít zároveň
cli-needs = { $option } funguje jen s { $other }
cli-needs-record = { $option } funguje jen se zaznamenanou partií, a toto je jediná pozice

cli-description = Patchwork, desková hra Uweho Rosenberga pro dva. Neoficiální fanouškovský projekt.
cli-description-examples =
    příklady:
      patchwork                          hrát v prohlížeči, proti počítači nebo s někým
      patchwork play                     hrát v terminálu proti počítači
      patchwork play --opponent human    dva lidé u jedné klávesnice
      patchwork replay game.patchwork    znovu se podívat na partii

cli-play = zahrát si celou partii v terminálu
cli-play-examples =
    V přerušené partii se pokračuje automaticky. Jinou začne --new a také každá
    volba, která popisuje partii: --opponent, --seat, --names, --seed, --edition,
    --first. Přerušená partie zůstane uložená; pokračuje v ní --file.
    příklady:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = kdo hraje na druhém místě: program greedy, herní engine na úrovni od 1 (mírná) do 8, nebo další člověk (výchozí: greedy)
cli-seat = tvoje místo proti programu (výchozí: 0)
cli-names = jména hráčů na místech 0 a 1
cli-seed = číslo, které určuje pořadí záplat; jinak se vylosuje
cli-edition = kde leží kožené záplaty: classic (2014), nebo revised (výchozí: classic)
cli-first = místo, které začíná (výchozí: 0)
cli-play-new = začít novou partii, i když je jiná rozehraná
cli-file = ukládat partii do tohoto souboru; pokud už existuje, pokračovat v ní
cli-compact = kreslit stůl zmenšeně, pro úzký terminál

cli-show = nakreslit pozici nebo konec zaznamenané partie
cli-show-examples =
    příklady:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = soubor se záznamem nebo pozicí, text pozice, nebo - pro standardní vstup
cli-game = kolikátá partie v souboru, počítáno od 1 (výchozí: 1)
cli-move = nakreslit pozici po tomto počtu tahů
cli-svg = vypsat obrázek (SVG) místo textu
cli-dark = s --svg: tmavé barvy
cli-json = vypsat JSON pro programy

cli-replay = projít zaznamenanou partii tah po tahu
cli-replay-examples =
    Vypíše všechny tahy jeden po druhém, každý s tím, co způsobil, s komentáři a se
    stolem po něm; v terminálu po každém čeká na Enter.
    příklady:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = soubor se záznamy partií, nebo - pro standardní vstup

cli-check = ověřit, zda záznamy partií odpovídají pravidlům
cli-check-examples =
    Skončí se stavem 1, je-li některý soubor chybný, a řekne kde a proč.
    příklady:
      patchwork check *.patchwork

cli-new = vypsat záznam nové partie bez tahů
cli-new-examples =
    příklady:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = spočítat povolené posloupnosti tahů pro porovnání implementací pravidel
cli-perft-examples =
    Vypíše počet po každém prvním tahu a nakonec součet. Bez pozice vychází z nové
    partie s --seed 0, pokud není zadáno jinak.
    příklady:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = délka posloupností, aspoň 1
cli-perft-seed = číslo, které určuje pořadí záplat (výchozí: 0)
cli-position = text pozice

cli-serve = spustit server: hrát v prohlížeči, i s ostatními přes odkaz
cli-serve-examples =
    Bez voleb slouží jen tomuto počítači a otevře jeho prohlížeč. Partie jsou
    uložené v databázi a po restartu pokračují. Vše lze nastavit i proměnnými jako
    PATCHWORK_PORT; všechny uvádí docs/operations.md.
    příklady:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = adresa, na které server naslouchá (výchozí: 127.0.0.1, dostupná jen z tohoto počítače)
cli-port = port, na kterém server naslouchá; 0 vezme některý volný (výchozí: 8327)
cli-database = soubor SQLite nebo adresa postgresql:// s partiemi (výchozí: server.db ve tvé složce s daty)
cli-public-url = kde je server dostupný ostatním, pro odkazy
cli-origins = další zdroje (origins), jejichž stránky tu smějí hrát, oddělené čárkami
cli-proxies = adresy důvěryhodných proxy, oddělené čárkami
cli-workers = procesy, které přemýšlejí za počítač (výchozí: o jeden méně než jader procesoru)
cli-log-format = jak se píší záznamy o běhu (výchozí: text)
cli-log-level = nejmenší důležitost záznamů o běhu, které se píší (výchozí: info)
cli-no-browser = neotvírat prohlížeč
cli-serving = Patchwork běží na { $url } (ukončí ho Ctrl+C)
cli-open-host = server naslouchá na { $host }, takže je dostupný i ostatním a to, co posílají, není šifrované; pro internet před něj patří proxy s TLS (docs/operations.md)
cli-port-in-use = port { $port } na { $host } je obsazený, možná jiným Patchworkem; jiný zvolí „patchwork serve --port N“, 0 znamená kterýkoli volný
cli-cannot-listen = na { $host }, port { $port } nelze naslouchat: { $detail }
cli-no-database = databázi nelze použít: { $detail }
cli-newer-database = tyto partie patří k jiné, zřejmě novější verzi programu ({ $detail })
cli-no-postgres = chybí něco, co je potřeba pro PostgreSQL; v klonu to doplní „pip install '.[postgres]'“

cli-backup = zálohovat partie serveru do souboru, i když server běží
cli-backup-examples =
    Záloha je úplná a ověřená. Obsahuje i klíč, kterým se podepisuje, kdo je kdo;
    ukládej ji stejně bezpečně jako databázi. Jen pro SQLite; PostgreSQL má pg_dump.
    příklady:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = soubor pro zálohu
cli-force = přepsat soubor, pokud už existuje
cli-backup-done = Partie jsou zálohované v { $file }

cli-restore = nahradit partie serveru zálohou
cli-restore-examples =
    Co tam bylo předtím, zůstane vedle v souboru pojmenovaném podle okamžiku.
    příklad:
      patchwork restore games-2026-11-15.db
cli-restore-file = soubor se zálohou
cli-restore-done = Partie z { $file } jsou zpět
cli-restore-kept = Co tam bylo předtím, je v { $file }

cli-export = vypsat všechny partie serveru jako záznamy
cli-export-examples =
    příklady:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = soubor pro záznamy nebo - pro standardní výstup (výchozí: -)
cli-exported =
    { $games ->
        [one] { $games } partie zapsána do { $file }
        [few] { $games } partie zapsány do { $file }
       *[other] { $games } partií zapsáno do { $file }
    }
cli-export-skipped = partii { $game } nelze zapsat: { $detail }
cli-no-such-file = soubor { $file } neexistuje
cli-copy-exists = soubor { $file } už existuje a bez --force nebude přepsán
cli-copy-not-sqlite = PostgreSQL zálohuje sám, pomocí pg_dump a pg_restore
cli-copy-same-file = záloha a databáze jsou tentýž soubor
cli-copy-unsound = nejsou v něm bezchybné partie serveru ({ $detail })
cli-copy-failed = partie se nepodařilo zkopírovat: { $detail }

cli-bad-setting = { $setting } nemůže být „{ $value }“; povoleno: { $allowed }
cli-allowed-host = adresa nebo jméno počítače, bez portu
cli-allowed-port = celé číslo od 0 do 65535
cli-allowed-database = cesta k souboru, sqlite:///PATH nebo postgresql://USER:PASSWORD@HOST/NAME
cli-allowed-origins = zdroje jako https://example.org, oddělené čárkami
cli-allowed-proxies = IP adresy nebo sítě jako 10.0.0.0/8, oddělené čárkami
cli-allowed-public-url = adresa jako https://example.org, bez cesty
cli-allowed-switch = auto, true nebo false
cli-allowed-workers = celé číslo od 1 do 256
cli-allowed-secret = aspoň 32 znaků
cli-allowed-log-format = text nebo json
cli-allowed-log-level = debug, info, warning nebo error
cli-allowed-frame = celé číslo od 256 do 1048576
cli-allowed-count = celé číslo, aspoň 0
cli-allowed-positive = celé číslo, aspoň 1
cli-allowed-seconds = počet sekund větší než 0

cli-upi = spustit engine pro jiný program podle protokolu UPI
cli-upi-examples =
    Čte příkazy ze standardního vstupu a odpovídá na standardní výstup.
    Protokol popisuje docs/upi.md.
cli-analyse = rozebrat pozice po dávkách, jeden objekt JSON na řádek
cli-analyse-examples =
    Čte dotazy ze standardního vstupu a odpovídá jedním řádkem na každou pozici.
    Pole popisuje docs/upi.md.
    příklad:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = kolik jader procesoru se použije (výchozí: 1)
cli-memory = kolik megabajtů smí hledání zabrat (výchozí: 256)
cli-preparing = Připravuje se engine; poprvé to trvá půl minuty …
cli-match = hrát partie mezi dvěma programy a říct, který je silnější
cli-match-examples =
    Hraje se po dvojicích partií: dvakrát stejný kruh záplat, s prohozenými místy.
    S --log zápas pokračuje tam, kde byl, když se stejný příkaz zadá znovu. Kdo
    spadne, neodpoví nebo poruší pravidla, partii prohrává.
    hráči:
      random, greedy, uct1000    pevné programy, kterými se měří ostatní
      level:1 ... level:8        herní engine na dané úrovni
      playout:8                  engine v plné síle, bez sítě
      upi:"PŘÍKAZ"               program, který mluví UPI
      codingame:"PŘÍKAZ"         bot napsaný pro CodinGame
      level:8@0.5s, level:8@2000n, upi:"PŘÍKAZ"@1s
                                 s limitem na tah: sekundy nebo uzly
    příklady:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = hráč, například greedy nebo level:8
cli-pairs = kolik dvojic partií se zahraje, s každým soupeřem (výchozí: 100)
cli-jobs = kolik partií se hraje současně (výchozí: 1)
cli-match-seed = číslo, které určuje vše náhodné (výchozí: 0)
cli-match-edition = kde leží kožené záplaty; jinak se vydání střídají
cli-timeout = kolik sekund nad svůj limit smí hráč přemýšlet, než prohraje (výchozí: 60)
cli-log = ukládat každou partii do tohoto souboru; pokud už existuje, pokračovat v zápasu
cli-records = zapsat partie jako záznamy do tohoto souboru
cli-sprt = skončit, jakmile je jasné, zda je A lepší než B spíše o HIGH Elo, nebo o LOW

cli-ladder = ohodnotit několik programů na jedné stupnici
cli-ladder-examples =
    Jací hráči existují, řekne „patchwork match --help“.
    příklady:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = hrají spolu jen hráči, kteří jsou v seznamu od sebe nejvýše K míst
cli-anchor = hráč, jehož síla je 0 (výchozí: první)

cli-cannot-open = nelze otevřít { $file }: { $detail }
cli-cannot-write = výstup nelze zapsat: { $detail }
cli-no-output = standardní výstup je zavřený, takže nelze nic vypsat
cli-no-input = standardní vstup je zavřený, takže z něj nelze nic číst
cli-not-text = { $file } není textový soubor: bajt { $byte } neodpovídá UTF-8
cli-file-exists = soubor { $file } už existuje a nebude přepsán; bez { $option } se bude pokračovat v jeho partii
cli-game-finished = partie v souboru { $file } je dohraná; zobrazí ji „{ $command }“
cli-damaged-save = soubor { $file } se přeskakuje, protože v něm není bezchybná partie; důvod řekne „patchwork check“
cli-no-such-source = soubor „{ $source }“ neexistuje a pozice to také není: { $complaint }
cli-no-such-game = v souboru { $file } není partie { $game }; počet partií v něm: { $games }
cli-no-such-move = tah { $move } neexistuje; vyber si od 0 do { $last }
cli-bad-seed = { $seed } nemůže být hodnota --seed; musí to být celé číslo od 0 do { $last }
cli-bad-number = „{ $found }“ sem nepatří; musí to být celé číslo, aspoň { $least }
cli-bad-name = { $name } nemůže být jméno; jméno je jeden řádek textu
cli-bad-player = „{ $player }“ není hráč; hráči jsou random, greedy, uct1000, level:1 až level:8, playout:8, upi:PŘÍKAZ a codingame:PŘÍKAZ; level, playout a upi mohou mít limit jako @1s nebo @2000n
cli-classic-only = { $player } zná jen vydání classic
cli-bad-elo = „{ $found }“ se sem nehodí; musí to být rozdíl v Elo jako 10 nebo -2.5
cli-sprt-order = první mez musí být menší než druhá, a { $low } není menší než { $high }
cli-ladder-players = žebříček potřebuje alespoň dva hráče, každého jednou
cli-no-anchor = { $player } má mít sílu 0, ale nehraje
cli-ladder-unconnected = odehrálo se příliš málo partií, než aby šlo porovnat všechny hráče
cli-not-installed = chybí něco, co je k tomu potřeba ({ $detail }); v klonu to doplní „pip install '.[play]'“
cli-exists = soubor { $file } už existuje a nebude přepsán
cli-player-not-started = hráče { $player } nelze spustit: { $detail }
cli-log-another-match = { $file } je protokol něčeho jiného: { $detail }
cli-log-damaged = protokol { $file } je poškozený: { $detail }
cli-log-in-use = do protokolu { $file } právě zapisuje jiný zápas
cli-match-interrupted = přerušeno; dohrané partie: { $games }
cli-match-progress = partie: { $games } z { $total }
cli-ladder-pairs = (dvojice: { $pairs })
cli-result-games = partie: { $games }, vyhrané: { $wins }, prohrané: { $losses } ({ $percent } %)
cli-result-pairs = dvojice: { $pairs }, vyhrané 2-0: { $won }, nerozhodné 1-1: { $split }, prohrané 0-2: { $lost }
cli-result-elo = síla: { $elo }; pravděpodobnost, že je lepší: { $percent } %
cli-result-scores = průměrné skóre: { $first } : { $second }
cli-result-time = průměrný čas na tah: { $first } : { $second }
cli-result-forfeit = { $player }: kontumační prohra v partii { $game } z dvojice { $pair } ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] test: lepší spíše o { $high } Elo než o { $low } (logaritmus poměru věrohodností { $ratio })
        [rejected] test: lepší spíše o { $low } Elo než o { $high } (logaritmus poměru věrohodností { $ratio })
       *[undecided] test: nerozhodnuto mezi { $low } a { $high } Elo (logaritmus poměru věrohodností { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } partie, vše v pořádku
        [few] { $games } partie, vše v pořádku
       *[other] { $games } partií, vše v pořádku
    }
cli-no-game = Není v něm žádná partie.
cli-press-enter = Enter: dál, q: konec
cli-ends-here =
    { $termination ->
        [resigned] Partie tu skončila vzdáním.
        [time] Partie tu skončila vypršením času.
        [left] Partie tu skončila, protože někdo odešel.
        [aborted] Partie tu byla přerušena.
       *[unfinished] Partie není dohraná.
    }

## Playing in the terminal

play-player = Hráč { $seat }
play-saved-in = Partie se ukládá do { $path }
play-resumed = Pokračujeme v přerušené partii.
play-help-hint = Napiš tah nebo „help“.
play-prompt =
    { $phase ->
        [leather] { $name } umisťuje koženou záplatu:
       *[turn] Na tahu je { $name }:
    }
play-help =
    Tahy:
      A        postoupit před druhý žeton času; 1 knoflík za každé pole
      17Bc4    koupit záplatu 17, orientace B, levý horní roh ve sloupci c, řádku 4
      Lc4      umístit koženou záplatu do sloupce c, řádku 4
    Příkazy:
      moves       co teď můžeš dělat
      moves 17    záplata 17 ve všech orientacích; písmeno o značí, kde může ležet její roh
      try 17Bc4   podívat se, co by tah způsobil, aniž ho zahraješ
      undo        vzít zpět svůj poslední tah
      show        znovu nakreslit stůl
      quit        odejít; partie zůstane uložená
    Na obrázku znamená b knoflíky, i zisk, t čas a = skóre, kdyby partie skončila teď.
    Na časovém plánu $ přináší zisk a u % leží kožená záplata.
play-unknown = „{ $command }“ není tah ani příkaz. Napiš „help“.
play-try-what = Napiš i tah, který chceš vyzkoušet, například „try 17Bc4“.
play-leather-first = Nejdřív umísti koženou záplatu, například { $move }.
play-advance =
    { $spaces ->
        [one] postoupit o { $spaces } pole a získat { $spaces } knoflík
        [few] postoupit o { $spaces } pole a získat { $spaces } knoflíky
       *[other] postoupit o { $spaces } polí a získat { $spaces } knoflíků
    }
play-places-count =
    { $count ->
        [0] nikam se nevejde
        [one] lze umístit { $count } způsobem
        [few] lze umístit { $count } způsoby
       *[other] lze umístit { $count } způsoby
    }
play-no-such-patch = Záplata „{ $found }“ neexistuje; záplaty mají čísla 0 až { $last }.
play-nothing-to-undo = Není co vzít zpět.
play-undone =
    { $count ->
        [one] Vzat zpět { $count } tah.
        [few] Vzaty zpět { $count } tahy.
       *[other] Vzato zpět { $count } tahů.
    }
play-left = Partie je uložená. Pokračuje v ní „{ $command }“.
play-not-saved = Tah nebyl zahrán, protože do souboru { $path } nelze zapisovat: { $detail }
play-changed-elsewhere = Tah nebyl zahrán, protože soubor { $path } se mezitím změnil, možná kvůli druhému „patchwork play“. Napiš „quit“ a spusť hru znovu; bude se pokračovat odtamtud.

play-advances =
    { $spaces ->
        [one] { $name } postupuje o { $spaces } pole a získává { $spaces } knoflík.
        [few] { $name } postupuje o { $spaces } pole a získává { $spaces } knoflíky.
       *[other] { $name } postupuje o { $spaces } polí a získává { $spaces } knoflíků.
    }
play-buys =
    { $name } kupuje záplatu { $patch } (zaplacené knoflíky: { $buttons }, postup na časovém plánu: { $spaces }).
play-places = { $name } umisťuje koženou záplatu na pole { $cell }.
play-income =
    { $buttons ->
        [one] Zisk: { $buttons } knoflík.
        [few] Zisk: { $buttons } knoflíky.
       *[other] Zisk: { $buttons } knoflíků.
    }
play-tile = { $name } získává kartičku 7×7.
play-takes-leather = { $name } si bere koženou záplatu.
play-discards-leather = { $name } si bere koženou záplatu, ale nemá pro ni volné pole.
play-home = { $name } jako první dosahuje posledního pole.
play-try-score = Skóre: { $score } ({ $change })
play-try-next = Pak bude na tahu: { $name }

play-score =
    { $name }: { $buttons } (knoflíky) + { $tile } (kartička 7×7) - { $minus } (prázdná pole: { $empty }) = { $score }
play-tie-break = Skóre je stejné; rozhoduje dřívější příchod na poslední pole: { $name }.
play-wins = { $name } vítězí!
play-replay-hint = „{ $command }“ ukáže partii znovu.

## Why a move is refused

reason-game-over = Partie skončila.
reason-not-in-this-phase = Teď ne: kožená záplata se umisťuje právě ve chvíli, kdy ji získáš.
reason-not-on-offer = Tato záplata není v nabídce; vybírat lze jen z následujících tří v kruhu.
reason-cannot-afford = Na tuto záplatu není dost knoflíků.
reason-off-the-board = To by leželo mimo přikrývku.
reason-not-that-shape = Záplata nemá takový tvar.
reason-overlaps = Záplata by překrývala jinou.
reason-cell-taken = Toto pole už je zakryté.

## What is wrong with a text

notation-move = tah { $number }
notation-game = partie { $number }
notation-not-a-position = Toto není text pozice ({ $detail }).
notation-impossible-position = K této pozici nemůže žádná partie dospět ({ $detail }).
notation-not-a-move = Toto není tah. Tahy vypadají jako A, Lc4 nebo 17Bc4: záplaty 0 až 32, orientace A až H, sloupce a až i, řádky 1 až 9.
notation-illegal-move = Tento tah není povolen ({ $detail }).
notation-bad-tag = Údaj v hlavičce je chybný ({ $detail }).
notation-missing-tag = V hlavičce chybí údaj ({ $detail }).
notation-unexpected = Toto sem nepatří ({ $detail }).
notation-unclosed = Komentář není uzavřen.
notation-too-deep = Příliš mnoho variant je vnořeno do sebe.
notation-too-long = Záznam je příliš dlouhý.
notation-cut-off = Záznam končí bez výsledku; soubor je možná useknutý.
notation-contradiction = Záznam si protiřečí ({ $detail }).
notation-not-one-record = Není tu právě jedna partie ({ $detail }).
