# Spanish messages of the command line, the terminal and the page. Leave the names after a dollar
# sign as they are. Words that users type (help, moves, try, undo, show, quit), names of options and
# texts of moves such as 17Bc4 are the same in every language. Some spaces do not break (U+00A0).
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
#   score = puntuación                     label of a patch = etiqueta
#   tag of a record = campo                seed = semilla
#   player = jugador                       match = encuentro
#   pair of games = pareja                 ladder = clasificación
#   strength = fuerza                      log = historial
#   limit = límite                         level = nivel
#   computer (opponent) = máquina

## The command line

cli-usage = uso:
cli-commands = comandos
cli-arguments = argumentos
cli-options = opciones
cli-help = mostrar esta ayuda y salir
cli-lang = idioma de los mensajes (por defecto: el de tu sistema)
cli-version = mostrar la versión y salir
cli-see-help = Prueba con «{ $prog } --help».
cli-no-such-command = no existe el comando «{ $command }»; los comandos son { $commands }
cli-similar-command = no existe el comando «{ $command }»; ¿querías decir «{ $similar }»?
cli-not-together = { $first } y { $second } no se pueden usar a la vez
cli-needs = { $option } solo funciona con { $other }
cli-needs-record = { $option } solo funciona con una partida registrada, y esto es una posición suelta

cli-description = Patchwork, el juego de mesa para dos de Uwe Rosenberg. Proyecto no oficial de aficionados.
cli-description-examples =
    ejemplos:
      patchwork                          jugar en el navegador, contra la máquina u otra persona
      patchwork play                     jugar contra la máquina en la terminal
      patchwork play --opponent human    dos jugadores con un solo teclado
      patchwork replay game.patchwork    reproducir una partida registrada

cli-play = jugar una partida completa en la terminal
cli-play-examples =
    Una partida sin terminar se retoma automáticamente. --new empieza otra, igual
    que cualquier opción que describa una partida: --opponent, --seat, --names,
    --seed, --edition, --first. La que estaba sin terminar queda guardada; para
    retomarla, indica su archivo con --file.
    ejemplos:
      patchwork play --seat 1 --seed 7
      patchwork play --opponent human --names Ann Bob
      patchwork play --file our-game.patchwork
cli-opponent = tu rival: greedy (un programa sencillo), de 1 (suave) a 8 (el motor en ese nivel) o human (otra persona) (por defecto: greedy)
cli-seat = tu asiento contra la máquina (por defecto: 0)
cli-names = nombres de los jugadores de los asientos 0 y 1
cli-seed = semilla del orden de los parches (por defecto: al azar)
cli-edition = dónde están los parches de cuero: classic (2014) o revised (por defecto: classic)
cli-first = asiento que empieza (por defecto: 0)
cli-play-new = empezar una partida nueva aunque haya otra sin terminar
cli-file = guardar la partida en este archivo; si ya existe, retomar su partida
cli-compact = dibujar la mesa compacta, para terminales estrechas

cli-show = dibujar una posición o el final de una partida registrada
cli-show-examples =
    ejemplos:
      patchwork show game.patchwork --move 12
      patchwork show game.patchwork --svg > table.svg
      patchwork new --json | jq -r .position | patchwork show -
cli-source = archivo con un registro o una posición, una posición como texto o - para la entrada estándar
cli-game = número de la partida en el archivo (por defecto: 1)
cli-move = dibujar la posición tras este número de jugadas
cli-svg = escribir una imagen (SVG) en lugar de texto
cli-dark = con --svg: usar colores oscuros
cli-json = escribir JSON en lugar de texto

cli-replay = recorrer una partida registrada jugada a jugada
cli-replay-examples =
    Muestra cada jugada con su efecto, sus comentarios y la mesa resultante. En una
    terminal, espera a que pulses Enter después de cada una.
    ejemplos:
      patchwork replay game.patchwork
      patchwork replay game.patchwork --json | jq .scores
cli-record-file = archivo con registros de partidas o - para la entrada estándar

cli-check = comprobar si los registros de partidas cumplen las reglas
cli-check-examples =
    Termina con el estado 1 si algún archivo no es válido, y dice dónde y por qué.
    ejemplos:
      patchwork check *.patchwork

cli-new = escribir el registro de una partida nueva, aún sin jugadas
cli-new-examples =
    ejemplos:
      patchwork new --seed 7 > game.patchwork
      patchwork new --edition revised --json

cli-perft = contar secuencias de jugadas legales para comparar implementaciones de las reglas
cli-perft-examples =
    Muestra el recuento tras cada jugada inicial y después el total. Sin posición,
    cuenta desde una partida nueva, con la semilla 0 salvo que --seed indique otra.
    ejemplos:
      patchwork perft 2
      patchwork perft 1 --seed 7 --json
cli-depth = longitud de las secuencias, al menos 1
cli-perft-seed = semilla del orden de los parches (por defecto: 0)
cli-position = una posición como texto (por defecto: una partida nueva)

cli-serve = iniciar el servidor: jugar en el navegador, también con otros mediante un enlace
cli-serve-examples =
    Sin opciones, el servidor solo es accesible desde este equipo y abre el
    navegador. Las partidas se guardan en una base de datos y se conservan al
    reiniciar. Todo se puede ajustar también con variables de entorno como
    PATCHWORK_PORT; docs/operations.md las enumera.
    ejemplos:
      patchwork serve --port 0
      patchwork serve --host 0.0.0.0 --no-browser
      patchwork serve --proxies 127.0.0.1 --public-url https://play.example.org
cli-host = dirección en la que escucha el servidor (por defecto: 127.0.0.1, accesible solo desde este equipo)
cli-port = puerto en el que escucha; 0 elige uno libre (por defecto: 8327)
cli-database = archivo SQLite o URL postgresql:// de las partidas (por defecto: server.db en tu carpeta de datos)
cli-public-url = URL en la que los jugadores encuentran el servidor, para los enlaces
cli-origins = otros orígenes cuyas páginas pueden jugar aquí, separados por comas
cli-proxies = direcciones de proxies de confianza, separadas por comas
cli-workers = número de procesos que calculan las jugadas de la máquina (por defecto: uno menos que los núcleos del procesador)
cli-log-format = formato de las entradas del registro de actividad (por defecto: text)
cli-log-level = nivel mínimo de las entradas que se escriben (por defecto: info)
cli-no-browser = no abrir ningún navegador
cli-serving = Patchwork está en { $url } (Ctrl+C lo detiene)
cli-open-host = el servidor escucha en { $host }, así que otros pueden acceder a él, y el tráfico no va cifrado; en internet, pon delante un proxy con TLS (docs/operations.md)
cli-port-in-use = el puerto { $port } de { $host } ya está ocupado, quizá por otro Patchwork; elige otro con «patchwork serve --port N», o 0 para uno libre cualquiera
cli-cannot-listen = no se puede escuchar en { $host }, puerto { $port }: { $detail }
cli-no-database = no se puede usar la base de datos: { $detail }
cli-newer-database = estas partidas son de otra versión del programa, probablemente más nueva ({ $detail })
cli-no-postgres = falta instalar algo que PostgreSQL necesita; en un clon del repositorio, ejecuta «pip install '.[postgres]'»

cli-backup = copiar las partidas del servidor a un archivo, incluso mientras está en marcha
cli-backup-examples =
    La copia está completa y comprobada. También contiene la clave que firma la
    identidad de los jugadores: protégela tan bien como la base de datos. Solo para
    SQLite; con PostgreSQL, usa pg_dump.
    ejemplos:
      patchwork backup games-2026-11-15.db
      patchwork backup games.db --force --database /var/lib/patchwork/server.db
cli-backup-file = archivo para la copia
cli-force = sobrescribir el archivo si existe
cli-backup-done = Partidas copiadas en { $file }

cli-restore = sustituir las partidas del servidor por una copia
cli-restore-examples =
    Las partidas anteriores se conservan en la misma carpeta, en un archivo con la
    fecha y la hora en el nombre.
    ejemplo:
      patchwork restore games-2026-11-15.db
