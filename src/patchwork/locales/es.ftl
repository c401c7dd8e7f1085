# Spanish. What the command line and the terminal say. Names in dollars are filled in; keep them as
# they are. Words typed by the user (help, moves, try, undo, show, quit), option names and move texts
# such as 17Bc4 are the same in every language.
#
# Glossary:
#   patch = parche                         leather patch = parche de cuero
#   button = botón                         income = ingresos
#   time token = ficha de tiempo           time board = tablero de tiempo
#   quilt board = tablero de colcha        space = espacio
#   special 7x7 tile = loseta especial     advance = avanzar
#   buy = comprar                          place = colocar
#   turn = turno                           move = jugada
#   circle of patches = círculo            game = partida
#   record = registro                      position = posición
#   orientation = orientación              seat = asiento
#   score = puntuación                     tag = etiqueta
#   seed = semilla
#   player = jugador                       match = encuentro
#   pair of games = pareja                 ladder = clasificación
#   strength = fuerza                      log = diario
#   limit = límite                         level = nivel

## The command line

cli-usage = uso:
cli-commands = comandos
cli-arguments = argumentos
cli-options = opciones
cli-help = mostrar esta ayuda y salir
cli-lang = idioma del programa; si no se indica, el de tu sistema
cli-version = mostrar la versión y salir
cli-see-help = Prueba con «{ $prog } --help».
cli-no-such-command = no hay ningún comando «{ $command }»; los comandos son { $commands }
cli-similar-command = no hay ningún comando «{ $command }»; ¿querías decir «{ $similar }»?
cli-not-together = { $first } y { $second } no se pueden usar juntos
cli-needs = { $option } solo funciona con { $other }
cli-needs-record = { $option } solo funciona con una partida registrada, y esto es una posición suelta

cli-description = Patchwork, el juego de mesa para dos de Uwe Rosenberg. Proyecto de fans no oficial.
cli-description-examples =
    ejemplos:
      patchwork                          jugar en el navegador, contra el ordenador o con alguien
      patchwork play                     jugar contra el ordenador en la terminal
      patchwork play --opponent human    dos personas con un solo teclado
      patchwork replay game.patchwork    volver a ver una partida

cli-play = jugar una partida completa en la terminal
cli-play-examples =
    Una partida interrumpida se retoma sola. --new empieza otra, igual que cada
    opción que describe una partida: --opponent, --seat, --names, --seed,
    --edition, --first. La interrumpida queda guardada; --file la retoma.
    ejemplos:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = quién juega en el otro asiento: el programa greedy, el motor en un nivel del 1 (suave) al 8, u otra persona (por omisión: greedy)
cli-seat = tu asiento contra el programa (por defecto: 0)
cli-names = nombres para los asientos 0 y 1
cli-seed = número que decide el orden de los parches; si no se indica, se elige al azar
cli-edition = dónde están los parches de cuero: classic (2014) o revised (por defecto: classic)
cli-first = el asiento que empieza (por defecto: 0)
cli-play-new = empezar una partida nueva aunque haya otra sin terminar
cli-file = guardar la partida en este archivo; si ya existe, se retoma
cli-compact = dibujar la mesa en pequeño, para una terminal estrecha

cli-show = dibujar una posición o el final de una partida registrada
cli-show-examples =
    ejemplos:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = archivo con un registro o una posición, texto de una posición, o - para la entrada estándar
cli-game = qué partida del archivo, contando desde 1 (por defecto: 1)
cli-move = dibujar la posición después de este número de jugadas
cli-svg = escribir una imagen (SVG) en lugar de texto
cli-dark = con --svg: colores oscuros
cli-json = escribir JSON para programas

cli-replay = recorrer una partida registrada jugada a jugada
cli-replay-examples =
    Escribe todas las jugadas una tras otra, cada una con su efecto, sus
    comentarios y la mesa resultante; en una terminal espera a Enter después de
    cada una.
    ejemplos:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = archivo con registros de partidas, o - para la entrada estándar

cli-check = comprobar si los registros de partidas cumplen las reglas
cli-check-examples =
    Termina con 1 si algún archivo tiene errores, y dice dónde y por qué.
    ejemplos:
      patchwork check *.patchwork

cli-new = escribir el registro de una partida nueva sin jugadas
cli-new-examples =
    ejemplos:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = contar las secuencias de jugadas legales para comparar implementaciones de las reglas
