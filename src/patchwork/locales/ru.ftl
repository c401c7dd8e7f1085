# Russian. What the command line and the terminal say. Names in dollars are filled in; keep them as
# they are. Words typed by the user (help, moves, try, undo, show, quit), option names and move texts
# such as 17Bc4 are the same in every language.
#
# Glossary:
#   patch = лоскут                         leather patch = кожаный лоскут
#   button = пуговица                      income = доход
#   time token = жетон времени             time board = трек времени
#   quilt board = поле-одеяло              space = клетка
#   special 7x7 tile = специальный тайл    advance = пройти вперёд
#   buy = купить                           place = разместить
#   turn, move = ход                       circle of patches = круг
#   game = партия                          record = запись
#   position = позиция                     orientation = ориентация
#   seat = место                           score = счёт
#   tag = тег                              seed = значение --seed
#   player = игрок                         match = матч
#   pair of games = пара                   ladder = рейтинг
#   strength = сила                        log = журнал
#   limit = ограничение                    level = уровень

## The command line

cli-usage = использование:
cli-commands = команды
cli-arguments = аргументы
cli-options = параметры
cli-help = показать эту справку и выйти
cli-lang = язык программы; иначе язык твоей системы
cli-version = показать версию и выйти
cli-see-help = Попробуй «{ $prog } --help».
cli-no-such-command = команды «{ $command }» нет; есть команды { $commands }
cli-similar-command = команды «{ $command }» нет; может быть, «{ $similar }»?
cli-not-together = { $first } и { $second } нельзя указать вместе
cli-needs = { $option } работает только вместе с { $other }
cli-needs-record = { $option } работает только с записанной партией, а это отдельная позиция

cli-description = Patchwork, настольная игра Уве Розенберга для двоих. Неофициальный фанатский проект.
cli-description-examples =
    примеры:
      patchwork                          играть в браузере, с компьютером или с кем-нибудь
      patchwork play                     играть в терминале против компьютера
      patchwork play --opponent human    вдвоём за одной клавиатурой
      patchwork replay game.patchwork    посмотреть партию ещё раз

cli-play = сыграть целую партию в терминале
cli-play-examples =
    Прерванная партия продолжается сама. Другую начинает --new, а также любой
    параметр, который описывает партию: --opponent, --seat, --names, --seed,
    --edition, --first. Прерванная партия остаётся сохранённой; её продолжит
    --file.
    примеры:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = кто играет на другом месте: программа greedy, движок на уровне от 1 (мягкий) до 8 или другой человек (по умолчанию: greedy)
cli-seat = твоё место в игре против программы (по умолчанию: 0)
cli-names = имена игроков на местах 0 и 1
cli-seed = число, которое определяет порядок лоскутов; иначе оно выбирается случайно
cli-edition = где лежат кожаные лоскуты: classic (2014) или revised (по умолчанию: classic)
cli-first = место, которое начинает (по умолчанию: 0)
cli-play-new = начать новую партию, даже если есть неоконченная
cli-file = хранить партию в этом файле; если он уже есть, продолжить её
cli-compact = рисовать стол мелко, для узкого терминала

cli-show = нарисовать позицию или конец записанной партии
cli-show-examples =
    примеры:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = файл с записью или позицией, текст позиции или - для стандартного ввода
cli-game = которая по счёту партия в файле, начиная с 1 (по умолчанию: 1)
cli-move = нарисовать позицию после стольких ходов
cli-svg = вывести картинку (SVG) вместо текста
cli-dark = вместе с --svg: тёмные цвета
cli-json = вывести JSON для программ

cli-replay = просмотреть записанную партию ход за ходом
cli-replay-examples =
    Выводит все ходы один за другим, каждый с его последствиями, комментариями и
    столом после него; в терминале после каждого ждёт Enter.
    примеры:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = файл с записями партий или - для стандартного ввода

cli-check = проверить, соответствуют ли записи партий правилам
cli-check-examples =
    Завершается с кодом 1, если в каком-то файле есть ошибка, и сообщает, где и
    почему.
    примеры:
      patchwork check *.patchwork

cli-new = вывести запись новой партии без ходов
cli-new-examples =
    примеры:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = посчитать допустимые последовательности ходов, чтобы сравнить реализации правил
cli-perft-examples =
    Выводит число после каждого первого хода, затем сумму. Без позиции берёт новую
    партию с --seed 0, если не указано иное.
    примеры:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = длина последовательностей, не меньше 1