cli-restore-file = archivo con la copia
cli-restore-done = Partidas restauradas desde { $file }
cli-restore-kept = Las partidas anteriores están en { $file }

cli-export = escribir todas las partidas del servidor como registros
cli-export-examples =
    ejemplos:
      patchwork export games.patchwork
      patchwork export | patchwork check -
cli-export-file = archivo para los registros o - para la salida estándar (por defecto: -)
cli-exported =
    { $games ->
        [one] { $games } partida escrita en { $file }
       *[other] { $games } partidas escritas en { $file }
    }
cli-export-skipped = no se puede escribir la partida { $game }: { $detail }
cli-no-such-file = no existe el archivo { $file }
cli-copy-exists = { $file } ya existe y no se sobrescribirá sin --force
cli-copy-not-sqlite = esto solo funciona con SQLite; con PostgreSQL, usa pg_dump y pg_restore
cli-copy-same-file = la copia y la base de datos son el mismo archivo
cli-copy-unsound = esto no es una copia válida de las partidas de un servidor ({ $detail })
cli-copy-failed = no se pueden copiar las partidas: { $detail }

cli-bad-setting = { $setting } no puede ser «{ $value }»; se admite: { $allowed }
cli-allowed-host = una dirección o un nombre de equipo, sin puerto
cli-allowed-port = un número entero de 0 a 65535
cli-allowed-database = la ruta de un archivo, sqlite:///RUTA o postgresql://USUARIO:CLAVE@EQUIPO/NOMBRE
cli-allowed-origins = orígenes como https://example.org, separados por comas
cli-allowed-proxies = direcciones IP o redes como 10.0.0.0/8, separadas por comas
cli-allowed-public-url = una URL como https://example.org, sin ruta
cli-allowed-switch = auto, true o false
cli-allowed-workers = un número entero de 1 a 256
cli-allowed-secret = al menos 32 caracteres
cli-allowed-log-format = text o json
cli-allowed-log-level = debug, info, warning o error
cli-allowed-frame = un número entero de 256 a 1048576
cli-allowed-count = un número entero, 0 o más
cli-allowed-positive = un número entero, 1 o más
cli-allowed-seconds = un número de segundos mayor que 0

cli-upi = ejecutar el motor para otro programa, con el protocolo UPI
cli-upi-examples =
    Lee comandos de la entrada estándar y responde por la salida estándar.
    docs/upi.md describe el protocolo.
    ejemplo:
      patchwork match greedy upi:"patchwork upi"@2000n
cli-analyse = analizar posiciones por lotes, un objeto JSON por línea
cli-analyse-examples =
    Lee peticiones de la entrada estándar y responde con una línea por posición.
    docs/upi.md describe los campos.
    ejemplo:
      patchwork analyse < requests.jsonl > answers.jsonl
cli-threads = número de núcleos del procesador que se usan (por defecto: 1)
cli-memory = megabytes de memoria que puede usar una búsqueda (por defecto: 56)
cli-preparing = Preparando el motor; tarda medio minuto, solo la primera vez…
cli-match = jugar partidas entre dos programas para saber cuál es más fuerte
cli-match-examples =
    Las partidas van por parejas: dos veces el mismo círculo de parches, con los
    asientos cambiados. Con --log, repetir un comando retoma su encuentro. Quien
    falla, no responde o incumple las reglas pierde la partida.
    jugadores:
      random, greedy, uct1000    programas fijos con los que medir a otros
      level:1 ... level:8        el motor en ese nivel
      playout:8                  el motor sin red; no cambia nunca
      network:ARCHIVO            el motor con la red de ese archivo
      upi:"COMANDO"              un programa que habla UPI
      codingame:"COMANDO"        un bot escrito para CodinGame
      level:8@0.5s, level:8@2000n, upi:"COMANDO"@1s
                                 con un límite por jugada: segundos o nodos
    ejemplos:
      patchwork match uct1000 greedy --pairs 100 --jobs 2 --log match.jsonl
      patchwork match level:8@1s playout:8@1s --sprt 0 10 --records games.patchwork
cli-player = un jugador, por ejemplo greedy o level:8
cli-pairs = número de parejas de partidas contra cada rival (por defecto: 100)
cli-jobs = número de partidas simultáneas (por defecto: 1)
cli-match-seed = semilla de todo lo aleatorio (por defecto: 0)
cli-match-edition = dónde están los parches de cuero (por defecto: las ediciones se alternan)
cli-timeout = segundos que un jugador puede pasarse de su límite antes de perder (por defecto: 60)
cli-log = guardar cada partida en este archivo; si ya existe, retomar su encuentro
cli-records = escribir las partidas como registros en este archivo
cli-sprt = parar en cuanto esté claro si A supera a B en HIGH puntos Elo o solo en LOW

cli-ladder = clasificar varios programas en una misma escala
cli-ladder-examples =
    «patchwork match --help» enumera los jugadores.
    ejemplos:
      patchwork ladder random greedy uct1000 --pairs 50 --jobs 2
      patchwork ladder level:1 level:2 level:3 level:4 --neighbours 2 --log ladder.jsonl
cli-neighbours = enfrentar solo a jugadores separados como máximo por K puestos en la lista
cli-anchor = jugador cuya fuerza cuenta como 0 (por defecto: el primero)

cli-learn = entrenar una red, medirla y exportarla
cli-learn-examples =
    docs/training.md lo explica todo. Los detalles, en
    «patchwork learn COMANDO --help».
cli-learn-run = entrenar una red con partidas que juega contra sí misma
cli-learn-run-examples =
    Todo queda en una carpeta. Ctrl+C detiene el entrenamiento en cualquier momento,
    y --resume lo continúa más tarde.
    ejemplos:
      patchwork learn run --config smoke --out runs/smoke
      patchwork learn run --config full --minutes 30 --out runs/first
      patchwork learn run --resume runs/first --minutes 30
      torchrun --nproc-per-node 2 -m patchwork learn run --config full --out runs/two
cli-learn-config = configuración: full, deep, wide, far, smoke o un archivo TOML (por defecto: la del entrenamiento que se continúa, o full)
cli-learn-minutes = minutos de entrenamiento (por defecto: los que prevé la configuración)
cli-learn-out = carpeta del entrenamiento (por defecto: la del que se continúa)
cli-learn-resume = continuar el entrenamiento de esta carpeta, o empezar con los pesos de esta red
cli-learn-no-out = hace falta --out, salvo que --resume indique la carpeta de un entrenamiento
cli-learn-status = minuto { $minutes }, queda el { $left } %  { $rating }  evaluaciones/s: { $speed }  partidas: { $games }  posiciones: { $positions }  pérdidas: { $losses }
cli-learn-done = Minutos de entrenamiento: { $minutes }; todo está en { $folder }
cli-learn-stopped = Detenido y guardado; minutos de entrenamiento: { $minutes }; «patchwork learn run --resume { $folder }» lo continúa
cli-learn-rate = medir la fuerza de las redes de un entrenamiento
cli-learn-rate-examples =
    Las redes juegan entre sí y contra random, greedy y uct1000, en una misma escala
    con greedy = 0. Los resultados quedan en la carpeta; lo jugado no se repite.
    ejemplo:
      patchwork learn rate runs/first --nodes 64 --pairs 100 --jobs 2
cli-learn-folder = carpeta de un entrenamiento
cli-learn-nodes = nodos que una red puede buscar por jugada; con 1, juega su primera opción (por defecto: 64)
cli-learn-no-networks = no hay redes en { $folder }
cli-learn-export = escribir una red como ONNX, para jugar con ella
cli-learn-export-examples =
    Un archivo JSON junto al archivo ONNX describe la red.
    ejemplos:
      patchwork learn export runs/first/networks/player-025.0.pt --out my.onnx
      patchwork match network:my.onnx@1s level:8@1s