cli-perft-examples =
    Escribe la cuenta tras cada primera jugada y después la suma. Sin posición,
    parte de una partida nueva con la semilla 0, salvo que --seed diga otra cosa.
    ejemplos:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = longitud de las secuencias, al menos 1
cli-perft-seed = número que decide el orden de los parches (por defecto: 0)
cli-position = texto de una posición

cli-serve = poner en marcha el servidor: jugar en el navegador, también con otros por un enlace
cli-serve-examples =
    Sin opciones atiende solo a este equipo y abre su navegador. Las partidas se
    guardan en una base de datos y siguen tras un reinicio. Todo se puede ajustar
    también con variables como PATCHWORK_PORT; docs/operations.md las enumera.
    ejemplos:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = dirección en la que escuchar (por defecto: 127.0.0.1, accesible solo desde este equipo)
cli-port = puerto en el que escuchar; 0 toma uno libre (por defecto: 8327)
cli-database = archivo SQLite o dirección postgresql:// de las partidas (por defecto: server.db en tu carpeta de datos)
cli-public-url = dónde encuentran los demás el servidor, para los enlaces
cli-origins = otros orígenes cuyas páginas pueden jugar aquí, separados por comas
cli-proxies = direcciones de proxies de confianza, separadas por comas
cli-workers = procesos que piensan por el ordenador (por defecto: uno menos que los núcleos del procesador)
cli-log-format = cómo se escriben las entradas del registro de sucesos (por defecto: text)
cli-log-level = la importancia mínima de las entradas que se escriben (por defecto: info)
cli-no-browser = no abrir el navegador
cli-serving = Patchwork está en { $url } (Ctrl+C lo detiene)
cli-open-host = el servidor escucha en { $host }, así que otros pueden acceder a él, y lo que envían no va cifrado; para internet pon delante un proxy con TLS (docs/operations.md)
cli-port-in-use = el puerto { $port } de { $host } está ocupado, quizá por otro Patchwork; elige otro con «patchwork serve --port N», o 0 para cualquiera libre
cli-cannot-listen = no se puede escuchar en { $host }, puerto { $port }: { $detail }
cli-no-database = no se puede usar la base de datos: { $detail }
cli-newer-database = estas partidas son de otra versión del programa, probablemente más nueva ({ $detail })
cli-no-postgres = falta por instalar algo que PostgreSQL necesita; en un clon lo trae «pip install '.[postgres]'»

cli-backup = copiar las partidas del servidor a un archivo, incluso mientras funciona
cli-backup-examples =
    La copia está completa y comprobada. Contiene también la clave con la que se
    firma quién es quién: guárdala tan bien como la base de datos. Solo para
    SQLite; PostgreSQL tiene pg_dump.
    ejemplos:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = archivo para la copia
cli-force = sobrescribir el archivo si existe
cli-backup-done = Las partidas están copiadas en { $file }

cli-restore = poner una copia en el lugar de las partidas del servidor
cli-restore-examples =
    Lo que había antes se conserva al lado, en un archivo con el momento en el
    nombre.
    ejemplo:
      patchwork restore games-2026-11-15.db
cli-restore-file = archivo con la copia
cli-restore-done = Las partidas de { $file } están de vuelta
cli-restore-kept = Lo que había antes está en { $file }

cli-export = escribir todas las partidas del servidor como registros
cli-export-examples =
    ejemplos:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = archivo para los registros, o - para la salida estándar (por defecto: -)
cli-exported =
    { $games ->
        [one] { $games } partida escrita en { $file }
       *[other] { $games } partidas escritas en { $file }
    }
cli-export-skipped = no se puede escribir la partida { $game }: { $detail }
cli-no-such-file = no hay ningún archivo { $file }
cli-copy-exists = { $file } ya existe y no se sobrescribirá sin --force
cli-copy-not-sqlite = PostgreSQL hace sus propias copias, con pg_dump y pg_restore
cli-copy-same-file = la copia y la base de datos son el mismo archivo
cli-copy-unsound = no contiene partidas correctas de un servidor ({ $detail })
cli-copy-failed = no se han podido copiar las partidas: { $detail }