cli-perft-seed = число, которое определяет порядок лоскутов (по умолчанию: 0)
cli-position = текст позиции

cli-serve = запустить сервер: играть в браузере, в том числе с другими по ссылке
cli-serve-examples =
    Без параметров он доступен только на этом компьютере и открывает его браузер.
    Партии хранятся в базе данных и продолжаются после перезапуска. Всё можно
    задать и переменными, например PATCHWORK_PORT; они перечислены в
    docs/operations.md.
    примеры:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = адрес сервера (по умолчанию: 127.0.0.1, доступен только с этого компьютера)
cli-port = порт сервера; 0 — любой свободный (по умолчанию: 8327)
cli-database = файл SQLite или адрес postgresql:// с партиями (по умолчанию: server.db в твоей папке данных)
cli-public-url = где сервер доступен другим, для ссылок
cli-origins = другие источники (origins), страницам которых можно здесь играть, через запятую
cli-proxies = адреса доверенных прокси, через запятую
cli-workers = процессы, которые думают за компьютер (по умолчанию: на один меньше, чем ядер процессора)
cli-log-format = как записывать события сервера (по умолчанию: text)
cli-log-level = наименьшая важность записываемых событий (по умолчанию: info)
cli-no-browser = не открывать браузер
cli-serving = Patchwork работает по адресу { $url } (Ctrl+C остановит его)
cli-open-host = сервер слушает { $host }, поэтому доступен другим, и то, что они отправляют, не шифруется; для интернета поставь перед ним прокси с TLS (docs/operations.md)
cli-port-in-use = порт { $port } на { $host } занят, возможно, другим Patchwork; «patchwork serve --port N» выберет другой, 0 — любой свободный
cli-cannot-listen = не удаётся слушать { $host }, порт { $port }: { $detail }
cli-no-database = базу данных нельзя использовать: { $detail }
cli-newer-database = эти партии относятся к другой, вероятно, более новой версии программы ({ $detail })
cli-no-postgres = для PostgreSQL установлено не всё; в клоне недостающее установит «pip install '.[postgres]'»

cli-backup = скопировать партии сервера в файл, даже во время его работы
cli-backup-examples =
    Копия полная и проверенная. В ней есть и ключ, которым подписано, кто есть кто;
    храни её так же надёжно, как базу данных. Только для SQLite; у PostgreSQL есть
    pg_dump.
    примеры:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = файл для копии
cli-force = перезаписать файл, если он уже есть
cli-backup-done = Партии скопированы в { $file }

cli-restore = заменить партии сервера резервной копией
cli-restore-examples =
    То, что было раньше, останется рядом, в файле с моментом времени в имени.
    пример:
      patchwork restore games-2026-11-15.db
cli-restore-file = файл с копией
cli-restore-done = Партии из { $file } восстановлены
cli-restore-kept = То, что было раньше, лежит в { $file }

cli-export = вывести все партии сервера как записи
cli-export-examples =
    примеры:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = файл для записей или - для стандартного вывода (по умолчанию: -)
cli-exported =
    { $games ->
        [one] { $games } партия записана в { $file }
        [few] { $games } партии записаны в { $file }
        [many] { $games } партий записано в { $file }
       *[other] { $games } партии записано в { $file }
    }
cli-export-skipped = не удаётся записать партию { $game }: { $detail }
cli-no-such-file = файла { $file } нет
cli-copy-exists = файл { $file } уже существует и без --force не будет перезаписан
cli-copy-not-sqlite = PostgreSQL делает копии сам, с помощью pg_dump и pg_restore
cli-copy-same-file = копия и база данных — один и тот же файл
cli-copy-unsound = в нём нет исправных партий сервера ({ $detail })
cli-copy-failed = не удалось скопировать партии: { $detail }

cli-bad-setting = { $setting } не может быть «{ $value }»; допускается: { $allowed }
cli-allowed-host = адрес или имя компьютера, без порта
cli-allowed-port = целое число от 0 до 65535
cli-allowed-database = путь к файлу, sqlite:///PATH или postgresql://USER:PASSWORD@HOST/NAME
cli-allowed-origins = источники вида https://example.org, через запятую
cli-allowed-proxies = IP-адреса или сети вида 10.0.0.0/8, через запятую
cli-allowed-public-url = адрес вида https://example.org, без пути
cli-allowed-switch = auto, true или false
cli-allowed-workers = целое число от 1 до 256
cli-allowed-secret = не меньше 32 символов
cli-allowed-log-format = text или json
cli-allowed-log-level = debug, info, warning или error
cli-allowed-frame = целое число от 256 до 1048576
cli-allowed-count = целое число, не меньше 0
cli-allowed-positive = целое число, не меньше 1
cli-allowed-seconds = число секунд больше 0