cli-learn-network = archivo de una red, de la carpeta de un entrenamiento
cli-learn-onnx = archivo que se escribe; junto a él quedan sus metadatos, con la extensión .json
cli-learn-exported = { $file } escrito (parámetros: { $parameters })
cli-learn-distil = destilar una red en pesos de patrones, para buscar más rápido
cli-learn-distil-examples =
    La red juega contra sí misma, y unos pesos de patrones se entrenan para predecir
    sus evaluaciones. Quedan en un archivo junto al de la red, y el nivel 8 busca
    con ellos. Basta media hora en dos núcleos del procesador, sin GPU.
    ejemplo:
      patchwork learn distil my.onnx
cli-learn-distilled-from = red guardada por un entrenamiento o exportada como ONNX (véase «learn export»)
cli-learn-games = número de partidas que juega la red (por defecto: 24000)
cli-learn-steps = número de pasos de entrenamiento (por defecto: 25000)
cli-learn-minutes-at-most = parar tras estos minutos como máximo, contando los de las partidas
cli-learn-seed = semilla de todo lo aleatorio (por defecto: 0)
cli-learn-teaching = partidas: { $games } de { $total }
cli-learn-step = paso { $step } de { $total }, pérdida: { $loss }
cli-learn-distilled = { $file } escrito (pérdida logarítmica: { $loss }; la de la red: { $other })
cli-learn-unreadable = { $file } no se puede usar: { $detail }
cli-learn-size = { $file } no corresponde a la configuración: { $detail }
cli-learn-not-installed = falta instalar algo que el entrenamiento necesita ({ $detail }); en un clon del repositorio, ejecuta «pip install '.[learn]'»
cli-bad-minutes = «{ $found }» no es un número de minutos mayor que 0
cli-no-config = no existe la configuración «{ $name }»; puede ser { $names } o la ruta de un archivo
cli-config-damaged = { $file } no es TOML válido: { $detail }
cli-config-unknown = { $file }: no existe el ajuste «{ $setting }»; los ajustes son { $settings }
cli-config-whole = { $file }: { $setting } no puede ser «{ $value }»; se admiten números enteros de { $least } a { $most }
cli-config-number = { $file }: { $setting } no puede ser «{ $value }»; se admiten números de { $least } a { $most }
cli-config-simulations = { $file }: { $setting } no puede ser «{ $value }»; se admite una lista como [[0, 16], [0.5, 32]], en la que las fracciones del entrenamiento aumentan de 0 a 1 como máximo, cada una con entre 1 y { $most } simulaciones

cli-cannot-open = no se puede abrir { $file }: { $detail }
cli-cannot-write = no se puede escribir la salida: { $detail }
cli-no-output = la salida estándar está cerrada, así que no se puede escribir nada
cli-no-input = la entrada estándar está cerrada, así que no hay nada que leer
cli-not-text = { $file } no es un archivo de texto: el byte { $byte } no es UTF-8
cli-file-exists = { $file } ya existe y no se sobrescribirá; quita { $option } para retomar su partida
cli-game-finished = la partida de { $file } ya ha terminado; «{ $command }» la muestra
cli-damaged-save = se omite { $file }: no contiene ninguna partida válida; «patchwork check» dice por qué
cli-no-such-source = no existe el archivo «{ $source }», y tampoco es una posición: { $complaint }
cli-no-such-game = no existe la partida { $game } en { $file }; partidas que contiene: { $games }
cli-no-such-move = no existe la jugada { $move }; elige de 0 a { $last }
cli-bad-seed = { $seed } no es una semilla; las semillas son números enteros de 0 a { $last }
cli-bad-number = «{ $found }» no es un número entero igual o mayor que { $least }
cli-bad-name = { $name } no es un nombre; un nombre es una sola línea de texto
cli-bad-player = «{ $player }» no es un jugador; los jugadores son random, greedy, uct1000, de level:1 a level:8, playout:8, network:ARCHIVO, upi:COMANDO y codingame:COMANDO; level, playout, network y upi admiten un límite como @1s o @2000n
cli-classic-only = { $player } solo conoce la edición classic
cli-bad-elo = «{ $found }» no es una diferencia de Elo, como 10 o -2.5
cli-sprt-order = el primer límite tiene que ser menor que el segundo, pero { $low } no es menor que { $high }
cli-ladder-players = una clasificación necesita al menos dos jugadores, indicados una sola vez cada uno
cli-no-anchor = { $player } es la referencia, pero no participa
cli-ladder-unconnected = no se han jugado suficientes partidas para comparar a todos los jugadores
cli-not-installed = falta instalar algo necesario ({ $detail }); en un clon del repositorio, ejecuta «pip install '.[play]'»
cli-exists = { $file } ya existe y no se sobrescribirá
cli-player-not-started = no se puede iniciar { $player }: { $detail }
cli-log-another-match = { $file } es el historial de otro encuentro: { $detail }
cli-log-damaged = el historial { $file } está dañado: { $detail }
cli-log-in-use = otro encuentro está escribiendo ahora en el historial { $file }
cli-match-interrupted = interrumpido; partidas terminadas: { $games }
cli-match-progress = partidas: { $games } de { $total }
cli-ladder-pairs = (parejas: { $pairs })
cli-result-games = partidas: { $games }, ganadas: { $wins }, perdidas: { $losses } ({ $percent } %)
cli-result-pairs = parejas: { $pairs }, ganadas 2-0: { $won }, repartidas 1-1: { $split }, perdidas 0-2: { $lost }
cli-result-elo = fuerza: { $elo }; probabilidad de ser mejor: { $percent } %
cli-result-scores = puntuación media: { $first } : { $second }
cli-result-time = tiempo medio por jugada: { $first } : { $second }
cli-result-forfeit = { $player } perdió la partida { $game } de la pareja { $pair } sin terminarla ({ $fault })
cli-result-sprt =
    { $verdict ->
        [accepted] prueba: superior en { $high } Elo y no en { $low } (logaritmo de la razón de verosimilitudes: { $ratio })
        [rejected] prueba: superior en { $low } Elo y no en { $high } (logaritmo de la razón de verosimilitudes: { $ratio })
       *[undecided] prueba: aún sin decidir entre { $low } y { $high } Elo (logaritmo de la razón de verosimilitudes: { $ratio })
    }
cli-checked =
    { $games ->
        [one] { $games } partida, todo en orden
       *[other] { $games } partidas, todo en orden
    }
cli-no-game = Este archivo no contiene ninguna partida.
cli-press-enter = Enter: jugada siguiente, q: salir
cli-ends-here =
    { $termination ->
        [resigned] La partida terminó aquí por abandono.
        [time] La partida terminó aquí porque se acabó el tiempo.
        [left] La partida terminó aquí porque un jugador se fue.
        [aborted] La partida se canceló aquí.
       *[unfinished] La partida está sin terminar.
    }

## Playing in the terminal

play-player = Jugador { $seat }
play-saved-in = La partida se guarda en { $path }
play-resumed = Se retoma tu partida sin terminar.
play-help-hint = Escribe una jugada o «help».
play-prompt =
    { $phase ->
        [leather] { $name }, coloca tu parche de cuero:
       *[turn] { $name }, es tu turno:
    }
play-help =
    Jugadas:
      A        avanzar hasta pasar la otra ficha; 1 botón por cada espacio
      17Bc4    comprar el parche 17: orientación B, esquina superior izquierda en la columna c, fila 4
      Lc4      colocar un parche de cuero en la columna c, fila 4
    Comandos:
      moves       mostrar qué puedes hacer ahora
      moves 17    mostrar el parche 17 en todas sus orientaciones; la o marca dónde puede ir su esquina
      try 17Bc4   ver qué haría una jugada, sin hacerla
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
play-changed-elsewhere = La jugada no se ha hecho porque { $path } se ha modificado entretanto, quizá desde otro «patchwork play». Escribe «quit» y vuelve a abrir la partida para seguir desde ahí.

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
play-tile = { $name } recibe la loseta especial (7 × 7).
play-takes-leather = { $name } toma un parche de cuero.
play-discards-leather = { $name } toma un parche de cuero, pero ya no le queda ningún espacio libre.
play-home = { $name } llega antes que nadie al último espacio.
play-try-score = Puntuación: { $score } ({ $change })
play-try-next = Después juega: { $name }

