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
#   buy = купить                           place = расположить
#   neutral token = нейтральная фишка      tag with the price = ярлык
#   mark on the time board = отметка       row (of a grid) = строка
#   turn, move = ход                       circle of patches = круг
#   game = партия                          record = запись
#   position = позиция                     orientation = ориентация
#   seat = место                           score = счёт
#   tag = тег                              seed = значение --seed
#   player = игрок                         match = матч
#   pair of games = пара                   ladder = рейтинг
#   strength = сила                        log = журнал
#   limit = ограничение                    level = уровень
#   cancel (a game) = отменить             loss (in training) = потери
#
# No-break spaces (U+00A0) stand after words of one letter, before dashes and %, and between a number
# and what it counts. The help of the server does not say “ты”.

## The command line

cli-usage = использование:
cli-commands = команды
cli-arguments = аргументы
cli-options = параметры
cli-help = показать эту справку и выйти
cli-lang = язык сообщений (по умолчанию: язык системы)
cli-version = показать версию и выйти
cli-see-help = Подробнее: «{ $prog } --help».
cli-no-such-command = команды «{ $command }» нет; есть команды { $commands }
cli-similar-command = команды «{ $command }» нет; возможно, нужна «{ $similar }»?
cli-not-together = { $first } и { $second } нельзя указать вместе
cli-needs = { $option } работает только вместе с { $other }
cli-needs-record = { $option } работает только с записанной партией, а это отдельная позиция

cli-description = Patchwork — настольная игра Уве Розенберга для двоих. Неофициальный фанатский проект.
cli-description-examples =
    примеры:
      patchwork                          играть в браузере, с компьютером или с друзьями
      patchwork play                     играть в терминале против компьютера
      patchwork play --opponent human    вдвоём за одной клавиатурой
      patchwork replay game.patchwork    посмотреть партию ещё раз

cli-play = сыграть целую партию в терминале
cli-play-examples =
    Неоконченная партия возобновляется автоматически. Новую начинает --new, а также
    любой параметр, который описывает партию: --opponent, --seat, --names, --seed,
    --edition, --first. Прежняя партия остаётся сохранённой; её можно продолжить,
    указав файл с ней в --file.
    примеры:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = соперник: greedy (простая программа), уровень движка от 1 (мягкий) до 8 или human (другой человек) (по умолчанию: greedy)
cli-seat = своё место в игре с компьютером (по умолчанию: 0)
cli-names = имена игроков на местах 0 и 1
cli-seed = число, которое определяет порядок лоскутов; без него порядок случайный
cli-edition = где лежат кожаные лоскуты: classic (2014) или revised (по умолчанию: classic)
cli-first = кто начинает: место 0 или 1 (по умолчанию: 0)
cli-play-new = начать новую партию, даже если есть неоконченная
cli-file = хранить партию в этом файле; если он уже есть, продолжить её
cli-compact = рисовать стол в уменьшенном виде, для узкого терминала

cli-show = нарисовать позицию или конец записанной партии
cli-show-examples =
    примеры:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = файл с записью или позицией, текст позиции или - для стандартного ввода
cli-game = которая по счёту партия в файле, начиная с 1 (по умолчанию: 1)
cli-move = нарисовать позицию после стольких ходов
cli-svg = вывести картинку (SVG) вместо текста
cli-dark = вместе с --svg: тёмные цвета
cli-json = вывести JSON для программ

cli-replay = просмотреть записанную партию ход за ходом
cli-replay-examples =
    Выводит каждый ход, его последствия, комментарии к нему и стол после него.
    В терминале после каждого хода ждёт нажатия Enter.
    примеры:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = файл с записями партий или - для стандартного ввода

cli-check = проверить, соответствуют ли записи партий правилам
cli-check-examples =
    Завершается с кодом 1, если в каком-то файле есть ошибка, и сообщает, где и
    какая.
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
    партию с --seed 0, если не указано иное.
    примеры:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = длина последовательностей, не меньше 1
cli-perft-seed = число, которое определяет порядок лоскутов (по умолчанию: 0)
cli-position = текст позиции (по умолчанию: новая партия)

cli-serve = запустить сервер: игра в браузере, в том числе с друзьями по ссылке
cli-serve-examples =
    Без параметров сервер доступен только с этого компьютера и открывает браузер.
    Партии хранятся в базе данных и продолжаются после перезапуска. Всё можно
    задать и переменными среды, например PATCHWORK_PORT; они перечислены в
    docs/operations.md.
    примеры:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = адрес сервера (по умолчанию: 127.0.0.1, доступен только с этого компьютера)
cli-port = порт сервера; 0 — любой свободный (по умолчанию: 8327)
cli-database = файл SQLite или адрес postgresql:// с партиями (по умолчанию: server.db в папке данных пользователя)
cli-public-url = адрес, по которому сервер доступен игрокам (для ссылок)
cli-origins = другие источники (origins), со страниц которых можно здесь играть, через запятую
cli-proxies = адреса доверенных прокси, через запятую
cli-workers = сколько процессов вычисляют ходы компьютера (по умолчанию: на один меньше, чем ядер процессора)
cli-log-format = формат записей журнала (по умолчанию: text)
cli-log-level = наименьшая важность записей журнала (по умолчанию: info)
cli-no-browser = не открывать браузер
cli-serving = Patchwork работает по адресу { $url } (Ctrl+C остановит его)
cli-open-host = сервер принимает соединения на { $host }, поэтому доступен другим, а трафик не шифруется; для работы в интернете перед ним нужен прокси с TLS (docs/operations.md)
cli-port-in-use = порт { $port } на { $host } занят, возможно, другим Patchwork; выбрать порт можно командой «patchwork serve --port N» (0 — любой свободный)
cli-cannot-listen = не удаётся принимать соединения на { $host }, порт { $port }: { $detail }
cli-no-database = базу данных нельзя использовать: { $detail }
cli-newer-database = эти партии сохранены другой, вероятно более новой, версией программы ({ $detail })
cli-no-postgres = для PostgreSQL установлено не всё; в клоне репозитория недостающее установит «pip install '.[postgres]'»

cli-backup = скопировать партии в файл, даже когда сервер работает
cli-backup-examples =
    Копия полная и проверенная. В ней есть и ключ, которым подписываются
    идентификаторы игроков, поэтому хранить её нужно так же надёжно, как базу
    данных. Только для SQLite; у PostgreSQL есть pg_dump.
    примеры:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = файл для копии
cli-force = перезаписать файл, если он уже есть
cli-backup-done = Партии скопированы в файл { $file }

cli-restore = заменить партии сервера резервной копией
cli-restore-examples =
    Прежние партии останутся рядом, в файле с датой и временем в имени.
    пример:
      patchwork restore games-2026-11-15.db
cli-restore-file = файл с копией
cli-restore-done = Партии из копии { $file } восстановлены
cli-restore-kept = Прежние партии лежат в файле { $file }

cli-export = вывести записи всех партий сервера
cli-export-examples =
    примеры:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = файл для записей или - для стандартного вывода (по умолчанию: -)
cli-exported =
    { $games ->
        [one] { $games } партия записана в файл { $file }
        [few] { $games } партии записаны в файл { $file }
        [many] { $games } партий записано в файл { $file }
       *[other] { $games } партии записано в файл { $file }
    }
cli-export-skipped = не удаётся записать партию { $game }: { $detail }
cli-no-such-file = файла { $file } нет
cli-copy-exists = файл { $file } уже существует и без --force не будет перезаписан
cli-copy-not-sqlite = работает только с SQLite; для PostgreSQL есть pg_dump и pg_restore
cli-copy-same-file = копия и база данных — один и тот же файл
cli-copy-unsound = это не исправная копия партий сервера ({ $detail })
cli-copy-failed = не удалось скопировать партии: { $detail }