cli-bad-setting = { $setting } no puede ser «{ $value }»; se admite: { $allowed }
cli-allowed-host = una dirección o el nombre de un equipo, sin puerto
cli-allowed-port = un número entero de 0 a 65535
cli-allowed-database = la ruta de un archivo, sqlite:///PATH o postgresql://USER:PASSWORD@HOST/NAME
cli-allowed-origins = orígenes como https://example.org, separados por comas
cli-allowed-proxies = direcciones IP o redes como 10.0.0.0/8, separadas por comas
cli-allowed-public-url = una dirección como https://example.org, sin ruta
cli-allowed-switch = auto, true o false
cli-allowed-workers = un número entero de 1 a 256
cli-allowed-secret = al menos 32 caracteres
cli-allowed-log-format = text o json
cli-allowed-log-level = debug, info, warning o error
cli-allowed-frame = un número entero de 256 a 1048576
cli-allowed-count = un número entero, 0 o más
cli-allowed-positive = un número entero, 1 o más
cli-allowed-seconds = un número de segundos mayor que 0

cli-upi = poner el motor al servicio de otro programa, con el protocolo UPI
cli-upi-examples =
    Lee órdenes de la entrada estándar y responde por la salida estándar.
    docs/upi.md describe el protocolo.
cli-analyse = analizar posiciones por lotes, un objeto JSON por línea
cli-analyse-examples =
    Lee peticiones de la entrada estándar y responde una línea por posición.
    docs/upi.md describe los campos.
    ejemplo:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = núcleos del procesador que se usan (por omisión: 1)
cli-memory = megabytes que puede usar una búsqueda (por omisión: 256)
cli-preparing = Preparando el motor; solo la primera vez tarda medio minuto …
cli-match = jugar partidas entre dos programas y decir cuál es más fuerte
cli-match-examples =
    Las partidas van por parejas: dos veces el mismo círculo de parches, con los
    asientos cambiados. Con --log, un encuentro sigue donde estaba al repetir el
    mismo comando. Quien falla, no responde o incumple las reglas pierde la partida.
    jugadores:
      random, greedy, uct1000    programas fijos con los que medir a otros
      level:1 ... level:8        el motor en un nivel
      playout:8                  el motor a plena fuerza, sin red
      upi:"COMANDO"              un programa que habla UPI
      codingame:"COMANDO"        un bot escrito para CodinGame
      level:8@0.5s, level:8@2000n, upi:"COMANDO"@1s
                                 con un límite por jugada: segundos o nodos
    ejemplos:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = un jugador, por ejemplo greedy o level:8
cli-pairs = parejas de partidas que se juegan, con cada rival (por defecto: 100)
cli-jobs = partidas que se juegan a la vez (por defecto: 1)
cli-match-seed = número que decide todo lo que depende del azar (por defecto: 0)
cli-match-edition = dónde están los parches de cuero; si no se indica, las ediciones se alternan
cli-timeout = segundos más allá de su límite tras los que pierde un jugador que no ha jugado (por defecto: 60)
cli-log = guardar cada partida en este archivo; si ya existe, el encuentro se retoma
cli-records = escribir las partidas como registros en este archivo
cli-sprt = parar en cuanto esté claro si A es mejor que B por HIGH Elo y no por LOW

cli-ladder = clasificar varios programas en una misma escala
cli-ladder-examples =
    «patchwork match --help» dice qué jugadores hay.
    ejemplos:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = solo se enfrentan los jugadores separados por K puestos de la lista como máximo
cli-anchor = el jugador cuya fuerza es 0 (por defecto: el primero)