play-score =
    { $name }: { $buttons } (botones) + { $tile } (loseta especial) - { $minus } (espacios vacíos: { $empty }) = { $score }
play-tie-break = Empate a puntos; { $name } llegó antes al último espacio.
play-wins = ¡Gana { $name }!
play-replay-hint = «{ $command }» reproduce la partida.

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
notation-not-a-position = Esto no es una posición ({ $detail }).
notation-impossible-position = Ninguna partida puede llegar a esta posición ({ $detail }).
notation-not-a-move = Esto no es una jugada. Las jugadas se escriben como A, Lc4 o 17Bc4: parches de 0 a 32, orientaciones de A a H, columnas de a a i, filas de 1 a 9.
notation-illegal-move = Esta jugada no está permitida ({ $detail }).
notation-bad-tag = Un campo de la cabecera no es válido ({ $detail }).
notation-missing-tag = Falta un campo de la cabecera ({ $detail }).
notation-unexpected = Esto no va aquí ({ $detail }).
notation-unclosed = Un comentario no está cerrado.
notation-too-deep = Hay demasiados niveles de variantes anidadas.
notation-too-long = El registro es demasiado largo.
notation-cut-off = El registro termina sin resultado; puede que el archivo esté cortado.
notation-contradiction = El registro se contradice ({ $detail }).
notation-not-one-record = Tiene que haber exactamente una partida ({ $detail }).

## The page: the table

page-table-computer = Máquina, nivel { $level }
page-table-you = Tú
page-table-player = Jugador { $number }
page-table-turn-you =
    { $why ->
        [leather] Coloca tu parche de cuero
        [on-top] Te toca: tu ficha está encima
       *[behind] Te toca: tu ficha va por detrás
    }
page-table-turn-other =
    { $whose ->
        [computer] La máquina
       *[other] { $name }
    } { $why ->
        [leather] coloca un parche de cuero
        [on-top] juega: su ficha está encima
       *[behind] juega: su ficha va por detrás
    }
page-table-called = Te toca · Patchwork
page-table-arrived = { $name } ya está aquí – Patchwork
page-table-back = { $name } ha vuelto – Patchwork
page-table-connecting = Conectando…
page-table-slow = La conexión va lenta…
page-table-lost = Conexión perdida. Reintentando…
page-table-away = ausente
page-table-thinks = La máquina está pensando…
page-table-thinks-briefly = El servidor está muy ocupado, así que la máquina piensa menos que de costumbre…
page-table-thinks-later =
    { $tables ->
        [one] La máquina tiene { $tables } mesa por delante de esta.
       *[other] La máquina tiene { $tables } mesas por delante de esta.
    }
page-table-sending = Enviando tu jugada…
page-table-withdrawn = La partida cambió antes de que llegara tu jugada, así que no se hizo.
page-table-refused =
    { $code ->
        [nothing-to-undo] No hay nada que deshacer.
        [already-asked] Ya lo has pedido.
        [too-late-to-abort] Ya han jugado los dos; la partida no se puede cancelar.
        [not-gone] Tu rival ha vuelto.
        [busy] La máquina está ocupada. Inténtalo dentro de un momento.
        [too-many] Demasiadas peticiones a la vez. Inténtalo dentro de un momento.
       *[other] Ahora no es posible.
    }
page-table-missed =
    { $moves ->
        [one] Mientras no estabas, hubo { $moves } jugada:
       *[other] Mientras no estabas, hubo { $moves } jugadas:
    }
page-table-joined = { $name } se sienta a la mesa.
page-table-asks = { $name } quiere deshacer su última jugada.
page-table-asked = Has pedido deshacer tu última jugada.
page-table-accept = Permitir
page-table-decline = Rechazar
page-table-declined = { $name } no acepta deshacer la jugada.
page-table-taken-back = { $name }: jugada deshecha.
page-table-wants-rematch = { $name } quiere jugar otra vez.
page-table-swapped =
    { $begins ->
        [you] Has cambiado de lado: ahora esta es tu ficha. Empiezas tú.
        [computer] Has cambiado de lado: ahora esta es tu ficha. Empieza la máquina.
       *[other] Has cambiado de lado: ahora esta es tu ficha. Empieza { $name }.
    }
page-table-gone = Tu rival se ha ido.
page-table-gone-early = Tu rival se ha ido antes de que ambos jugaran.
page-table-claim = Reclamar la victoria
page-table-did-advance =
    { $spaces ->
        [one] avance de { $spaces } espacio (+{ $spaces } botón)
       *[other] avance de { $spaces } espacios (+{ $spaces } botones)
    }
page-table-did-buy = compra del parche { $patch } (botones: { $buttons }, tiempo: { $spaces })
page-table-did-leather = parche de cuero en { $cell }
page-table-did-income = +{ $buttons } por ingresos
page-table-did-tile = loseta especial conseguida
page-table-did-take-leather = parche de cuero conseguido
page-table-move-advance = avanzar
page-table-move-leather = parche de cuero en { $cell }
page-table-move-buy = parche { $patch } en { $cell }
page-table-buttons =
    { $buttons ->
        [one] { $buttons } botón
       *[other] { $buttons } botones
    }
page-table-income = Ingresos { $income }
page-table-has-tile = tiene la loseta especial
page-table-score = Puntos { $points }
page-table-score-why = Puntos si la partida acabara ahora: 1 por cada botón, 7 por la loseta especial, menos 2 por cada espacio vacío. Se empieza con −157.
page-table-empty = Espacios vacíos { $empty }
page-table-income-left = Ingresos restantes +{ $buttons }
page-table-days =
    { $days ->
        [one] { $days } día
       *[other] { $days } días
    }
page-table-clock-low = { $name }: quedan menos de { $seconds } segundos
page-table-first-move = Primera jugada:
page-table-first-move-you = Haz tu primera jugada a tiempo o la partida se cancelará. Nadie pierde.
page-table-first-move-other = Si { $name } no juega a tiempo, la partida se cancelará. Nadie pierde.
page-table-time-board = Tablero de tiempo: { $first }, en el espacio { $at } de 53; { $second }, en el espacio { $and }
page-table-quilt-of = Colcha: { $name }
page-table-swap-quilts = Intercambiar las colchas
page-table-cell-empty = { $cell }, vacío
page-table-cell-patch = { $cell }, parche { $patch }
page-table-cell-leather = { $cell }, parche de cuero
page-table-cell-thought = { $cell }, { $tag }: parche { $patch }
page-table-cell-fits = { $cell }, el parche cabe aquí
page-table-cell-no-fit = { $cell }, así no cabe el parche
page-table-cell-tile = { $cell }, el parche cabe aquí y consigue la loseta especial
page-table-circle = Parches disponibles
page-table-circle-rest = Los demás parches del círculo, en orden
page-table-neutral = Carrete de hilo (ficha neutral)
page-table-patch = Parche { $patch }: espacios { $cells }, precio { $cost }, tiempo { $time }, ingresos { $income }
page-table-spaces = Espacios { $cells }
page-table-coming-after =
    { $patches ->
        [one] A { $patches } lugar de la oferta
       *[other] A { $patches } lugares de la oferta
    }
page-table-cannot-afford = Faltan botones
page-table-fits-nowhere = No cabe en ningún sitio
page-table-choose = Toma uno de los tres parches o avanza.
page-table-only-advance = Solo puedes avanzar.
page-table-advance = Avanzar
page-table-sew = Coser
page-table-turn = Girar
page-table-flip = Voltear
page-table-cancel = Devolver
page-table-no-fit-this-way = Así no cabe. Gíralo o voltéalo.
page-table-no-place-there = No cabe más allá en esa dirección.
page-table-place-leather = Parche de cuero: elige un espacio libre.
page-table-lands = espacio { $space } (+{ $spaces })
page-table-gets-income = +{ $buttons } por ingresos
page-table-gets-leather = parche de cuero
page-table-gets-tile = loseta especial
page-table-points = puntos { $before } → { $after }
page-table-then = después: { $name }
page-table-then-computer = después: la máquina
page-table-then-again = te toca otra vez
page-table-then-leather = después lo colocas
page-table-then-over = después termina la partida
page-idea-tag = idea
page-idea-keep = Guardar como idea
page-idea-take = Tomar ahora
page-idea-clear = Quitar todas las ideas
page-idea-count = Ideas: { $count }
page-idea-costs = precio { $buttons }
page-idea-lacking = faltan { $buttons }
page-idea-short =
    { $buttons ->
        [one] falta { $buttons } botón
       *[other] faltan { $buttons } botones
    }