cli-upi = запустить движок для другой программы по протоколу UPI
cli-upi-examples =
    Читает команды со стандартного ввода и отвечает на стандартный вывод.
    Протокол описан в docs/upi.md.
cli-analyse = разбирать позиции пачками, по одному объекту JSON в строке
cli-analyse-examples =
    Читает запросы со стандартного ввода и отвечает строкой на каждую позицию.
    Поля описаны в docs/upi.md.
    пример:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = сколько ядер процессора использовать (по умолчанию: 1)
cli-memory = сколько мегабайт может занять поиск (по умолчанию: 256)
cli-preparing = Движок готовится; в первый раз это занимает полминуты …
cli-match = сыграть партии между двумя программами и сказать, какая сильнее
cli-match-examples =
    Партии играются парами: дважды один и тот же круг лоскутов, с обменом местами.
    С --log матч продолжается с того места, где был, если повторить ту же команду.
    Кто аварийно завершился, не ответил или нарушил правила, проигрывает партию.
    игроки:
      random, greedy, uct1000    неизменные программы, с которыми сравнивают другие
      level:1 ... level:8        движок на данном уровне
      playout:8                  движок в полную силу, без сети
      upi:"КОМАНДА"              программа, которая говорит на UPI
      codingame:"КОМАНДА"        бот, написанный для CodinGame
      level:8@0.5s, level:8@2000n, upi:"КОМАНДА"@1s
                                 с ограничением на ход: секунды или узлы
    примеры:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = игрок, например greedy или level:8
cli-pairs = сколько пар партий сыграть с каждым соперником (по умолчанию: 100)
cli-jobs = сколько партий играть одновременно (по умолчанию: 1)
cli-match-seed = число, которое определяет всё случайное (по умолчанию: 0)
cli-match-edition = где лежат кожаные лоскуты; иначе издания чередуются
cli-timeout = через сколько секунд сверх своего ограничения игрок без хода проигрывает (по умолчанию: 60)
cli-log = хранить каждую партию в этом файле; если он уже есть, продолжить матч
cli-records = записать партии в этот файл
cli-sprt = остановиться, как только станет ясно, лучше ли A, чем B, скорее на HIGH Эло, чем на LOW

cli-ladder = оценить несколько программ по одной шкале
cli-ladder-examples =
    Какие есть игроки, скажет «patchwork match --help».
    примеры:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = друг с другом играют только игроки, которых в списке разделяет не больше K мест
cli-anchor = игрок, чья сила равна 0 (по умолчанию: первый)

