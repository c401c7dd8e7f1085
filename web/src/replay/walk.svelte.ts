/** A walk through a replay: the place that is shown, and the positions of the lines around it. */

import type { GameEvent } from "../game/playableGame";
import type { PositionView, Reached, Replay } from "../generated/wire";
import { request } from "../net/api";
import { gameLine, lastPly, movesTo, type Line, type Place } from "./lines";

export class Walk {
  readonly game: Line;
  place: Place = $state.raw() as Place;
  /** Whether the last step was a single one forwards. */
  private forwards = $state(false);
  /** Of each line that was entered: the position before its first move, and after each move. */
  private readonly positions = new Map<Line, PositionView[]>();
  /** How many steps were asked for; an answer that comes after the next request is dropped. */
  private steps = 0;

  constructor(private readonly replay: Replay) {
    this.game = gameLine(replay);
    this.positions.set(this.game, replay.positions);
    this.place = { line: this.game, ply: 0 };
  }

  readonly position = $derived.by(() => this.positionAt(this.place, 0));

  /** The move that led to the place; undefined at the start. */
  readonly latest: GameEvent | undefined = $derived.by(() => {
    const { line, ply } = this.place;
    const [seat, data] = line.moves[ply - line.first] ?? [];
    if (seat === undefined || data === undefined) return undefined;
    const before = this.positionAt(this.place, -1) ?? null;
    return { event: { kind: "move", seat, data }, before, after: this.position ?? null };
  });

  /** The move to animate: the latest one, after a single step forwards. */
  readonly animated = $derived.by(() => (this.forwards ? this.latest : undefined));

  /**
   * Goes to a place, once the positions of its line are there.
   *
   * @throws {RequestError} if the server does not send them.
   */
  async goTo(place: Place): Promise<void> {
    const step = ++this.steps;
    if (!this.positions.has(place.line)) await this.load(place.line);
    if (step !== this.steps) return;
    this.forwards = place.ply === this.place.ply + 1;
    this.place = place;
  }

  private positionAt({ line, ply }: Place, step: number): PositionView | undefined {
    return this.positions.get(line)?.[ply - line.first + 1 + step];
  }

  private async load(line: Line): Promise<void> {
    const { edition, circle, first } = this.replay;
    const moves = movesTo({ line, ply: lastPly(line) }).map(([, move]) => move);
    const wanted = { edition, circle, first, moves, since: line.first - 1 };
    const { positions } = await request<Reached>("POST", "/api/positions", wanted);
    this.positions.set(line, positions);
  }
}