page-idea-now = disponible ahora
page-idea-next = tras la próxima compra
page-idea-if = tras comprar
page-idea-later =
    { $purchases ->
        [one] tras { $purchases } compra al menos
       *[other] tras { $purchases } compras al menos
    }
page-idea-dropped =
    { $why ->
        [taken] Ya se han llevado el parche { $patch }.
        [covered] El parche { $patch } ya no cabe donde lo pensaste.
        [home] Ya no queda tiempo para el parche { $patch }.
       *[other] El parche { $patch } no cabe en ningún sitio.
    }
page-next-tag = próxima jugada
page-next-play = Jugar cuando me toque
page-next-begin = Preparar jugada
page-next-advance = ¿Avanzar en cuanto te toque? O elige un parche.
page-next-is = Próxima jugada: { $move }.
page-next-when = Se hará cuando te toque, mientras esta página siga abierta.
page-next-cancel = Cancelar la próxima jugada
page-next-cancelled =
    { $why ->
        [taken] Próxima jugada cancelada: ya se han llevado el parche { $patch }.
        [not-on-offer] Próxima jugada cancelada: el parche { $patch } no está disponible.
        [cannot-afford] Próxima jugada cancelada: no tienes botones para el parche { $patch }.
        [overlaps] Próxima jugada cancelada: el parche { $patch } ya no cabe ahí.
        [leather] Próxima jugada cancelada: antes tienes que colocar un parche de cuero.
        [takeback] Próxima jugada cancelada: se ha deshecho una jugada.
       *[moved] Próxima jugada cancelada: ya has jugado.
    }
page-table-undo = Deshacer
page-table-hint = Pista
page-table-hint-look =
    { $kind ->
        [advance] Avanzar parece mejor que comprar.
        [buy] Comprar un parche parece mejor que avanzar.
        [only] Solo puedes avanzar.
       *[leather] ¿En qué espacio conviene más el parche de cuero?
    }
page-table-hint-watch =
    { $code ->
        [tile] Fíjate en tu cuadrado de 7 × 7.
        [hole] Fíjate en los huecos de un solo espacio.
        [leather] Fíjate en el parche de cuero del tablero de tiempo.
        [again] Fíjate en a quién le tocará después.
        [income] Fíjate en los ingresos que quedan por cobrar.
       *[line] Fíjate en la próxima línea de ingresos.
    }
page-table-hint-figures = Tú: probabilidad de ganar { $win } %, ventaja en puntos { $points }
page-table-hint-best = la mejor
page-table-hint-why =
    { $code ->
        [tile] consigue la loseta especial: { $figure } puntos
        [hole] llena un hueco de un solo espacio
        [leather] consigue un parche de cuero
        [again] después te toca otra vez
        [income] hasta el final, sus ingresos superan su precio en { $figure }
       *[line] por el camino cobras ingresos: +{ $figure }
    }
page-table-hint-more =
    { $step ->
        [which] Muéstrame las jugadas
       *[where] Muéstrame dónde
    }
page-table-hint-prepared = Preparada, pero aún sin jugar: confírmala o cámbiala.
page-table-menu = Partida
page-table-moves = Jugadas
page-table-no-moves = Aún no hay jugadas.
page-table-order = Orden de los parches
page-table-order-why = Pégalo en las opciones de una partida nueva para jugar con los mismos parches.
page-table-qr = Código QR del enlace
page-table-link = Enlace a esta mesa
page-table-copy = Copiar enlace
page-table-copied = Copiado
page-table-share = Compartir
page-table-abort = Cancelar la partida
page-table-abort-why = La partida termina de inmediato, sin ganador.
page-table-resign = Abandonar
page-table-resign-why = La partida termina de inmediato y gana la otra persona.
page-table-sure = ¿Seguro? Pulsa otra vez.
page-table-home = Inicio
page-table-notify = Avisarme cuando sea mi turno
page-table-notify-arrival = Avisarme cuando alguien se una
page-table-notify-forbidden = Tu navegador no permite que esta página te avise.
page-table-words = La mesa en palabras
page-table-words-tile-free = Nadie tiene todavía la loseta especial.
page-table-words-place = En el espacio { $space } de 53 del tablero de tiempo
page-table-words-income-next = Próximos ingresos antes del espacio { $space }
page-table-words-leather-next = Próximo parche de cuero antes del espacio { $space }
page-table-words-shape = { $width } de ancho, { $height } de alto; columnas ocupadas: { $rows }
page-table-words-row = fila { $row }: { $content }
page-table-words-takeable = Se puede tomar
page-table-words-latest = Últimas jugadas
page-table-keys = Teclas
page-table-key-choose = tomar el primer, segundo o tercer parche
page-table-key-try = probar otro parche del círculo en tu colcha
page-table-key-arrows = mover el parche
page-table-key-turn = girarlo
page-table-key-flip = voltearlo
page-table-key-enter = hacer la jugada, o prepararla mientras esperas
page-table-key-escape = devolver el parche, o cancelar la jugada preparada
page-table-key-keep = guardar el parche como idea
page-table-key-clear = quitar todas las ideas
page-table-key-advance = avanzar
page-table-key-undo = deshacer tu última jugada
page-table-key-hint = pedir una pista; otra vez: el paso siguiente
page-table-key-words = mostrar la mesa en palabras
page-table-key-circle = mirar los próximos parches
page-table-key-quilts = intercambiar las dos colchas
page-table-key-help = mostrar esta lista
page-table-waiting = Esperando a tu rival…
page-table-invite = Envía este enlace a quien quieras. La partida empieza en cuanto esa persona se siente a la mesa.
page-table-only-here = Este enlace solo se puede abrir en este equipo. Para jugar con otros, inicia «patchwork serve --host 0.0.0.0» y abre la página en la dirección de red de este equipo.
page-table-invited = { $name } te invita a jugar.
page-table-your-name = Tu nombre (opcional)
page-table-join = Sentarse y jugar
page-table-seat-taken = Alguien llegó antes. Puedes ver la partida.
page-table-needle = ¿Quién usó una aguja más recientemente? Empieza ese jugador.
page-table-soon = La partida está a punto de empezar.
page-table-wins =
    { $whose ->
        [you] ¡Has ganado!
        [computer] ¡Gana la máquina!
       *[other] ¡{ $name } gana!
    }
page-table-ended =
    { $reason ->
        [resigned-you] Has abandonado.
        [resigned] { $name } ha abandonado.
        [time-you] Se te ha acabado el tiempo.
        [time] Se acabó el tiempo: { $name }.
        [left-you] Has dejado la partida.
        [left] { $name } ha dejado la partida.
        [aborted] La partida se canceló.
       *[other] La partida ha terminado.
    }
page-table-unfinished = La partida no se jugó hasta el final, así que los puntos no cuentan.
page-table-tie-break =
    { $whose ->
        [you] Empate a puntos; llegaste antes al último espacio.
        [computer] Empate a puntos; la máquina llegó antes al último espacio.
       *[other] Empate a puntos; { $name } llegó antes al último espacio.
    }
page-table-step-buttons = Botones
page-table-step-tile = Loseta especial
page-table-step-empty = Espacios vacíos
page-table-step-total = Total
page-table-why-buttons = 1 punto cada uno
page-table-why-tile = 7 puntos por el primer cuadrado completo de 7 × 7 espacios
page-table-why-empty = menos 2 puntos por cada uno
page-table-skip = Mostrar todo de una vez
page-table-next-game = Siguiente partida
page-table-rematch = Jugar otra vez
page-table-rematch-same = Otra vez con los mismos parches
page-table-rematch-asked = Esperando a tu rival…
page-table-rematch-accept = Aceptar y jugar otra vez
page-table-new-game = Nueva partida
page-table-replay = Repetición
page-table-record = Descargar el registro
page-table-picture = Imagen de las colchas ({ $format })
page-table-look = Ver la mesa
page-table-to-scores = Volver a la puntuación
page-table-watching = Estás viendo la partida.
page-table-waits-for = Esperando a { $name }…