cli-bad-setting = { $setting } не может быть «{ $value }»; допускается: { $allowed }
cli-allowed-host = адрес или имя компьютера, без порта
cli-allowed-port = целое число от 0 до 65535
cli-allowed-database = путь к файлу, sqlite:///ПУТЬ или postgresql://ПОЛЬЗОВАТЕЛЬ:ПАРОЛЬ@СЕРВЕР/ИМЯ
cli-allowed-origins = источники вида https://example.org, через запятую
cli-allowed-proxies = IP-адреса или сети вида 10.0.0.0/8, через запятую
cli-allowed-public-url = адрес вида https://example.org, без пути
cli-allowed-switch = auto, true или false
cli-allowed-workers = целое число от 1 до 256
cli-allowed-secret = не меньше 32 символов
cli-allowed-log-format = text или json
cli-allowed-log-level = debug, info, warning или error
cli-allowed-frame = целое число от 256 до 1048576
cli-allowed-count = целое число, не меньше 0
cli-allowed-positive = целое число, не меньше 1
cli-allowed-seconds = число секунд больше 0

cli-upi = запустить движок для другой программы по протоколу UPI
cli-upi-examples =
    Читает команды со стандартного ввода и пишет ответы в стандартный вывод.
    Протокол описан в docs/upi.md.
    пример:
      patchwork match greedy upi:"patchwork upi"@2000n
cli-analyse = анализировать позиции пакетами, по одному объекту JSON в строке
cli-analyse-examples =
    Читает запросы со стандартного ввода и отвечает строкой на каждую позицию.
    Поля описаны в docs/upi.md.
    пример:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = сколько ядер процессора использовать (по умолчанию: 1)
cli-memory = сколько мегабайт может занять поиск (по умолчанию: 56)
cli-preparing = Движок готовится; в первый раз это занимает полминуты…
cli-match = провести матч двух программ и определить, какая сильнее
cli-match-examples =
    Партии играются парами: дважды один и тот же круг лоскутов, с обменом местами.
    Матч с --log после повтора той же команды продолжается с того места, где
    остановился. Игрок, который аварийно завершился, не ответил или нарушил правила,
    проигрывает партию.
    игроки:
      random, greedy, uct1000    неизменные программы для сравнения с другими
      level:1 ... level:8        движок указанного уровня
      playout:8                  движок без сети; никогда не меняется
      network:ФАЙЛ               движок с сетью из файла
      upi:"КОМАНДА"              программа, которая поддерживает UPI
      codingame:"КОМАНДА"        бот, написанный для CodinGame
      level:8@0.5s, level:8@2000n, upi:"КОМАНДА"@1s
                                 с ограничением на ход: секунды или узлы
    примеры:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = игрок, например greedy или level:8
cli-pairs = сколько пар партий сыграть с каждым соперником (по умолчанию: 100)
cli-jobs = сколько партий играть одновременно (по умолчанию: 1)
cli-match-seed = число, которое определяет всё случайное (по умолчанию: 0)
cli-match-edition = где лежат кожаные лоскуты (по умолчанию: издания чередуются)
cli-timeout = через сколько секунд сверх ограничения проигрывает игрок, который не сделал хода (по умолчанию: 60)
cli-log = хранить каждую партию в этом файле; если он уже есть, продолжить матч
cli-records = записать партии в этот файл
cli-sprt = остановиться, как только станет ясно, какой перевес A над B вероятнее: HIGH или LOW Эло

cli-ladder = оценить несколько программ по одной шкале
cli-ladder-examples =
    Список игроков выводит «patchwork match --help».
    примеры:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = друг с другом играют только игроки, которых в списке разделяет не больше K мест
cli-anchor = игрок, чья сила принимается за 0 (по умолчанию: первый)

cli-learn = обучить сеть игре, измерить её силу и сохранить её
cli-learn-examples =
    Всё объясняет docs/training.md. Подробнее: «patchwork learn КОМАНДА --help».
cli-learn-run = обучить сеть на партиях, которые она играет сама с собой
cli-learn-run-examples =
    Всё, что получается, лежит в одной папке. Ctrl+C останавливает обучение в любой
    момент, а --resume потом продолжает его.
    примеры:
      patchwork learn run --config smoke --out runs/smoke
      patchwork learn run --config full --minutes 30 --out runs/first
      patchwork learn run --resume runs/first --minutes 30
      torchrun --nproc-per-node 2 -m patchwork learn run --config full --out runs/two
cli-learn-config = конфигурация: full, deep, wide, far, smoke или файл TOML (по умолчанию: та, с которой обучение продолжается, иначе full)
cli-learn-minutes = сколько минут учиться (по умолчанию: сколько указано в конфигурации)
cli-learn-out = папка обучения (по умолчанию: та, в которой оно продолжается)
cli-learn-resume = продолжить обучение из этой папки или начать с весов этой сети
cli-learn-no-out = нужен --out, если --resume не указывает папку обучения
cli-learn-status = минута { $minutes }, осталось { $left } %  { $rating }  оценок/с: { $speed }  партии: { $games }  позиции: { $positions }  потери: { $losses }
cli-learn-done = Обучение длилось { $minutes } мин; всё лежит в папке { $folder }
cli-learn-stopped = Через { $minutes } мин обучение остановлено и сохранено; его продолжит «patchwork learn run --resume { $folder }»
cli-learn-rate = измерить силу сетей из папки обучения
cli-learn-rate-examples =
    Сети играют друг с другом и с random, greedy и uct1000; сила всех измеряется по
    одной шкале, где greedy = 0. Результаты остаются в папке; сыгранные партии
    заново не играются.
    пример:
      patchwork learn rate runs/first --nodes 64 --pairs 100 --jobs 2
cli-learn-folder = папка обучения
cli-learn-nodes = сколько узлов сеть может просмотреть на каждый ход; при 1 она играет без поиска (по умолчанию: 64)
cli-learn-no-networks = в папке { $folder } нет сетей
cli-learn-export = сохранить сеть в формате ONNX, чтобы играть с ней
cli-learn-export-examples =
    Рядом с сетью сохраняется карточка в формате JSON: в ней то, что о сети известно.
    примеры:
      patchwork learn export runs/first/networks/player-025.0.pt --out my.onnx
      patchwork match network:my.onnx@1s level:8@1s
cli-learn-network = файл с сетью из папки обучения
cli-learn-onnx = файл для записи; рядом с ним появится карточка с расширением .json
cli-learn-exported = Файл { $file } записан (параметров: { $parameters })
cli-learn-distil = перенести знания сети в веса шаблонов для быстрого поиска
cli-learn-distil-examples =
    Сеть играет сама с собой, а веса шаблонов учатся у неё оценивать позиции.
    Они сохраняются рядом с сетью, и уровень 8 использует их при поиске. Хватит
    получаса на двух ядрах процессора; GPU не нужен.
    пример:
      patchwork learn distil my.onnx
cli-learn-distilled-from = сеть из папки обучения или в формате ONNX (см. «learn export»)
cli-learn-games = сколько партий сыграет сеть (по умолчанию: 24000)
cli-learn-steps = сколько шагов обучения сделать (по умолчанию: 25000)
cli-learn-minutes-at-most = через сколько минут остановиться в любом случае, считая и время на партии
cli-learn-seed = число, которое определяет всё случайное (по умолчанию: 0)
cli-learn-teaching = партии: { $games } из { $total }
cli-learn-step = шаг { $step } из { $total }, потери: { $loss }
cli-learn-distilled = Файл { $file } записан (логарифмические потери: { $loss }; у сети: { $other })
cli-learn-unreadable = файл { $file } нельзя использовать: { $detail }
cli-learn-size = файл { $file } не подходит к конфигурации: { $detail }
cli-learn-not-installed = для обучения установлено не всё ({ $detail }); в клоне репозитория недостающее установит «pip install '.[learn]'»
cli-bad-minutes = «{ $found }» сюда не подходит; нужно число минут больше 0
cli-no-config = нет конфигурации «{ $name }»; можно указать { $names } или путь к файлу
cli-config-damaged = { $file } — не TOML: { $detail }
cli-config-unknown = { $file }: нет настройки «{ $setting }»; настройки: { $settings }
cli-config-whole = { $file }: { $setting } не может быть «{ $value }»; допускаются целые числа от { $least } до { $most }
cli-config-number = { $file }: { $setting } не может быть «{ $value }»; допускаются числа от { $least } до { $most }
cli-config-simulations = { $file }: { $setting } не может быть «{ $value }»; допускается список вроде [[0, 16], [0.5, 32]], с возрастающими долями от 0 до 1 и числом симуляций от 1 до { $most }