cli-cannot-open = no se puede abrir { $file }: { $detail }
cli-cannot-write = no se puede escribir la salida: { $detail }
cli-no-output = la salida estándar está cerrada, así que no se puede escribir nada
cli-no-input = la entrada estándar está cerrada, así que no se puede leer nada de ella
cli-not-text = { $file } no es un archivo de texto: el byte { $byte } no es UTF-8
cli-file-exists = { $file } ya existe y no se sobrescribirá; quita { $option } para retomar su partida
cli-game-finished = la partida de { $file } ya ha terminado; «{ $command }» la muestra
cli-damaged-save = se omite { $file } porque no contiene una partida correcta; «patchwork check» dice por qué
cli-no-such-source = no hay ningún archivo «{ $source }», y tampoco es una posición: { $complaint }
cli-no-such-game = { $file } no tiene la partida { $game }; partidas que contiene: { $games }
cli-no-such-move = no hay jugada { $move }; elige de 0 a { $last }
cli-bad-seed = { $seed } no vale como semilla; las semillas son números enteros de 0 a { $last }
cli-bad-number = «{ $found }» no vale aquí; tiene que ser un número entero, { $least } o más
cli-bad-name = { $name } no vale como nombre; un nombre es una sola línea de texto
cli-bad-player = «{ $player }» no es un jugador; los jugadores son random, greedy, uct1000, de level:1 a level:8, playout:8, upi:COMANDO y codingame:COMANDO; level, playout y upi admiten un límite como @1s o @2000n
cli-classic-only = { $player } solo conoce la edición classic
cli-bad-elo = «{ $found }» no sirve aquí; tiene que ser una diferencia de Elo como 10 o -2.5
cli-sprt-order = el primer límite tiene que ser menor que el segundo, y { $low } no es menor que { $high }
cli-ladder-players = una clasificación necesita al menos dos jugadores, cada uno una sola vez
cli-no-anchor = { $player } debería tener fuerza 0, pero no participa
cli-ladder-unconnected = se han jugado muy pocas partidas para comparar a todos los jugadores
cli-not-installed = falta por instalar algo que esto necesita ({ $detail }); en un clon lo trae «pip install '.[play]'»
cli-exists = { $file } ya existe y no se sobrescribirá
cli-player-not-started = no se puede iniciar { $player }: { $detail }
cli-log-another-match = { $file } es el diario de otra cosa: { $detail }
cli-log-damaged = el diario { $file } está dañado: { $detail }
cli-log-in-use = otro encuentro está escribiendo ahora en el diario { $file }
cli-match-interrupted = interrumpido; partidas terminadas: { $games }
cli-match-progress = partidas: { $games } de { $total }
cli-ladder-pairs = (parejas: { $pairs })
cli-result-games = partidas: { $games }, ganadas: { $wins }, perdidas: { $losses } ({ $percent } %)
cli-result-pairs = parejas: { $pairs }, ganadas 2-0: { $won }, repartidas 1-1: { $split }, perdidas 0-2: { $lost }
cli-result-elo = fuerza: { $elo }; probabilidad de ser mejor: { $percent } %
cli-result-scores = puntuación media: { $first } : { $second }
cli-result-time = tiempo medio por jugada: { $first } : { $second }
cli-result-forfeit = { $player } perdió antes de tiempo la partida { $game } de la pareja { $pair } ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] prueba: mejor por { $high } Elo y no por { $low } (logaritmo de la razón de verosimilitudes: { $ratio })
        [rejected] prueba: mejor por { $low } Elo y no por { $high } (logaritmo de la razón de verosimilitudes: { $ratio })
       *[undecided] prueba: sin decidir entre { $low } y { $high } Elo (logaritmo de la razón de verosimilitudes: { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } partida, todo en orden
       *[other] { $games } partidas, todo en orden
    }
cli-no-game = No contiene ninguna partida.
cli-press-enter = Enter: seguir, q: parar
cli-ends-here =
    { $termination ->
        [resigned] La partida terminó aquí por abandono.
        [time] La partida terminó aquí por tiempo.
        [left] La partida terminó aquí porque alguien se marchó.
        [aborted] La partida se interrumpió aquí.
       *[unfinished] La partida está sin terminar.
    }

## Playing in the terminal

play-player = Jugador { $seat }
play-saved-in = La partida se guarda en { $path }
play-resumed = Seguimos con la partida que dejaste.
play-help-hint = Escribe una jugada o «help».
play-prompt =
    { $phase ->
        [leather] { $name }, coloca tu parche de cuero:
       *[turn] { $name }, es tu turno:
    }
play-help =
    Jugadas:
      A        avanzar hasta quedar delante de la otra ficha; 1 botón por cada espacio
      17Bc4    comprar el parche 17, orientación B, esquina superior izquierda en la columna c, fila 4
      Lc4      colocar un parche de cuero en la columna c, fila 4
    Comandos:
      moves       qué puedes hacer ahora
      moves 17    el parche 17 en todas sus orientaciones; la letra o marca dónde puede ir su esquina
      try 17Bc4   ver qué haría una jugada, sin jugarla
      undo        deshacer tu última jugada
      show        dibujar la mesa otra vez
      quit        salir; la partida queda guardada
    En el dibujo, b son los botones, i los ingresos, t el tiempo
    y = la puntuación si la partida terminara ahora.
    En el tablero de tiempo, $ da ingresos y en % hay un parche de cuero.