## The page: home and settings

page-home = Página de inicio de Patchwork
page-learn = Aprender a jugar
page-rules = Reglas
page-preferences = Ajustes
page-language = Idioma
page-theme = Colores
page-theme-system = Como el dispositivo
page-theme-light = Claros
page-theme-dark = Oscuros
page-tokens = Colores de las fichas
page-tokens-edition = Como en la edición
page-tokens-classic = Lima y amarillo
page-tokens-revised = Azul y rojo
page-look = Cara del tablero de tiempo
page-look-rug = Alfombra trenzada
page-look-blocks = Bloques de colcha
page-confirm = Confirmar cada jugada
page-confirm-why = Si está desactivado, la jugada se hace en cuanto eliges el sitio.
page-motion = Animaciones
page-motion-calm = Desactivadas en tu dispositivo.
page-sound = Sonidos
page-close = Cerrar
page-fan = Proyecto no oficial de aficionados. Patchwork es un juego de Uwe Rosenberg, publicado por Lookout Games; ninguno de los dos tiene relación con esta página. Si te gusta, compra el juego de verdad.
page-licence = Software libre con licencia MIT.
page-api = Para desarrolladores

page-tagline = Con botones se compran parches, y con parches se hace una colcha. Un juego para dos, en un cuarto de hora.
page-play-now = Jugar ahora
page-opening = Preparando la partida…
page-level = ¿Qué nivel quieres para la máquina?
page-level-1 = Suave
page-level-2 = Fácil
page-level-3 = Tranquilo
page-level-4 = Sólido
page-level-5 = Hábil
page-level-6 = Fuerte
page-level-7 = Muy fuerte
page-level-8 = El más fuerte
page-level-lowest = Empieza aquí si es tu primera vez. Algo más débil que quien compra según una regla sencilla.
page-level-strength = Gana unas { $percent } de cada 100 partidas contra el nivel { $below }.
page-level-thinks = Piensa un segundo; los demás niveles responden al instante.
page-level-honest = Medido en partidas entre los niveles, no contra personas. Ningún nivel juega mal a propósito; los más bajos solo calculan menos jugadas.
page-options = Más opciones
page-first = ¿Quién empieza?
page-first-me = Yo
page-first-computer = La máquina
page-first-friend = Mi rival
page-first-one = Jugador 1
page-first-two = Jugador 2
page-first-random = Al azar
page-first-needle = Quien usó una aguja más recientemente
page-edition = Tablero de tiempo
page-edition-classic = Tablero de 2014
page-edition-revised = Ediciones posteriores y apps
page-edition-why = Solo cambia el lugar de los parches de cuero.
page-order = Orden de los parches (opcional)
page-order-why = Para jugar con los mismos parches que otra persona: escribe el mismo número, o pega el orden del menú de otra partida o de un registro. Si lo dejas vacío, será al azar.
page-clock = Reloj
page-clock-none = Sin reloj
page-clock-minutes =
    { $minutes ->
        [one] { $minutes } minuto por jugador, + { $increment } s por jugada
       *[other] { $minutes } minutos por jugador, + { $increment } s por jugada
    }
page-clock-days =
    { $days ->
        [one] { $days } día por jugada
       *[other] { $days } días por jugada
    }
page-name = Tu nombre (opcional)
page-name-one = Nombre del jugador 1 (opcional)
page-name-two = Nombre del jugador 2 (opcional)

page-ways = Otras formas de jugar
page-screen = Dos jugadores, una pantalla
page-screen-why = Uno al lado del otro, o pasándose el dispositivo.
page-screen-begin = Empezar
page-friend = Invitar a alguien
page-friend-why = Recibes un enlace para enviar. Quien lo abra primero juega contigo; nadie necesita una cuenta.
page-friend-begin = Crear enlace
page-watch = Ver una partida
page-watch-why = Quien tenga el enlace de una partida puede verla.
page-watch-label = Enlace de la partida
page-watch-begin = Ver
page-carry = Seguir en otro dispositivo
page-carry-why = Tus partidas pertenecen a este navegador. Con un enlace privado puedes seguir jugándolas en otro dispositivo.
page-carry-begin = Crear un enlace privado
page-carry-link = Enlace privado
page-carry-picture = Código QR del enlace privado
page-carry-expires = Válido hasta: { $time }. No se lo muestres a nadie más: quien lo abra jugará en tu nombre.
page-network = Dejar jugar a otros en esta red
page-network-why = De momento, solo este equipo puede abrir esta página. Si dejas entrar a otros, cualquiera en la misma red, por ejemplo tu wifi, podrá abrirla y jugar; tus archivos y otros programas quedan fuera de su alcance. Termina cuando lo cierres aquí o salgas de Patchwork.
page-network-is-open = Abierto para todos en esta red, en
page-network-picture = Código QR de esta dirección
page-network-others = Otras direcciones de este equipo:
page-network-firewall = Si no se abre en el otro dispositivo, comprueba que ambos estén en la misma red y que el cortafuegos de este equipo deje pasar a Patchwork (Python).
page-network-close = Cerrar a los demás
page-network-failed = No se ha podido abrir. Quizá otro programa use el mismo puerto.
page-network-none = Este equipo no está en una red local, así que los demás no pueden conectarse con él.
page-network-again = Comprobar otra vez
page-carry-here = ¿Seguir jugando aquí?
page-carry-here-why = A partir de entonces, este navegador jugará en nombre de quien creó el enlace.
page-carry-here-begin = Seguir aquí
page-carry-too-old = Este enlace ha caducado o está incompleto. Crea uno nuevo en el otro dispositivo.
page-carry-own = Este navegador
page-carry-maker = Otro dispositivo
page-carry-games = Partidas
page-carry-running = En curso
page-carry-finished = Terminadas
page-carry-adopt = Este navegador aún no tiene partidas propias.
page-carry-merge = Tus partidas y las del otro dispositivo formarán una sola lista. Podrás jugarlas todas aquí y allí; no se pierde ninguna.
page-carry-merge-undo = Podrás deshacerlo durante un día.
page-carry-merge-own-link = Sigue solo si el enlace lo creaste tú. Si no, otra persona podría jugar tus partidas.
page-carry-same = Este navegador ya juega como el jugador que creó el enlace. No hay nada más que hacer.
page-carry-opponents = Estás jugando contra quien creó el enlace. Hasta que eso termine, no se pueden unir las partidas de ambos.
page-carry-opponents-how = Primero termina, abandona o cancela, y luego crea un enlace nuevo. Hasta entonces no cambia nada ni se pierde ninguna partida.
page-carry-not-now = Ahora no
page-carry-retry = Intentar de nuevo
page-carry-merged = Las partidas de este navegador y las de otro dispositivo se han unido.
page-carry-undo-why = Puedes deshacerlo hasta: { $time }. Las partidas empezadas mientras tanto se quedan entonces en el otro dispositivo.
page-carry-undo = Deshacer
page-copy = Copiar
page-copied = Copiado

page-continue = Seguir jugando
page-finished = Partidas terminadas
page-no-games = Aquí aparecerán tus partidas.
page-last-quilt = Tu última colcha
page-loading = Cargando…
page-more-games = Mostrar más partidas
page-against = Contra { $name }
page-computer-level = la máquina, nivel { $level }
page-both = { $one } contra { $two }
page-your-turn = Es tu turno
page-turn-of = Juega: { $name }
page-time-left = Tiempo restante: { $time }
page-not-begun = Aún sin empezar
page-won = Ganada
page-lost = Perdida
page-won-by = Gana: { $name }
page-no-winner = Cancelada
page-by-resigning = por abandono
page-by-time = por tiempo
page-by-leaving = porque un jugador se fue