cli-cannot-open = не удаётся открыть { $file }: { $detail }
cli-cannot-write = не удаётся записать вывод: { $detail }
cli-no-output = стандартный вывод закрыт, поэтому ничего вывести нельзя
cli-no-input = стандартный ввод закрыт, поэтому читать из него нечего
cli-not-text = { $file } — не текстовый файл: байт { $byte } не соответствует UTF-8
cli-file-exists = файл { $file } уже существует и не будет перезаписан; без { $option } партия из него продолжится
cli-game-finished = партия в файле { $file } окончена; её покажет «{ $command }»
cli-damaged-save = файл { $file } пропущен: в нём нет исправной партии; причину сообщит «patchwork check»
cli-no-such-source = файла «{ $source }» нет, и это не позиция: { $complaint }
cli-no-such-game = в файле { $file } нет партии { $game }; всего партий в нём: { $games }
cli-no-such-move = хода { $move } нет; можно выбрать от 0 до { $last }
cli-bad-seed = { $seed } не подходит для --seed; нужно целое число от 0 до { $last }
cli-bad-number = «{ $found }» сюда не подходит; нужно целое число, не меньше { $least }
cli-bad-name = { $name } не может быть именем; имя — это одна строка текста
cli-bad-player = «{ $player }» — не игрок; есть игроки random, greedy, uct1000, от level:1 до level:8, playout:8, network:ФАЙЛ, upi:КОМАНДА и codingame:КОМАНДА; для level, playout, network и upi можно указать ограничение, например @1s или @2000n
cli-classic-only = { $player } играет только в издание classic
cli-bad-elo = «{ $found }» сюда не подходит; нужна разница в Эло, например 10 или -2.5
cli-sprt-order = первая граница должна быть меньше второй, а { $low } не меньше { $high }
cli-ladder-players = для рейтинга нужны хотя бы два игрока, и каждого можно указать только один раз
cli-no-anchor = игрок { $player }, чья сила принимается за 0, не участвует
cli-ladder-unconnected = сыграно слишком мало партий, чтобы сравнить всех игроков
cli-not-installed = для этого установлено не всё ({ $detail }); в клоне репозитория недостающее установит «pip install '.[play]'»
cli-exists = файл { $file } уже существует и не будет перезаписан
cli-player-not-started = не удаётся запустить игрока { $player }: { $detail }
cli-log-another-match = { $file } — это журнал другого матча: { $detail }
cli-log-damaged = журнал { $file } повреждён: { $detail }
cli-log-in-use = в журнал { $file } сейчас пишет другой матч
cli-match-interrupted = прервано; сыграно партий: { $games }
cli-match-progress = партии: { $games } из { $total }
cli-ladder-pairs = (пар: { $pairs })
cli-result-games = партий: { $games }, выиграно: { $wins }, проиграно: { $losses } ({ $percent } %)
cli-result-pairs = пар: { $pairs }, выиграно 2-0: { $won }, вничью 1-1: { $split }, проиграно 0-2: { $lost }
cli-result-elo = сила: { $elo }; вероятность превосходства: { $percent } %
cli-result-scores = средний счёт: { $first } : { $second }
cli-result-time = среднее время на ход: { $first } : { $second }
cli-result-forfeit = { $player }: техническое поражение в партии { $game } пары { $pair } ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] проверка: разница скорее { $high } Эло, чем { $low } (логарифм отношения правдоподобия { $ratio })
        [rejected] проверка: разница скорее { $low } Эло, чем { $high } (логарифм отношения правдоподобия { $ratio })
       *[undecided] проверка: неясно, { $low } или { $high } Эло (логарифм отношения правдоподобия { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } партия, всё в порядке
        [few] { $games } партии, всё в порядке
        [many] { $games } партий, всё в порядке
       *[other] { $games } партии, всё в порядке
    }
cli-no-game = В файле нет ни одной партии.
cli-press-enter = Enter: дальше, q: закончить
cli-ends-here =
    { $termination ->
        [resigned] Здесь партия закончилась сдачей.
        [time] Здесь партия закончилась: истекло время.
        [left] Здесь партия закончилась: один из игроков вышел.
        [aborted] Здесь партия была отменена.
       *[unfinished] Партия не окончена.
    }

## Playing in the terminal

play-player = Игрок { $seat }
play-saved-in = Партия хранится в файле { $path }
play-resumed = Продолжаем неоконченную партию.
play-help-hint = Введи ход или «help».
play-prompt =
    { $phase ->
        [leather] { $name }, расположи кожаный лоскут:
       *[turn] { $name }, твой ход:
    }
play-help =
    Ходы:
      A        пройти вперёд, обогнав другой жетон на 1 клетку; 1 пуговица за каждую клетку
      17Bc4    купить лоскут 17, ориентация B, левый верхний угол в столбце c, строке 4
      Lc4      расположить кожаный лоскут в столбце c, строке 4
    Команды:
      moves       что можно сделать сейчас
      moves 17    лоскут 17 во всех ориентациях; буква o отмечает, где может лежать его угол
      try 17Bc4   посмотреть, что даст ход, не делая его
      undo        отменить свой последний ход
      show        нарисовать стол ещё раз
      quit        выйти; партия сохранится
    На рисунке b — пуговицы, i — доход, t — время, = — счёт, если бы партия закончилась сейчас.
    На треке времени $ приносит доход, а у % лежит кожаный лоскут.
play-unknown = «{ $command }» — не ход и не команда. Введи «help».
play-try-what = Укажи и ход, который хочешь попробовать, например «try 17Bc4».
play-leather-first = Сначала расположи кожаный лоскут, например ходом { $move }.
play-advance =
    { $spaces ->
        [one] пройти { $spaces } клетку и получить { $spaces } пуговицу
        [few] пройти { $spaces } клетки и получить { $spaces } пуговицы
        [many] пройти { $spaces } клеток и получить { $spaces } пуговиц
       *[other] пройти { $spaces } клетки и получить { $spaces } пуговицы
    }
play-places-count =
    { $count ->
        [0] никуда не помещается
        [one] можно расположить { $count } способом
        [few] можно расположить { $count } способами
        [many] можно расположить { $count } способами
       *[other] можно расположить { $count } способа
    }
play-no-such-patch = Лоскута «{ $found }» нет; лоскуты пронумерованы от 0 до { $last }.
play-nothing-to-undo = Отменять нечего.
play-undone =
    { $count ->
        [one] Отменён { $count } ход.
        [few] Отменено { $count } хода.
        [many] Отменено { $count } ходов.
       *[other] Отменено { $count } хода.
    }
play-left = Партия сохранена. «{ $command }» её продолжит.
play-not-saved = Ход не сделан, потому что не удаётся записать файл { $path }: { $detail }
play-changed-elsewhere = Ход не сделан, потому что файл { $path } тем временем изменился: возможно, команда «patchwork play» запущена дважды. Введи «quit» и запусти игру снова, чтобы продолжить изменённую партию.

play-advances =
    { $spaces ->
        [one] { $name } проходит { $spaces } клетку и получает { $spaces } пуговицу.
        [few] { $name } проходит { $spaces } клетки и получает { $spaces } пуговицы.
        [many] { $name } проходит { $spaces } клеток и получает { $spaces } пуговиц.
       *[other] { $name } проходит { $spaces } клетки и получает { $spaces } пуговицы.
    }
play-buys =
    { $name } покупает лоскут { $patch } (уплачено пуговиц: { $buttons }, пройдено клеток: { $spaces }).
play-places = { $name } располагает кожаный лоскут на клетке { $cell }.
play-income =
    { $buttons ->
        [one] Доход: { $buttons } пуговица.
        [few] Доход: { $buttons } пуговицы.
        [many] Доход: { $buttons } пуговиц.
       *[other] Доход: { $buttons } пуговицы.
    }
play-tile = { $name } получает специальный тайл.
play-takes-leather = { $name } берёт кожаный лоскут.
play-discards-leather = { $name } берёт кожаный лоскут, но свободной клетки для него уже нет.
play-home = { $name } раньше соперника достигает последней клетки.
play-try-score = Счёт: { $score } ({ $change })
play-try-next = Следующий ход: { $name }

play-score =
    { $name }: { $buttons } (пуговицы) + { $tile } (специальный тайл) - { $minus } (пустые клетки: { $empty }) = { $score }
