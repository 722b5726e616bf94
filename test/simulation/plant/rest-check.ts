import type { Chronicle } from '../world/chronicle.ts';
import type { PlantPart } from '../world/truth.ts';

interface RestCheckOptions {
  readonly chronicle: Pick<Chronicle, 'break'>;
  readonly nowMs: () => number;
  readonly parts: readonly PlantPart[];
  /** Connections of clients that are open. */
  readonly connections: () => number;
  /** Calls of the clock of the gateway that are pending. */
  readonly pendingCalls: () => number;
}

// Long enough for every probe and every pause between attempts.
const QUIET_MS = 600_000;
// What a gateway may still do after its last answer: close idle connections, write the audit log, probe.
const CALLS_AFTERWARDS = 40;

/** Checks `nothing-left`: what is left when nobody uses the gateway any more. */
export class RestCheck {
  readonly #options: RestCheckOptions;
  #callsAtRest = 0;

  constructor(options: RestCheckOptions) {
    this.#options = options;
  }

  /** Checks connections, subscriptions and requests of devices, when everyone has been gone for more than ten minutes. */
  checkRest(): void {
    const { chronicle, parts, connections, pendingCalls } = this.#options;
    if (connections() > 0)
      chronicle.break('nothing-left', `${connections()} connections of clients are open`);
    for (const part of parts) this.#checkPart(part);
    this.#callsAtRest = pendingCalls();
  }

  /** Checks, after many calls that have all been answered, that their timers are gone. */
  checkTimers(): void {
    const { chronicle, pendingCalls } = this.#options;
    const calls = pendingCalls();
    if (calls <= this.#callsAtRest + CALLS_AFTERWARDS) return;
    chronicle.break(
      'nothing-left',
      `${calls} calls of the clock are pending after the last answer, and ${this.#callsAtRest} were before`,
    );
  }

  #checkPart(part: PlantPart): void {
    const { chronicle, nowMs } = this.#options;
    const { pid } = part.driver;
    // While something is wrong, units are probed, and what a server has may have to run out.
    const sinceMs = nowMs() - QUIET_MS;
    const points = part.assets.flatMap((asset) => asset.points);
    if (points.some((point) => (point.healthySinceMs() ?? Infinity) > sinceMs)) return;
    const subscriptions = part.subscriptions?.() ?? 0;
    if (subscriptions > 0)
      chronicle.break('nothing-left', `${pid} has ${subscriptions} subscriptions, and nobody listens`);
    const askedMs = part.askedMs?.();
    if (askedMs !== undefined && askedMs > sinceMs)
      chronicle.break('nothing-left', `${pid} was asked at ${askedMs.toFixed(1)}, and nobody wants to know`);
  }
}