page-nowhere = Aquí no hay nada
page-nowhere-why = No hay ninguna página en esta dirección. ¿Está completo el enlace?
page-trouble-offline = No se puede conectar con el servidor. Comprueba tu conexión y vuelve a intentarlo.
page-trouble-too-many = Demasiadas peticiones a la vez. Espera un minuto y vuelve a intentarlo.
page-trouble-unavailable = El servidor está muy ocupado en este momento. Vuelve a intentarlo dentro de un rato.
page-trouble-no-such-table = No hay ninguna partida en este enlace. ¿Está completo?
page-trouble-reserved-name = Ese nombre se parece al de la máquina. Elige otro.
page-trouble-bad-circle = Este orden de los parches no sirve. Escribe un número entero, o los 33 parches tal como los muestra el menú de una partida.
page-trouble-other = Algo ha fallado. Vuelve a cargar la página.

page-try-again = Volver a intentar

## The page: privacy

page-privacy = Privacidad
page-privacy-intro = Qué guardan de ti el servidor y tu navegador, durante cuánto tiempo y qué puedes hacer al respecto.
page-privacy-server = Qué guarda el servidor
page-privacy-server-games = Tus partidas: las jugadas, cuándo se hicieron y los nombres que dieron los jugadores. Quien conozca el enlace de una partida puede verla.
page-privacy-server-records = Los registros que abres para verlos, con los nombres y comentarios que contienen, pero no quién los abrió. Quien conozca el enlace puede verlos. Se conservan tanto como las partidas terminadas, contando desde la última vez que alguien los abrió.
page-privacy-server-player = Un código aleatorio que te representa, para que tus partidas sigan siendo tuyas. No hay cuentas, así que el servidor no conoce ni tu correo electrónico ni ninguna contraseña.
page-privacy-server-address = Tu dirección de red solo se usa para evitar que alguien sobrecargue el servidor. No se guarda con tus partidas. Una dirección bloqueada por ese motivo puede aparecer en el registro de actividad del servidor.
page-privacy-time = Durante cuánto tiempo
page-privacy-time-unfinished = Partidas sin terminar: { $time }
page-privacy-time-finished = Partidas terminadas: { $time }
page-privacy-time-unlimited = sin límite
page-privacy-time-since = El plazo se cuenta desde la última actividad en la partida.
page-privacy-time-backups = Los datos borrados pueden seguir en las copias de seguridad del operador hasta que estas se sustituyan.
page-privacy-browser = Qué guarda tu navegador
page-privacy-browser-cookie = Una cookie con la que el servidor te reconoce. Caduca 400 días después de tu última visita.
page-privacy-browser-settings = Tus ajustes, los últimos nombres que escribiste, hasta dónde has seguido tus últimas 30 partidas y por dónde vas en la lección.
page-privacy-others = Qué reciben terceros
page-privacy-others-text = Nada. No hay publicidad ni rastreo, y no se carga nada de otros servidores.
page-privacy-yours = Tus datos
page-privacy-data = Obtener tus datos
page-privacy-data-why = Todo lo que el servidor guarda de ti: tus nombres y tus partidas, jugada a jugada, en un archivo que puede leer un programa.
page-privacy-data-begin = Descargar mis datos
page-privacy-data-done = Tus datos se han descargado.
page-privacy-revoke = Bloquear otros dispositivos
page-privacy-revoke-why = Si alguien más puede jugar en tu nombre, bloquéale el acceso: a partir de entonces solo podrá hacerlo este navegador. Tus otros dispositivos, bots y enlaces privados dejan de funcionar al instante.
page-privacy-revoke-begin = Bloquear todos los demás
page-privacy-revoke-done = Hecho. Ahora solo este navegador puede jugar en tu nombre.
page-privacy-delete = Borrar tus datos
page-privacy-delete-why = Tus nombres desaparecen y ya no se te puede relacionar con ninguna partida. Las partidas sin terminar se abandonan. Tus rivales conservan las suyas, contra un jugador sin nombre.
page-privacy-delete-begin = Borrar mis datos…
page-privacy-delete-sure = ¿Borrarlo todo? No se puede deshacer.
page-privacy-delete-merged = Has unido las partidas de varios dispositivos. Se borrarán todas, en todos esos dispositivos.
page-privacy-delete-yes = Sí, borrar
page-privacy-delete-no = No, conservar
page-privacy-delete-done = Hecho. El servidor ya no te conoce.
page-privacy-nobody = El servidor no conoce este navegador, así que no hace falta hacer nada.
page-privacy-name = Qué pasa con tu nombre

## The page: the rules

page-rules-contents = Contenido
page-rules-intro = Este es el juego entero. Se aprende en cinco minutos.
page-rules-aim = El objetivo
page-rules-aim-text = Cada uno de los dos jugadores cose una colcha. Los parches cuestan botones y tiempo. Al final, cada botón vale un punto y cada espacio vacío de la colcha resta dos.
page-rules-table = Qué hay en la mesa
page-rules-table-quilt = Cada jugador tiene un tablero de colcha de 9 × 9 espacios, una ficha de tiempo y 5 botones.
page-rules-table-circle = Hay 33 parches en círculo alrededor del tablero de tiempo, en orden aleatorio. La ficha neutral, aquí un carrete de hilo, está justo después del parche más pequeño, el de 1 × 2, en sentido horario.
page-rules-table-patch = La etiqueta de un parche indica cuántos botones y cuánto tiempo cuesta. Los botones cosidos en él son sus ingresos.
page-rules-patch-drawing = Un parche de { $size } espacios: botones { $cost }, tiempo { $time }, ingresos { $income }
page-rules-turn = A quién le toca
page-rules-turn-text = Juega quien tiene su ficha de tiempo más atrás, quizá varias veces seguidas. Si las dos fichas están en el mismo espacio, va primero la de encima, que es la última que llegó. Al principio, es la de quien usó una aguja más recientemente.
page-rules-turn-choice = En tu turno haces una de estas dos cosas: avanzar o tomar un parche.
page-rules-advance = Avanzar
page-rules-advance-text = Mueve tu ficha de tiempo al espacio que queda justo delante de la otra. Recibes 1 botón por cada espacio que avances. Siempre puedes hacerlo.
page-rules-advance-drawing = Una ficha adelanta a la otra, avanza 4 espacios y consigue 4 botones
page-rules-take = Tomar un parche
page-rules-take-choose = Elige uno de los tres parches siguientes, en sentido horario desde la ficha neutral.
page-rules-take-neutral = Coloca la ficha neutral donde estaba el parche.
page-rules-take-pay = Paga el número de botones que indica la etiqueta.
page-rules-take-sew = Cose el parche en tu colcha, girado y volteado como quieras. No puede quedar superpuesto a otros ni sobresalir, pero no hace falta que toque nada. Una vez cosido, ahí se queda.
page-rules-take-time = Avanza tu ficha de tiempo tantos espacios como indique la etiqueta. Si acaba en el mismo espacio que la otra, queda encima.
page-rules-take-not = No puedes tomar un parche que no puedas pagar o que no quepa en ningún sitio.
page-rules-take-drawing = La ficha neutral y los tres parches que tiene delante
page-rules-lines = Cruzar líneas
page-rules-lines-text = Sea cual sea tu jugada, mira por orden las líneas que ha cruzado tu ficha:
page-rules-lines-income = Botón: recibes los ingresos de toda tu colcha, incluido el parche recién cosido.
page-rules-lines-leather = Parche de cuero: tómalo y cóselo enseguida en cualquier espacio libre. Solo lo recibe quien cruza primero la línea.
page-rules-lines-where = Hay ingresos en las líneas que están justo antes de los espacios 5, 11, 17, 23, 29, 35, 41, 47 y 53. En el tablero de 2014 hay parches de cuero justo antes de los espacios 20, 26, 32, 44 y 50; en las ediciones posteriores y en las apps, justo antes de los espacios 26, 32, 38, 44 y 50.
page-rules-board-drawing = El tablero de tiempo, una espiral de 54 espacios
page-rules-tile = La loseta especial
page-rules-tile-text = Quien llene primero un cuadrado de 7 × 7 espacios en su colcha recibe la loseta especial. Vale 7 puntos.
page-rules-tile-drawing = Una colcha con un cuadrado lleno de 7 × 7 espacios
page-rules-end = El final
page-rules-end-text = El espacio 53, en el centro, es el último. Ninguna ficha pasa de ahí; si avanzas, solo cobras por los espacios que de verdad avanza tu ficha. Cuando las dos fichas están allí, la partida termina.
page-rules-score = Puntuación
page-rules-score-text = Tus botones, más 7 por la loseta especial, menos 2 por cada espacio vacío. Gana la puntuación más alta. En caso de empate, gana quien llegó antes al último espacio.
page-rules-score-example = Ejemplo: 14 botones, la loseta especial y 5 espacios vacíos son 14 + 7 − 10 = 11. El otro jugador tiene 18 botones y 2 espacios vacíos, es decir, 18 − 4 = 14, y gana.
page-rules-tips = Conviene saber
page-rules-tips-income = Los ingresos valen más al principio: se cobran en cada botón que aún tengas por delante.
page-rules-tips-turn = Con un parche que cuesta poco tiempo quizá sigas por detrás, y así juegas otra vez.
page-rules-tips-gaps = Los huecos de un solo espacio únicamente se tapan con parches de cuero. Procura que los bordes queden lisos.
page-rules-play = A jugar