play-tie-break = Счёт равный; победа у того, чей жетон раньше пришёл на последнюю клетку: { $name }.
play-wins = { $name } побеждает!
play-replay-hint = «{ $command }» покажет партию ещё раз.

## Why a move is refused

reason-game-over = Партия окончена.
reason-not-in-this-phase = Не сейчас: кожаный лоскут располагают сразу после того, как взяли, и только тогда.
reason-not-on-offer = Этот лоскут выбрать нельзя: доступны только три следующих по кругу.
reason-cannot-afford = На этот лоскут не хватает пуговиц.
reason-off-the-board = Так лоскут выйдет за край поля-одеяла.
reason-not-that-shape = У лоскута нет такой формы.
reason-overlaps = Лоскут перекроет другой.
reason-cell-taken = Эта клетка уже занята.

## What is wrong with a text

notation-move = ход { $number }
notation-game = партия { $number }
notation-not-a-position = Это не текст позиции ({ $detail }).
notation-impossible-position = Такая позиция не может возникнуть ни в одной партии ({ $detail }).
notation-not-a-move = Это не ход. Ходы выглядят так: A, Lc4 или 17Bc4; лоскуты от 0 до 32, ориентации от A до H, столбцы от a до i, строки от 1 до 9.
notation-illegal-move = Этот ход недопустим ({ $detail }).
notation-bad-tag = Ошибка в теге ({ $detail }).
notation-missing-tag = Не хватает тега ({ $detail }).
notation-unexpected = Это здесь лишнее ({ $detail }).
notation-unclosed = Комментарий не закрыт.
notation-too-deep = Слишком много вариантов вложено друг в друга.
notation-too-long = Запись слишком длинная.
notation-cut-off = Запись обрывается без результата; возможно, файл обрезан.
notation-contradiction = Запись противоречит сама себе ({ $detail }).
notation-not-one-record = Здесь должна быть ровно одна партия ({ $detail }).

## The page: the table

page-table-computer = Компьютер, уровень { $level }
page-table-you = Ты
page-table-player = Игрок { $number }
page-table-turn-you =
    { $why ->
        [leather] Расположи кожаный лоскут
        [on-top] Твой ход: твой жетон лежит сверху
       *[behind] Твой ход: твой жетон позади
    }
page-table-turn-other =
    { $whose ->
        [computer] Компьютер
       *[other] { $name }
    } { $why ->
        [leather] располагает кожаный лоскут
        [on-top] ходит: жетон сверху
       *[behind] ходит: жетон позади
    }
page-table-called = Твой ход — Patchwork
page-table-arrived = { $name } здесь — Patchwork
page-table-back = { $name } снова здесь — Patchwork
page-table-connecting = Соединение…
page-table-slow = Медленное соединение…
page-table-lost = Связь потеряна. Повторное подключение…
page-table-away = нет на месте
page-table-thinks = Компьютер думает…
page-table-thinks-briefly = Компьютер думает меньше обычного: сервер загружен…
page-table-thinks-later =
    { $tables ->
        [one] Перед тобой в очереди к компьютеру ещё { $tables } стол.
        [few] Перед тобой в очереди к компьютеру ещё { $tables } стола.
        [many] Перед тобой в очереди к компьютеру ещё { $tables } столов.
       *[other] Перед тобой в очереди к компьютеру ещё { $tables } стола.
    }
page-table-sending = Твой ход отправляется…
page-table-withdrawn = Партия тем временем изменилась, поэтому твой ход не сделан.
page-table-refused =
    { $code ->
        [nothing-to-undo] Отменять нечего.
        [already-asked] Просьба уже отправлена.
        [too-late-to-abort] Оба игрока уже ходили, партию нельзя отменить.
        [not-gone] Соперник вернулся.
        [busy] Компьютер занят. Попробуй чуть позже.
        [too-many] Слишком много запросов. Попробуй чуть позже.
       *[other] Сейчас это невозможно.
    }
page-table-missed =
    { $moves ->
        [one] Пока тебя не было, сделан { $moves } ход:
        [few] Пока тебя не было, сделано { $moves } хода:
        [many] Пока тебя не было, сделано { $moves } ходов:
       *[other] Пока тебя не было, сделано { $moves } хода:
    }
page-table-joined = { $name } присоединяется к игре.
page-table-asks = { $name } хочет отменить свой последний ход.
page-table-asked = Просьба отменить твой последний ход отправлена.
page-table-accept = Разрешить
page-table-decline = Отклонить
page-table-declined = { $name } против отмены хода.
page-table-taken-back = { $name }: ход отменён.
page-table-wants-rematch = { $name } хочет сыграть ещё раз.
page-table-swapped =
    { $begins ->
        [you] Вы поменялись сторонами: теперь это твой жетон. Начинаешь ты.
        [computer] Вы поменялись сторонами: теперь это твой жетон. Начинает компьютер.
       *[other] Вы поменялись сторонами: теперь это твой жетон. Начинает { $name }.
    }
page-table-gone = Соперник ушёл.
page-table-gone-early = Соперник ушёл раньше, чем оба сделали ход.
page-table-claim = Засчитать победу
page-table-did-advance =
    { $spaces ->
        [one] вперёд на { $spaces } клетку, +{ $spaces } пуговица
        [few] вперёд на { $spaces } клетки, +{ $spaces } пуговицы
        [many] вперёд на { $spaces } клеток, +{ $spaces } пуговиц
       *[other] вперёд на { $spaces } клетки, +{ $spaces } пуговицы
    }
page-table-did-buy = куплен лоскут { $patch } (пуговицы: { $buttons }, время: { $spaces })
page-table-did-leather = кожаный лоскут на { $cell }
page-table-did-income = доход +{ $buttons }
page-table-did-tile = получен специальный тайл
page-table-did-take-leather = взят кожаный лоскут
page-table-move-advance = пройти вперёд
page-table-move-leather = кожаный лоскут на { $cell }
page-table-move-buy = лоскут { $patch } на { $cell }
page-table-buttons =
    { $buttons ->
        [one] { $buttons } пуговица
        [few] { $buttons } пуговицы
        [many] { $buttons } пуговиц
       *[other] { $buttons } пуговицы
    }
page-table-income = Доход { $income }
page-table-has-tile = есть специальный тайл
page-table-score = Очки { $points }
page-table-score-why = Очки, если бы партия закончилась сейчас: 1 за каждую пуговицу, 7 за специальный тайл, минус 2 за каждую пустую клетку. В начале у всех −157.
page-table-empty = Пустые клетки { $empty }
page-table-income-left = Доход до конца +{ $buttons }
page-table-days =
    { $days ->
        [one] { $days } день
        [few] { $days } дня
        [many] { $days } дней
       *[other] { $days } дня
    }
page-table-clock-low = { $name }: осталось меньше { $seconds } секунд
page-table-first-move = Первый ход:
page-table-first-move-you = Сделай первый ход вовремя, иначе партия отменится. Никто не проиграет.
page-table-first-move-other = { $name }: без первого хода вовремя партия отменится. Никто не проиграет.
page-table-time-board = Трек времени: { $first } — клетка { $at } из 53; { $second } — клетка { $and }
page-table-quilt-of = Одеяло: { $name }
page-table-swap-quilts = Поменять одеяла местами
page-table-cell-empty = { $cell }, пусто
page-table-cell-patch = { $cell }, лоскут { $patch }
page-table-cell-leather = { $cell }, кожаный лоскут
page-table-cell-thought = { $cell }, { $tag }: лоскут { $patch }
page-table-cell-fits = { $cell }, лоскут сюда помещается
page-table-cell-no-fit = { $cell }, так лоскут не помещается
page-table-cell-tile = { $cell }, лоскут сюда помещается и приносит специальный тайл
page-table-circle = Лоскуты на выбор
page-table-circle-rest = Остальные лоскуты круга по порядку
page-table-neutral = Катушка ниток (нейтральная фишка)
page-table-patch = Лоскут { $patch }: клетки { $cells }, цена { $cost }, время { $time }, доход { $income }
page-table-spaces = Клетки { $cells }
page-table-coming-after =
    { $patches ->
        [one] Ещё { $patches } место до выбора
        [few] Ещё { $patches } места до выбора
        [many] Ещё { $patches } мест до выбора
       *[other] Ещё { $patches } места до выбора
    }