cli-cannot-open = не удаётся открыть { $file }: { $detail }
cli-cannot-write = не удаётся записать вывод: { $detail }
cli-no-output = стандартный вывод закрыт, поэтому ничего вывести нельзя
cli-no-input = стандартный ввод закрыт, поэтому читать из него нечего
cli-not-text = { $file } — не текстовый файл: байт { $byte } не соответствует UTF-8
cli-file-exists = файл { $file } уже существует и не будет перезаписан; без { $option } партия из него продолжится
cli-game-finished = партия в файле { $file } окончена; её покажет «{ $command }»
cli-damaged-save = файл { $file } пропущен: в нём нет исправной партии; причину назовёт «patchwork check»
cli-no-such-source = файла «{ $source }» нет, и это не позиция: { $complaint }
cli-no-such-game = в файле { $file } нет партии { $game }; всего партий в нём: { $games }
cli-no-such-move = хода { $move } нет; можно выбрать от 0 до { $last }
cli-bad-seed = { $seed } не подходит для --seed; нужно целое число от 0 до { $last }
cli-bad-number = «{ $found }» сюда не подходит; нужно целое число, не меньше { $least }
cli-bad-name = { $name } не подходит как имя; имя — это одна строка текста
cli-bad-player = «{ $player }» — не игрок; есть игроки random, greedy, uct1000, от level:1 до level:8, playout:8, upi:КОМАНДА и codingame:КОМАНДА; для level, playout и upi можно указать ограничение, например @1s или @2000n
cli-classic-only = { $player } знает только издание classic
cli-bad-elo = «{ $found }» сюда не подходит; нужна разница в Эло, например 10 или -2.5
cli-sprt-order = первая граница должна быть меньше второй, а { $low } не меньше { $high }
cli-ladder-players = для рейтинга нужны хотя бы два игрока, каждый по одному разу
cli-no-anchor = { $player } должен иметь силу 0, но не участвует
cli-ladder-unconnected = сыграно слишком мало партий, чтобы сравнить всех игроков
cli-not-installed = для этого установлено не всё ({ $detail }); в клоне недостающее установит «pip install '.[play]'»
cli-exists = файл { $file } уже существует и не будет перезаписан
cli-player-not-started = не удаётся запустить { $player }: { $detail }
cli-log-another-match = { $file } — это журнал чего-то другого: { $detail }
cli-log-damaged = журнал { $file } повреждён: { $detail }
cli-log-in-use = в журнал { $file } сейчас пишет другой матч
cli-match-interrupted = прервано; окончено партий: { $games }
cli-match-progress = партии: { $games } из { $total }
cli-ladder-pairs = (пар: { $pairs })
cli-result-games = партий: { $games }, выиграно: { $wins }, проиграно: { $losses } ({ $percent } %)
cli-result-pairs = пар: { $pairs }, выиграно 2-0: { $won }, поровну 1-1: { $split }, проиграно 0-2: { $lost }
cli-result-elo = сила: { $elo }; вероятность быть сильнее: { $percent } %
cli-result-scores = средний счёт: { $first } : { $second }
cli-result-time = среднее время на ход: { $first } : { $second }
cli-result-forfeit = { $player }: техническое поражение в партии { $game } пары { $pair } ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] проверка: лучше скорее на { $high } Эло, чем на { $low } (логарифм отношения правдоподобия { $ratio })
        [rejected] проверка: лучше скорее на { $low } Эло, чем на { $high } (логарифм отношения правдоподобия { $ratio })
       *[undecided] проверка: не решено между { $low } и { $high } Эло (логарифм отношения правдоподобия { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } партия, всё в порядке
        [few] { $games } партии, всё в порядке
        [many] { $games } партий, всё в порядке
       *[other] { $games } партий, всё в порядке
    }
cli-no-game = В нём нет ни одной партии.
cli-press-enter = Enter: дальше, q: закончить
cli-ends-here =
    { $termination ->
        [resigned] Здесь партия закончилась сдачей.
        [time] Здесь партия закончилась: истекло время.
        [left] Здесь партия закончилась: один из игроков вышел.
        [aborted] Здесь партия была прервана.
       *[unfinished] Партия не окончена.
    }

## Playing in the terminal

play-player = Игрок { $seat }
play-saved-in = Партия хранится в { $path }
play-resumed = Продолжаем прерванную партию.
play-help-hint = Введи ход или «help».
play-prompt =
    { $phase ->
        [leather] { $name }, размести кожаный лоскут:
       *[turn] { $name }, твой ход:
    }
play-help =
    Ходы:
      A        пройти вперёд, обогнав другой жетон времени; 1 пуговица за каждую клетку
      17Bc4    купить лоскут 17, ориентация B, левый верхний угол в столбце c, строке 4
      Lc4      разместить кожаный лоскут в столбце c, строке 4
    Команды:
      moves       что можно сделать сейчас
      moves 17    лоскут 17 во всех ориентациях; буква o отмечает, где может лежать его угол
      try 17Bc4   посмотреть, что даст ход, не делая его
      undo        отменить свой последний ход
      show        нарисовать стол ещё раз
      quit        выйти; партия сохранится
    На рисунке b — пуговицы, i — доход, t — время, = — счёт, если бы партия закончилась сейчас.
    На треке времени $ приносит доход, а у % лежит кожаный лоскут.
play-unknown = «{ $command }» — не ход и не команда. Введи «help».
play-try-what = Укажи и ход, который хочешь попробовать, например «try 17Bc4».
play-leather-first = Сначала размести кожаный лоскут, например { $move }.
play-advance =
    { $spaces ->
        [one] пройти { $spaces } клетку и получить { $spaces } пуговицу
        [few] пройти { $spaces } клетки и получить { $spaces } пуговицы
        [many] пройти { $spaces } клеток и получить { $spaces } пуговиц
       *[other] пройти { $spaces } клеток и получить { $spaces } пуговиц
    }