## The page: the lesson

page-learn-new = ¿Primera vez? Aprende jugando, en cinco minutos.
page-learn-by-playing = O aprende jugando.
page-learn-opponent = Tu rival
page-learn-step = { $number } de { $of }
page-learn-next = Siguiente
page-learn-back = Atrás
page-learn-skip = Saltar
page-learn-restart = Empezar de nuevo
page-learn-leave = Salir
page-learn-help = Muéstramelo
page-learn-retry = Intentar de nuevo
page-learn-play = Jugar ahora contra el nivel 1
page-learn-rules = Leer las reglas
page-learn-welcome = Tu primera partida
page-learn-welcome-text = Tú coses una colcha y tu rival, otra. Los parches cuestan botones y tiempo. Al final, cada botón vale un punto y cada espacio vacío resta dos: por eso empiezas con −157. Vamos a probarlo todo en cinco minutos.
page-learn-advance = Avanzar
page-learn-advance-text = Tu rival se adelanta en el tablero de tiempo. Juega quien va detrás: tú. Pulsa «Avanzar», y otra vez para confirmar. Tu ficha salta justo delante de la otra y recibes un botón por espacio.
page-learn-advance-done = Siete espacios, siete botones. Siempre puedes avanzar. Ahora vas delante, así que le toca a tu rival.
page-learn-circle = La fila de parches
page-learn-circle-text = Solo puedes elegir entre los tres parches que siguen al carrete de hilo. Cuando se toma uno, el carrete pasa a su lugar; los que se salta van al final de la fila y vuelven más tarde.
page-learn-buy = Tomar un parche
page-learn-buy-text = Elige uno de los tres parches. La etiqueta indica su precio en botones y en tiempo. Gira y voltea el parche y colócalo en tu colcha: los espacios coloreados muestran dónde cabe. Después, cóselo.
page-learn-buy-wrong = También podrías avanzar. Pero ahora date un gusto: elige uno de los tres parches.
page-learn-chain = Te toca otra vez
page-learn-chain-text = Pagaste los botones, y tu ficha avanzó tantos espacios como indica la etiqueta. ¡Sigue detrás! Juega quien va detrás, incluso varias veces seguidas. Entonces, ¿tomas otro parche o avanzas?
page-learn-chain-done = ¡Dos turnos seguidos! Los parches que cuestan poco tiempo te dejan jugar más veces.
page-learn-income = Ingresos
page-learn-income-text = Desde aquí, cada paso es un momento de otra partida. Los botones cosidos en tus parches son tus ingresos. Toma un parche o avanza para cruzar la próxima línea con un botón, y recibirás los ingresos de toda tu colcha.
page-learn-income-done = Has recibido los ingresos de toda tu colcha. Hay nueve líneas así: cuanto antes tengas ingresos, más valen.
page-learn-leather = Un parche de cuero
page-learn-leather-text = Las dos fichas están en el mismo espacio; va primero la de encima, la tuya. En la línea siguiente hay un parche de cuero para quien la cruce primero. Crúzala con cualquier jugada.
page-learn-sew = Cóselo
page-learn-sew-text = El parche de cuero es tuyo y no cuesta nada. Cubre un solo espacio, ideal para un hueco donde no cabe ningún otro. Colócalo en cualquier espacio libre y cóselo.
page-learn-sew-done = ¡Bien remendado! Al principio hay cinco parches de cuero en el tablero de tiempo, cada uno para quien llegue primero.
page-learn-tile = Siete por siete
page-learn-tile-text = Quien llene primero un cuadrado de 7 × 7 espacios gana la loseta especial, que vale 7 puntos. A tu cuadrado, arriba a la izquierda, le falta un parche: el tercero. Gíralo y llena el hueco.
page-learn-tile-done = La loseta especial es tuya: 7 puntos al final.
page-learn-tile-wrong = Así el cuadrado quedaría incompleto. Toma el tercer parche, gíralo y llena el hueco del cuadrado de arriba a la izquierda.
page-learn-end = La última jugada
page-learn-end-text = Tu rival está en el último espacio, en el centro del tablero de tiempo. Cuando llegues tú, la partida termina. Está reñida, y cada espacio vacío resta 2 puntos: ¡elige bien!
page-learn-score = Ya conoces el juego
page-learn-score-text = Botones, más 7 por la loseta especial, menos 2 por cada espacio vacío: gana la puntuación más alta. Eso es todo. ¡Que te diviertas!
page-learn-lost = ¡Por un pelo! Vuelve atrás y usa la última jugada para un parche.

## The page: replays

page-replay = Repetición
page-replay-broken = Este registro no se puede leer: { $detail }
page-replay-no-record = Esto no es un registro de Patchwork.
page-replay-unknown = Aquí no hay ningún registro así. Puede que el enlace esté incompleto o que el registro ya no se conserve.
page-replay-file = Archivo con un registro
page-replay-choose = Elegir un archivo…
page-replay-text = O pega su texto
page-replay-open = Reproducir
page-replay-start = Inicio de la partida
page-replay-first = Al principio
page-replay-back = Una jugada atrás
page-replay-play = Reproducir
page-replay-pause = Pausa
page-replay-forward = Una jugada adelante
page-replay-last = Al final
page-replay-swap = Cambiar de lado
page-replay-move = Jugada { $number } de { $of }
page-replay-figures = Botones { $buttons } · ingresos { $income } · puntos { $points }
page-replay-board = Tablero de tiempo: fichas en los espacios { $first } y { $second }
page-replay-to-game = Volver a la partida
page-replay-copy = Copiar el enlace a esta jugada
page-replay-variation = Variante de la jugada { $number }
page-replay-variations = Variantes:
page-replay-leave = Salir de la variante
page-replay-annotation =
    { $name ->
        [good] buena jugada
        [bad] mala jugada
        [very-good] jugada muy buena
        [very-bad] jugada muy mala
        [interesting] jugada interesante
        [dubious] jugada dudosa
       *[other] anotación { $number }
    }
page-replay-record = Ver una partida registrada


## Enlaces en mensajería y páginas sin JavaScript

link-how = Toma un parche del círculo, paga con botones y tiempo y cóselo; juega quien va por detrás en el tablero de tiempo. Al final cuentan los botones, y los espacios vacíos restan puntos.
link-join = Abre el enlace para jugar; no hace falta una cuenta.
link-running = La partida está en curso y puedes verla jugada a jugada.
link-replay = Recorre la partida jugada a jugada.
link-drawing = La mesa: las dos colchas, el tablero de tiempo y el círculo de parches
link-script = Para jugar aquí, activa JavaScript en tu navegador.