page-table-cannot-afford = Не хватает пуговиц
page-table-fits-nowhere = Никуда не помещается
page-table-choose = Возьми один из трёх лоскутов или пройди вперёд.
page-table-only-advance = Можно только пройти вперёд.
page-table-advance = Вперёд
page-table-sew = Пришить
page-table-turn = Повернуть
page-table-flip = Перевернуть
page-table-cancel = Вернуть
page-table-no-fit-this-way = Так он никуда не помещается. Поверни его или переверни.
page-table-no-place-there = Дальше в эту сторону не помещается.
page-table-place-leather = Кожаный лоскут: выбери свободную клетку.
page-table-lands = клетка { $space } (+{ $spaces })
page-table-gets-income = доход +{ $buttons }
page-table-gets-leather = кожаный лоскут
page-table-gets-tile = специальный тайл
page-table-points = очки { $before } → { $after }
page-table-then = потом: { $name }
page-table-then-computer = потом: компьютер
page-table-then-again = снова твой ход
page-table-then-leather = потом расположи его
page-table-then-over = потом конец партии
page-idea-tag = идея
page-idea-keep = Оставить как идею
page-idea-take = Взять сейчас
page-idea-clear = Убрать все идеи
page-idea-count = Идеи: { $count }
page-idea-costs = цена { $buttons }
page-idea-lacking = не хватает { $buttons }
page-idea-short =
    { $buttons ->
        [one] не хватает { $buttons } пуговицы
        [few] не хватает { $buttons } пуговиц
        [many] не хватает { $buttons } пуговиц
       *[other] не хватает { $buttons } пуговицы
    }
page-idea-now = сейчас на выбор
page-idea-next = после следующей покупки
page-idea-if = после покупки
page-idea-later =
    { $purchases ->
        [one] минимум через { $purchases } покупку
        [few] минимум через { $purchases } покупки
        [many] минимум через { $purchases } покупок
       *[other] минимум через { $purchases } покупки
    }
page-idea-dropped =
    { $why ->
        [taken] Лоскут { $patch } уже взят.
        [covered] Лоскут { $patch } больше не помещается на задуманное место.
        [home] На лоскут { $patch } уже не хватит времени.
       *[other] Лоскут { $patch } никуда не помещается.
    }
page-next-tag = следующий ход
page-next-play = Сделать в мой ход
page-next-begin = Подготовить ход
page-next-advance = Пройти вперёд, как только будет твой ход? Или выбери лоскут.
page-next-is = Следующий ход: { $move }.
page-next-when = Он будет сделан в твою очередь, если эта страница останется открытой.
page-next-cancel = Отменить следующий ход
page-next-cancelled =
    { $why ->
        [taken] Следующий ход отменён: лоскут { $patch } уже взят.
        [not-on-offer] Следующий ход отменён: лоскута { $patch } нет на выбор.
        [cannot-afford] Следующий ход отменён: на лоскут { $patch } не хватает пуговиц.
        [overlaps] Следующий ход отменён: лоскут { $patch } там больше не помещается.
        [leather] Следующий ход отменён: сначала нужно расположить кожаный лоскут.
        [takeback] Следующий ход отменён: ход взят назад.
       *[moved] Следующий ход отменён: твой ход уже сделан.
    }
page-table-undo = Отменить ход
page-table-hint = Подсказка
page-table-hint-look =
    { $kind ->
        [advance] Пройти вперёд кажется лучше, чем покупать.
        [buy] Купить лоскут кажется лучше, чем пройти вперёд.
        [only] Можно только пройти вперёд.
       *[leather] На какой клетке кожаный лоскут полезнее всего?
    }
page-table-hint-watch =
    { $code ->
        [tile] Обрати внимание на свой квадрат 7 × 7.
        [hole] Обрати внимание на дыры в одну клетку.
        [leather] Обрати внимание на кожаный лоскут на треке времени.
        [again] Обрати внимание, чей ход будет потом.
        [income] Обрати внимание на доход, который ещё впереди.
       *[line] Обрати внимание на следующую отметку дохода.
    }
page-table-hint-figures = Ты: шанс на победу { $win } %, перевес в очках { $points }
page-table-hint-best = лучший
page-table-hint-why =
    { $code ->
        [tile] приносит специальный тайл: { $figure } очков
        [hole] закрывает дыру в одну клетку
        [leather] приносит кожаный лоскут
        [again] потом снова твой ход
        [income] до конца доход превысит цену на { $figure }
       *[line] по пути ты получишь доход: +{ $figure }
    }
page-table-hint-more =
    { $step ->
        [which] Показать ходы
       *[where] Показать место
    }
page-table-hint-prepared = Подготовлено, но ещё не сыграно: подтверди ход или измени его.
page-table-menu = Партия
page-table-moves = Ходы
page-table-no-moves = Ходов пока нет.
page-table-order = Порядок лоскутов
page-table-order-why = Вставь его в настройки новой партии, чтобы сыграть с теми же лоскутами.
page-table-qr = Ссылка в виде QR-кода
page-table-link = Ссылка на этот стол
page-table-copy = Скопировать ссылку
page-table-copied = Скопировано
page-table-share = Поделиться
page-table-abort = Отменить партию
page-table-abort-why = Партия сразу закончится без победителя.
page-table-resign = Сдаться
page-table-resign-why = Партия сразу закончится победой соперника.
page-table-sure = Точно? Нажми ещё раз.
page-table-home = На главную
page-table-notify = Уведомлять, когда мой ход
page-table-notify-arrival = Уведомить меня, когда кто-то присоединится
page-table-notify-forbidden = Браузер не разрешает этой странице присылать уведомления.
page-table-words = Описание стола
page-table-words-tile-free = Специального тайла пока ни у кого нет.
page-table-words-place = Трек времени: клетка { $space } из 53
page-table-words-income-next = Следующий доход — перед клеткой { $space }
page-table-words-leather-next = Следующий кожаный лоскут — перед клеткой { $space }
page-table-words-shape = Ширина { $width }, высота { $height }; заполненные столбцы: { $rows }
page-table-words-row = строка { $row }: { $content }
page-table-words-takeable = Можно взять
page-table-words-latest = Последние ходы
page-table-keys = Клавиши
page-table-key-choose = взять первый, второй или третий лоскут
page-table-key-try = примерить другой лоскут круга на своё одеяло
page-table-key-arrows = двигать лоскут
page-table-key-turn = повернуть
page-table-key-flip = перевернуть
page-table-key-enter = сделать ход или подготовить его, пока ждёшь
page-table-key-escape = вернуть лоскут или отменить подготовленный ход
page-table-key-keep = оставить лоскут как идею
page-table-key-clear = убрать все идеи
page-table-key-advance = пройти вперёд
page-table-key-undo = отменить последний ход
page-table-key-hint = попросить подсказку; ещё раз — следующий шаг
page-table-key-words = описание стола
page-table-key-circle = рассмотреть следующие лоскуты
page-table-key-quilts = поменять одеяла местами
page-table-key-help = этот список
page-table-waiting = Ждём второго игрока…
page-table-invite = Отправь эту ссылку тому, с кем хочешь сыграть. Партия начнётся, как только он присоединится.
page-table-only-here = Эту ссылку можно открыть только на этом компьютере. Чтобы играть с другими, запусти «patchwork serve --host 0.0.0.0» и открой страницу по сетевому адресу этого компьютера.
page-table-invited = { $name } приглашает тебя сыграть.
page-table-your-name = Твоё имя (необязательно)
page-table-join = Войти и играть
page-table-seat-taken = Место уже занято. Можно смотреть.
page-table-needle = Кто последним держал в руках иголку? Этот игрок начинает.
page-table-soon = Партия вот-вот начнётся.
page-table-wins =
    { $whose ->
        [you] Победа за тобой!
        [computer] Компьютер побеждает!
       *[other] { $name } побеждает!
    }
page-table-ended =
    { $reason ->
        [resigned-you] Ты сдаёшь партию.
        [resigned] { $name } сдаёт партию.
        [time-you] Твоё время истекло.
        [time] Время истекло: { $name }.
        [left-you] Ты покидаешь партию.
        [left] { $name } покидает партию.
        [aborted] Партия отменена.
       *[other] Партия окончена.
    }
