/** What can be wrong with a server, as long as it lasts. */
export type ServerCondition =
  /** It is not running. */
  | 'OFF'
  /** It accepts connections and does nothing else; it goes on where it stood. */
  | 'FROZEN'
  /** Nothing passes between it and the gateway; what was sent arrives afterwards. */
  | 'UNREACHABLE'
  /** It runs and serves nobody. */
  | 'HALTED'
  /** It takes long for each request. */
  | 'SLOW'
  /** It carries requests out at once and answers late. */
  | 'LATE'
  /** Its answers come in another order. */
  | 'SHUFFLED'
  /** Its connections break now and then. */
  | 'CUTTING'
  /** All its sessions are taken. */
  | 'FULL'
  /** It takes fewer nodes in a request than it says. */
  | 'SMALL'
  /** Some answers are those of another service, or too short. */
  | 'CONFUSED'
  /** Some notifications are lost. */
  | 'LOSSY'
  /** It sends no notifications. */
  | 'MUTE'
  /** It takes no subscriptions. */
  | 'NO_SUBSCRIPTIONS'
  /** Its clock is wrong. */
  | 'CLOCK_WRONG';

/** The conditions of a server; several may overlap, each with itself as well. */
export class Conditions {
  readonly #counts = new Map<ServerCondition, number>();

  has(condition: ServerCondition): boolean {
    return (this.#counts.get(condition) ?? 0) > 0;
  }

  /** Begins a condition; returns what ends it. */
  begin(condition: ServerCondition): () => void {
    this.#counts.set(condition, (this.#counts.get(condition) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#counts.set(condition, (this.#counts.get(condition) ?? 0) - 1);
    };
  }
}