play-places-count =
    { $count ->
        [0] никуда не помещается
        [one] можно разместить { $count } способом
        [few] можно разместить { $count } способами
        [many] можно разместить { $count } способами
       *[other] можно разместить { $count } способами
    }
play-no-such-patch = Лоскута «{ $found }» нет; лоскуты пронумерованы от 0 до { $last }.
play-nothing-to-undo = Отменять нечего.
play-undone =
    { $count ->
        [one] Отменён { $count } ход.
        [few] Отменено { $count } хода.
        [many] Отменено { $count } ходов.
       *[other] Отменено { $count } ходов.
    }
play-left = Партия сохранена. «{ $command }» её продолжит.
play-not-saved = Ход не сделан, потому что не удаётся записать файл { $path }: { $detail }
play-changed-elsewhere = Ход не сделан, потому что файл { $path } тем временем изменился: возможно, запущена вторая «patchwork play». Введи «quit» и запусти игру снова, чтобы продолжить оттуда.

play-advances =
    { $spaces ->
        [one] { $name } проходит { $spaces } клетку и получает { $spaces } пуговицу.
        [few] { $name } проходит { $spaces } клетки и получает { $spaces } пуговицы.
        [many] { $name } проходит { $spaces } клеток и получает { $spaces } пуговиц.
       *[other] { $name } проходит { $spaces } клеток и получает { $spaces } пуговиц.
    }
play-buys =
    { $name } покупает лоскут { $patch } (уплачено пуговиц: { $buttons }, пройдено клеток: { $spaces }).
play-places = { $name } размещает кожаный лоскут на клетку { $cell }.
play-income =
    { $buttons ->
        [one] Доход: { $buttons } пуговица.
        [few] Доход: { $buttons } пуговицы.
        [many] Доход: { $buttons } пуговиц.
       *[other] Доход: { $buttons } пуговиц.
    }
play-tile = { $name } получает специальный тайл 7×7.
play-takes-leather = { $name } берёт кожаный лоскут.
play-discards-leather = { $name } берёт кожаный лоскут, но свободной клетки для него уже нет.
play-home = { $name } раньше соперника достигает последней клетки.
play-try-score = Счёт: { $score } ({ $change })
play-try-next = Следующий ход: { $name }

play-score =
    { $name }: { $buttons } (пуговицы) + { $tile } (специальный тайл) - { $minus } (пустые клетки: { $empty }) = { $score }
play-tie-break = Счёт равный; преимущество у того, кто раньше на последней клетке: { $name }.
play-wins = { $name } побеждает!
play-replay-hint = «{ $command }» покажет партию ещё раз.

## Why a move is refused

reason-game-over = Партия окончена.
reason-not-in-this-phase = Не сейчас: кожаный лоскут размещают сразу, как только взяли, и только тогда.
reason-not-on-offer = Этот лоскут выбрать нельзя: доступны только три следующих по кругу.
reason-cannot-afford = На этот лоскут не хватает пуговиц.
reason-off-the-board = Так он выйдет за край поля-одеяла.
reason-not-that-shape = У лоскута нет такой формы.
reason-overlaps = Лоскут перекроет другой.
reason-cell-taken = Эта клетка уже закрыта.

## What is wrong with a text

notation-move = ход { $number }
notation-game = партия { $number }
notation-not-a-position = Это не текст позиции ({ $detail }).
notation-impossible-position = Такая позиция не может возникнуть ни в одной партии ({ $detail }).
notation-not-a-move = Это не ход. Ходы выглядят так: A, Lc4 или 17Bc4; лоскуты от 0 до 32, ориентации от A до H, столбцы от a до i, строки от 1 до 9.
notation-illegal-move = Этот ход недопустим ({ $detail }).
notation-bad-tag = Ошибка в теге ({ $detail }).
notation-missing-tag = Не хватает тега ({ $detail }).
notation-unexpected = Это здесь лишнее ({ $detail }).
notation-unclosed = Комментарий не закрыт.
notation-too-deep = Слишком много вариантов вложено друг в друга.
notation-too-long = Запись слишком длинная.
notation-cut-off = Запись обрывается без результата; возможно, файл обрезан.
notation-contradiction = Запись противоречит сама себе ({ $detail }).
notation-not-one-record = Здесь не ровно одна партия ({ $detail }).