page-table-unfinished = Партия не доиграна, поэтому очки не считаются.
page-table-tie-break =
    { $whose ->
        [you] Счёт равный; твой жетон пришёл на последнюю клетку раньше.
        [computer] Счёт равный; жетон компьютера пришёл на последнюю клетку раньше.
       *[other] Счёт равный; победа у того, чей жетон раньше пришёл на последнюю клетку: { $name }.
    }
page-table-step-buttons = Пуговицы
page-table-step-tile = Специальный тайл
page-table-step-empty = Пустые клетки
page-table-step-total = Итого
page-table-why-buttons = по 1 очку
page-table-why-tile = 7 очков за первый заполненный квадрат 7 × 7 клеток
page-table-why-empty = минус 2 очка за каждую
page-table-skip = Показать всё сразу
page-table-next-game = Следующая партия
page-table-rematch = Сыграть ещё раз
page-table-rematch-same = Ещё раз с теми же лоскутами
page-table-rematch-asked = Ждём соперника…
page-table-rematch-accept = Принять и сыграть ещё раз
page-table-new-game = Новая партия
page-table-replay = Просмотреть партию
page-table-record = Скачать запись
page-table-picture = Картинка с одеялами ({ $format })
page-table-look = Посмотреть на стол
page-table-to-scores = К подсчёту очков
page-table-watching = Ты смотришь партию.
page-table-waits-for = Ходит { $name }…

## The page: home and settings

page-home = Patchwork, на главную
page-learn = Как играть
page-rules = Правила
page-preferences = Настройки
page-language = Язык
page-theme = Цвета
page-theme-system = Как на устройстве
page-theme-light = Светлые
page-theme-dark = Тёмные
page-tokens = Цвета жетонов
page-tokens-edition = Как в издании
page-tokens-classic = Салатовый и жёлтый
page-tokens-revised = Синий и красный
page-look = Сторона трека времени
page-look-rug = Плетёный коврик
page-look-blocks = Сшитые квадраты
page-confirm = Подтверждать каждый ход
page-confirm-why = Без этого ход делается, как только выбрано место.
page-motion = Анимация
page-motion-calm = Отключена в настройках устройства.
page-sound = Звуки
page-close = Закрыть
page-fan = Неофициальный фанатский проект. Patchwork — игра Уве Розенберга, изданная Lookout Games; ни автор, ни издательство с этой страницей не связаны. Если игра тебе нравится, купи настоящую.
page-licence = Свободная программа под лицензией MIT.
page-api = Для разработчиков

page-tagline = За пуговицы покупают лоскуты, из лоскутов шьют одеяло. Игра для двоих на четверть часа.
page-play-now = Играть
page-opening = Раскладываем игру…
page-level = Насколько сильным должен быть компьютер?
page-level-1 = Мягкий
page-level-2 = Лёгкий
page-level-3 = Спокойный
page-level-4 = Уверенный
page-level-5 = Умелый
page-level-6 = Сильный
page-level-7 = Очень сильный
page-level-8 = Сильнейший
page-level-lowest = Начни отсюда, если играешь впервые. Чуть слабее игрока, который покупает по простому правилу.
page-level-strength = Выигрывает около { $percent } партий из 100 против уровня { $below }.
page-level-thinks = Думает секунду; остальные отвечают сразу.
page-level-honest = Измерено в партиях между уровнями, а не с людьми. Ни один не играет плохо нарочно: слабые просто не заглядывают так далеко вперёд.
page-options = Другие настройки
page-first = Кто начинает?
page-first-me = Я
page-first-computer = Компьютер
page-first-friend = Мой друг
page-first-one = Игрок 1
page-first-two = Игрок 2
page-first-random = Решит случай
page-first-needle = Кто последним держал иголку
page-edition = Трек времени
page-edition-classic = Поле 2014 года
page-edition-revised = Поздние издания и приложения
page-edition-why = Отличаются только места кожаных лоскутов.
page-order = Порядок лоскутов (необязательно)
page-order-why = Чтобы сыграть с теми же лоскутами, что и кто-то другой, введи то же число или вставь порядок из меню другой партии или из записи. Если оставить поле пустым, порядок будет случайным.
page-clock = Часы
page-clock-none = Нет
page-clock-minutes =
    { $minutes ->
        [one] { $minutes } минута на игрока, + { $increment } с за ход
        [few] { $minutes } минуты на игрока, + { $increment } с за ход
        [many] { $minutes } минут на игрока, + { $increment } с за ход
       *[other] { $minutes } минуты на игрока, + { $increment } с за ход
    }
page-clock-days =
    { $days ->
        [one] { $days } день на ход
        [few] { $days } дня на ход
        [many] { $days } дней на ход
       *[other] { $days } дня на ход
    }
page-name = Твоё имя (необязательно)
page-name-one = Имя игрока 1 (необязательно)
page-name-two = Имя игрока 2 (необязательно)

page-ways = Как ещё можно играть
page-screen = Вдвоём за одним экраном
page-screen-why = Сядьте рядом или передавайте устройство друг другу.
page-screen-begin = Начать
page-friend = Пригласить друга
page-friend-why = Ты получишь ссылку для друга. Кто первым её откроет, тот и сыграет с тобой; учётная запись не нужна.
page-friend-begin = Создать ссылку
page-watch = Смотреть партию
page-watch-why = Смотреть может каждый, кто знает ссылку на партию.
page-watch-label = Ссылка на партию
page-watch-begin = Смотреть
page-carry = Продолжить на другом устройстве
page-carry-why = Твои партии привязаны к этому браузеру. По личной ссылке их можно продолжить на другом устройстве.
page-carry-begin = Создать личную ссылку
page-carry-link = Личная ссылка
page-carry-picture = QR-код личной ссылки
page-carry-expires = Она действует до { $time }. Никому её не показывай: кто её откроет, будет играть за тебя.
page-network = Пустить в игру других из этой сети
page-network-why = Пока эту страницу может открыть только этот компьютер. Если пустить других, открыть её и играть сможет любой в той же сети, например в твоём Wi-Fi; твои файлы и другие программы останутся для них недоступны. Доступ прекратится, когда ты закроешь его здесь или выйдешь из Patchwork.
page-network-is-open = Открыто для всех в этой сети по адресу
page-network-picture = QR-код этого адреса
page-network-others = Другие адреса этого компьютера:
page-network-firewall = Если на другом устройстве страница не открывается, проверь, что оба в одной сети и что брандмауэр этого компьютера пропускает Patchwork (Python).
page-network-close = Закрыть для других
page-network-failed = Открыть не удалось. Возможно, тот же порт занят другой программой.
page-network-none = Этот компьютер не в локальной сети, поэтому другие не могут к нему подключиться.
page-network-again = Проверить ещё раз
page-carry-here = Играть дальше здесь?
page-carry-here-why = Тогда в этом браузере ты будешь играть за того, кто создал ссылку.
page-carry-here-begin = Продолжить здесь
page-carry-too-old = Ссылка устарела или скопирована не целиком. Создай новую на другом устройстве.
page-carry-own = Этот браузер
page-carry-maker = Другое устройство
page-carry-games = Партии
page-carry-running = Идут
page-carry-finished = Завершены
page-carry-adopt = В этом браузере пока нет своих партий.
page-carry-merge = Твои партии и партии другого устройства станут одним списком. Любую можно будет продолжить и здесь, и там; ни одна не пропадёт.
page-carry-merge-undo = В течение дня это можно отменить.
page-carry-merge-own-link = Продолжай, только если это твоя ссылка. Иначе в твои партии сможет играть кто-то другой.
page-carry-same = Этот браузер уже играет за того, кто создал ссылку. Больше ничего делать не нужно.
page-carry-opponents = Ты играешь против того, кто создал ссылку. Пока вы не закончите, ваши партии нельзя объединить.
page-carry-opponents-how = Сначала доиграй, сдайся или отмени партию, а потом создай новую ссылку. До тех пор ничего не изменится, и ни одна партия не пропадёт.
page-carry-not-now = Не сейчас
page-carry-retry = Попробовать ещё раз
page-carry-merged = Партии этого браузера и другого устройства объединены.
page-carry-undo-why = Это можно отменить до { $time }. Партии, начатые за это время, останутся тогда на другом устройстве.
page-carry-undo = Отменить
page-copy = Копировать
page-copied = Скопировано