play-unknown = «{ $command }» no es ni una jugada ni un comando. Escribe «help».
play-try-what = Di qué jugada quieres probar, por ejemplo «try 17Bc4».
play-leather-first = Coloca primero tu parche de cuero, por ejemplo con { $move }.
play-advance =
    { $spaces ->
        [one] avanzar { $spaces } espacio y recibir { $spaces } botón
       *[other] avanzar { $spaces } espacios y recibir { $spaces } botones
    }
play-places-count =
    { $count ->
        [0] no cabe en ningún sitio
        [one] cabe en { $count } sitio
       *[other] cabe en { $count } sitios
    }
play-no-such-patch = No hay ningún parche «{ $found }»; los parches van del 0 al { $last }.
play-nothing-to-undo = No hay nada que deshacer.
play-undone =
    { $count ->
        [one] Se ha deshecho { $count } jugada.
       *[other] Se han deshecho { $count } jugadas.
    }
play-left = La partida queda guardada. «{ $command }» la retoma.
play-not-saved = La jugada no se ha hecho porque no se puede escribir en { $path }: { $detail }
play-changed-elsewhere = La jugada no se ha hecho porque { $path } ha cambiado entretanto, quizá por otro «patchwork play». Escribe «quit» y vuelve a empezar para seguir desde ahí.

play-advances =
    { $spaces ->
        [one] { $name } avanza { $spaces } espacio y recibe { $spaces } botón.
       *[other] { $name } avanza { $spaces } espacios y recibe { $spaces } botones.
    }
play-buys =
    { $name } compra el parche { $patch } (botones pagados: { $buttons }, espacios avanzados: { $spaces }).
play-places = { $name } coloca un parche de cuero en { $cell }.
play-income =
    { $buttons ->
        [one] Ingresos: { $buttons } botón.
       *[other] Ingresos: { $buttons } botones.
    }
play-tile = { $name } consigue la loseta especial de 7×7.
play-takes-leather = { $name } toma un parche de cuero.
play-discards-leather = { $name } toma un parche de cuero, pero no le queda ningún espacio libre.
play-home = { $name } llega antes que nadie al último espacio.
play-try-score = Puntuación: { $score } ({ $change })
play-try-next = Después le toca a: { $name }

play-score =
    { $name }: { $buttons } (botones) + { $tile } (loseta especial) - { $minus } (espacios vacíos: { $empty }) = { $score }
play-tie-break = Empate a puntos; { $name } llegó antes al último espacio.
play-wins = ¡{ $name } gana!
play-replay-hint = «{ $command }» vuelve a mostrar la partida.

## Why a move is refused

reason-game-over = La partida ha terminado.
reason-not-in-this-phase = Ahora no: un parche de cuero se coloca justo después de tomarlo, y solo entonces.
reason-not-on-offer = Este parche no se puede elegir; solo los tres siguientes del círculo.
reason-cannot-afford = No hay botones suficientes para este parche.
reason-off-the-board = Quedaría fuera del tablero de colcha.
reason-not-that-shape = El parche no tiene esa forma.
reason-overlaps = El parche quedaría superpuesto a otro.
reason-cell-taken = Este espacio ya está cubierto.

## What is wrong with a text

notation-move = jugada { $number }
notation-game = partida { $number }
notation-not-a-position = Esto no es el texto de una posición ({ $detail }).
notation-impossible-position = Ninguna partida puede llegar a esta posición ({ $detail }).
notation-not-a-move = Esto no es una jugada. Las jugadas se escriben como A, Lc4 o 17Bc4: parches de 0 a 32, orientaciones de A a H, columnas de a a i, filas de 1 a 9.
notation-illegal-move = Esta jugada no está permitida ({ $detail }).
notation-bad-tag = Una etiqueta es incorrecta ({ $detail }).
notation-missing-tag = Falta una etiqueta ({ $detail }).
notation-unexpected = Esto no va aquí ({ $detail }).
notation-unclosed = Un comentario no está cerrado.
notation-too-deep = Hay demasiadas variantes unas dentro de otras.
notation-too-long = El registro es demasiado largo.
notation-cut-off = El registro termina sin resultado; puede que el archivo esté cortado.
notation-contradiction = El registro se contradice ({ $detail }).
notation-not-one-record = No contiene exactamente una partida ({ $detail }).