page-continue = Продолжить игру
page-finished = Завершённые партии
page-no-games = Здесь появятся твои партии.
page-last-quilt = Твоё последнее одеяло
page-loading = Загрузка…
page-more-games = Показать ещё партии
page-against = Соперник: { $name }
page-computer-level = компьютер, уровень { $level }
page-both = { $one } и { $two }
page-your-turn = Твой ход
page-turn-of = Ходит: { $name }
page-time-left = На ход осталось: { $time }
page-not-begun = Ещё не началась
page-won = Победа
page-lost = Поражение
page-won-by = Победа: { $name }
page-no-winner = Отменена
page-by-resigning = сдача партии
page-by-time = по времени
page-by-leaving = уход игрока

page-nowhere = Здесь ничего нет
page-nowhere-why = По этому адресу нет страницы. Проверь, целиком ли скопирована ссылка.
page-trouble-offline = Сервер недоступен. Проверь соединение и попробуй ещё раз.
page-trouble-too-many = Слишком много запросов. Подожди минуту и попробуй ещё раз.
page-trouble-unavailable = Сервер сейчас перегружен. Попробуй ещё раз чуть позже.
page-trouble-no-such-table = По этой ссылке партии нет. Проверь, целиком ли она скопирована.
page-trouble-reserved-name = Это имя похоже на имя компьютера. Выбери другое.
page-trouble-bad-circle = Такой порядок лоскутов не подходит. Введи целое число или все 33 лоскута так, как их показывает меню партии.
page-trouble-other = Не получилось. Обнови страницу.

page-try-again = Попробовать ещё раз

## The page: privacy

page-privacy = Приватность
page-privacy-intro = Что хранят о тебе сервер и твой браузер, как долго и что с этим можно сделать.
page-privacy-server = Что хранит сервер
page-privacy-server-games = Твои партии: ходы, их время и имена, которые указали игроки. Посмотреть партию может каждый, кто знает ссылку на неё.
page-privacy-server-records = Записи, которые открывают для просмотра, вместе с именами и комментариями в них, но без сведений о том, кто их открыл. Посмотреть их может каждый, кто знает ссылку. Они хранятся столько же, сколько завершённые партии, считая с последнего открытия.
page-privacy-server-player = Случайный код, по которому сервер тебя узнаёт, чтобы твои партии оставались твоими. Учётных записей нет, так что ни адреса электронной почты, ни пароля сервер не знает.
page-privacy-server-address = Твой сетевой адрес нужен только для защиты сервера от перегрузки. Вместе с партиями он не хранится. Адрес, заблокированный по этой причине, может попасть в журнал сервера.
page-privacy-time = Как долго это хранится
page-privacy-time-unfinished = Неоконченные партии: { $time }
page-privacy-time-finished = Завершённые партии: { $time }
page-privacy-time-unlimited = без ограничений
page-privacy-time-since = Срок отсчитывается от последнего события в партии.
page-privacy-time-backups = Удалённое может оставаться в резервных копиях владельца сервера, пока их не сменят новые.
page-privacy-browser = Что хранит твой браузер
page-privacy-browser-cookie = Файл cookie, по которому тебя узнаёт сервер. Он действует 400 дней после последнего посещения.
page-privacy-browser-settings = Твои настройки, последние введённые имена, а также то, какие ходы последних 30 партий тебе уже показаны и на каком ты шаге урока.
page-privacy-others = Что получают третьи лица
page-privacy-others-text = Ничего. Здесь нет рекламы и слежки, и ничего не загружается с других серверов.
page-privacy-yours = Твои данные
page-privacy-data = Получить свои данные
page-privacy-data-why = Всё, что сервер хранит о тебе: твои имена и партии, ход за ходом, в машиночитаемом файле.
page-privacy-data-begin = Скачать мои данные
page-privacy-data-done = Твои данные скачаны.
page-privacy-revoke = Отключить другие устройства
page-privacy-revoke-why = Если за тебя может играть кто-то ещё, отключи его: дальше играть за тебя можно будет только из этого браузера. Другие твои устройства, боты и личные ссылки сразу перестанут работать.
page-privacy-revoke-begin = Отключить все остальные
page-privacy-revoke-done = Готово. Теперь играть за тебя можно только из этого браузера.
page-privacy-delete = Удалить свои данные
page-privacy-delete-why = Твои имена исчезнут, и ни одна партия больше не приведёт к тебе. Неоконченные партии будут сданы. У соперников их партии останутся, но против игрока без имени.
page-privacy-delete-begin = Удалить мои данные…
page-privacy-delete-sure = Удалить всё? Отменить это нельзя.
page-privacy-delete-merged = Партии нескольких устройств объединены. Удалены будут все, на всех этих устройствах.
page-privacy-delete-yes = Да, удалить
page-privacy-delete-no = Нет, оставить
page-privacy-delete-done = Готово. Сервер тебя больше не знает.
page-privacy-nobody = Сервер не знает этот браузер, так что делать ничего не нужно.
page-privacy-name = Что будет с твоим именем

## The page: the rules

page-rules-contents = Содержание
page-rules-intro = Здесь вся игра целиком. Её можно освоить за пять минут.
page-rules-aim = Цель игры
page-rules-aim-text = Двое игроков шьют каждый своё одеяло. Лоскуты стоят пуговиц и времени. В конце каждая пуговица даёт очко, а каждая пустая клетка одеяла отнимает два.
page-rules-table = Что лежит на столе
page-rules-table-quilt = У каждого игрока поле-одеяло из 9 × 9 клеток, жетон времени и 5 пуговиц.
page-rules-table-circle = 33 лоскута лежат в случайном порядке вокруг трека времени. Нейтральная фишка, здесь это катушка ниток, стоит сразу за самым маленьким лоскутом, 1 × 2, по часовой стрелке.
page-rules-table-patch = На ярлыке лоскута указано, сколько он стоит пуговиц и времени. Пришитые к нему пуговицы — его доход.
page-rules-patch-drawing = Лоскут из { $size } клеток: пуговицы { $cost }, время { $time }, доход { $income }
page-rules-turn = Чей ход
page-rules-turn-text = Ходит тот, чей жетон времени отстаёт, иногда несколько раз подряд. Если оба жетона на одной клетке, ходит тот, чей жетон лежит сверху, то есть пришёл позже. В начале сверху лежит жетон того, кто последним держал иголку.
page-rules-turn-choice = В свой ход сделай одно из двух: пройди вперёд или возьми лоскут.
page-rules-advance = Пройти вперёд
page-rules-advance-text = Передвинь свой жетон времени вперёд, обогнав жетон соперника ровно на 1 клетку. За каждую пройденную клетку получи 1 пуговицу. Так можно ходить всегда.
page-rules-advance-drawing = Жетон проходит 4 клетки, обгоняя другой на одну, и приносит 4 пуговицы
page-rules-take = Взять лоскут
page-rules-take-choose = Выбери один из трёх следующих лоскутов, по часовой стрелке от нейтральной фишки.
page-rules-take-neutral = Поставь нейтральную фишку на его место.
page-rules-take-pay = Заплати столько пуговиц, сколько указано на ярлыке.
page-rules-take-sew = Пришей его к своему одеялу, повернув и перевернув как угодно. Он не должен перекрывать другие и выходить за край, но может ничего и не касаться. Передвинуть его потом нельзя.
page-rules-take-time = Передвинь свой жетон времени на столько клеток, сколько указано на ярлыке. Если там уже стоит жетон соперника, положи свой сверху.
page-rules-take-not = Лоскут, на который не хватает пуговиц или которому нет места, взять нельзя.
page-rules-take-drawing = Нейтральная фишка и три лоскута перед ней
page-rules-lines = Отметки на треке
page-rules-lines-text = Как бы ни передвинулся твой жетон, посмотри по порядку, какие отметки он прошёл:
page-rules-lines-income = Пуговица: получи доход со всего одеяла, включая только что пришитый лоскут.
page-rules-lines-leather = Кожаный лоскут: возьми его и сразу пришей на любую свободную клетку. Он достаётся только тому, кто прошёл отметку первым.
page-rules-lines-where = Отметки с пуговицей — перед клетками 5, 11, 17, 23, 29, 35, 41, 47 и 53. Кожаные лоскуты на поле 2014 года лежат перед клетками 20, 26, 32, 44 и 50, в поздних изданиях и приложениях — перед клетками 26, 32, 38, 44 и 50.
page-rules-board-drawing = Трек времени, спираль из 54 клеток
page-rules-tile = Специальный тайл
page-rules-tile-text = Кто первым заполнит на своём одеяле квадрат 7 × 7 клеток, получает специальный тайл. Он приносит 7 очков.
page-rules-tile-drawing = Одеяло с заполненным квадратом 7 × 7
page-rules-end = Конец игры
page-rules-end-text = Клетка 53 в середине — последняя. Дальше жетоны не идут; кто проходит вперёд, получает пуговицы только за фактически пройденные клетки. Когда оба жетона там, партия окончена.
page-rules-score = Подсчёт очков
page-rules-score-text = Твои пуговицы, плюс 7 за специальный тайл, минус 2 за каждую пустую клетку. Побеждает тот, у кого больше очков, а при равном счёте — тот, кто раньше пришёл на последнюю клетку.
page-rules-score-example = Пример: 14 пуговиц, специальный тайл и 5 пустых клеток — это 14 + 7 − 10 = 11. У другого игрока 18 пуговиц и 2 пустые клетки, то есть 18 − 4 = 14, и он побеждает.
page-rules-tips = Полезно знать
page-rules-tips-income = Доход выгоднее всего в начале: его приносит каждая отметка с пуговицей, которая ещё впереди.
page-rules-tips-turn = С лоскутом, который стоит мало времени, можно остаться позади и сходить ещё раз.
page-rules-tips-gaps = Одиночные дырки можно залатать только кожаными лоскутами. Старайся, чтобы края были ровными.
page-rules-play = Играть

## The page: the lesson

page-learn-new = Впервые здесь? Научись играть за пять минут, прямо в игре.
page-learn-by-playing = Или научись прямо в игре.
page-learn-opponent = Соперник
page-learn-step = { $number } из { $of }
page-learn-next = Дальше
page-learn-back = Назад
page-learn-skip = Пропустить
page-learn-restart = Сначала
page-learn-leave = Выйти
page-learn-help = Покажи
page-learn-retry = Ещё раз
page-learn-play = Играть с уровнем 1
page-learn-rules = Прочитать правила
page-learn-welcome = Твоя первая партия
page-learn-welcome-text = Ты и соперник шьёте каждый своё одеяло. Лоскуты стоят пуговиц и времени. В конце пуговица даёт 1 очко, пустая клетка — минус 2, поэтому в начале счёт −157. Попробуем всё за пять минут!
page-learn-advance = Пройти вперёд
page-learn-advance-text = Соперник уходит вперёд по треку времени. Ходит тот, кто позади: ты. Нажми «Вперёд», потом ещё раз, чтобы подтвердить. Твой жетон обгонит другой на одну клетку, и каждая пройденная клетка даст тебе пуговицу.
page-learn-advance-done = Семь клеток — семь пуговиц. Пройти вперёд можно всегда. Теперь ты впереди, и ходит соперник.
page-learn-circle = Ряд лоскутов
page-learn-circle-text = Взять можно только один из трёх лоскутов за катушкой ниток. Катушка встаёт на место взятого лоскута, а пропущенные уходят в конец ряда и вернутся позже.
page-learn-buy = Взять лоскут
page-learn-buy-text = Выбери один из трёх лоскутов. На ярлыке его цена: в пуговицах и во времени. Поверни его, переверни и положи на одеяло: подсвеченные клетки показывают, где он помещается. Потом пришей.
page-learn-buy-wrong = Можно и вперёд. Но сейчас порадуй себя лоскутом: выбери один из трёх.
page-learn-chain = Снова твой ход
page-learn-chain-text = Пуговицы уплачены, а твой жетон прошёл столько клеток, сколько указано на ярлыке. Он всё ещё позади! Кто позади, тот и ходит, даже несколько раз подряд. Итак: ещё лоскут или вперёд?
page-learn-chain-done = Два хода подряд! С лоскутами, которые стоят мало времени, ходишь чаще.
page-learn-income = Доход
page-learn-income-text = Дальше каждый шаг — момент из другой партии. Пуговицы на твоих лоскутах — это твой доход. Возьми лоскут или пройди вперёд так, чтобы миновать ближайшую отметку с пуговицей: всё одеяло принесёт доход.
page-learn-income-done = Всё одеяло принесло доход. Таких отметок девять, поэтому ранний доход ценнее всего.
page-learn-leather = Кожаный лоскут
page-learn-leather-text = Оба жетона на одной клетке; твой лежит сверху, поэтому ходишь ты. На ближайшей отметке лежит кожаный лоскут. Он достанется тому, кто пройдёт её первым. Пройди её любым ходом.
page-learn-sew = Пришей его
page-learn-sew-text = Кожаный лоскут твой и ничего не стоит. Он закрывает одну клетку — как раз для дырки, которую ничем другим не залатать. Положи его на любую свободную клетку и пришей.
page-learn-sew-done = Отличная заплатка! В начале на треке времени лежат пять кожаных лоскутов, каждый для того, кто придёт первым.
page-learn-tile = Семь на семь
page-learn-tile-text = Кто первым заполнит квадрат 7 × 7 клеток, получит специальный тайл: 7 очков. Твоему квадрату слева вверху не хватает всего одного лоскута — третьего. Поверни его и закрой дырку.
page-learn-tile-done = Специальный тайл твой: 7 очков в конце.
page-learn-tile-wrong = Так квадрат останется незаполненным. Возьми третий лоскут, поверни его и закрой дырку в квадрате слева вверху.
page-learn-end = Последний ход
page-learn-end-text = Соперник на последней клетке, в середине трека времени. Когда и ты придёшь туда, партия закончится. Счёт почти равный, а каждая пустая клетка отнимает 2 очка: выбирай с умом!
page-learn-score = Теперь ты умеешь играть
page-learn-score-text = Пуговицы, плюс 7 за специальный тайл, минус 2 за каждую пустую клетку: побеждает тот, у кого больше очков. Вот и всё. Приятной игры!
page-learn-lost = Чуть-чуть не хватило! Вернись и последним ходом возьми лоскут.

## The page: replays

page-replay = Просмотр партии
page-replay-broken = Эту запись не удаётся прочитать: { $detail }
page-replay-no-record = Это не запись партии в Patchwork.
page-replay-unknown = Такой записи здесь нет. Возможно, ссылка неполная или запись больше не хранится.
page-replay-file = Запись из файла
page-replay-choose = Выбрать файл…
page-replay-text = Или вставь её текст
page-replay-open = Просмотреть
page-replay-start = Начало
page-replay-first = К началу
page-replay-back = Ход назад
page-replay-play = Воспроизвести
page-replay-pause = Пауза
page-replay-forward = Ход вперёд
page-replay-last = К концу
page-replay-swap = Поменять стороны
page-replay-move = Ход { $number } из { $of }
page-replay-figures = Пуговицы { $buttons } · доход { $income } · очки { $points }
page-replay-board = Трек времени: жетоны на клетках { $first } и { $second }
page-replay-to-game = Назад к партии
page-replay-copy = Скопировать ссылку на этот ход
page-replay-variation = Вариант хода { $number }
page-replay-variations = Варианты:
page-replay-leave = Выйти из варианта
page-replay-annotation =
    { $name ->
        [good] хороший ход
        [bad] плохой ход
        [very-good] очень хороший ход
        [very-bad] очень плохой ход
        [interesting] интересный ход
        [dubious] сомнительный ход
       *[other] пометка { $number }
    }
page-replay-record = Просмотреть запись партии


## Ссылки в мессенджерах и страницы без JavaScript

link-how = Возьми лоскут из круга, заплати пуговицами и временем и пришей его; ходит тот, кто отстаёт на треке времени. В конце считаются пуговицы, а пустые клетки отнимают очки.
link-join = Открой ссылку, чтобы сыграть; учётная запись не нужна.
link-running = Партия идёт, и её можно смотреть ход за ходом.
link-replay = Посмотри партию ход за ходом.
link-drawing = Стол: оба одеяла, трек времени и круг лоскутов
link-script = Чтобы играть здесь, включи в браузере JavaScript.

