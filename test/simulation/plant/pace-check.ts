import type { AddressSilence, AskedUnit } from '../devices/line-load.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { PlantPart } from '../world/truth.ts';

interface PaceCheckOptions {
  readonly chronicle: Chronicle;
  readonly nowMs: () => number;
  /** Since when the gateway serves without a break; undefined while it does not. */
  readonly servingSinceMs: () => number | undefined;
  /** When the configuration of a driver or asset of the part changed last: its connection may be a new one. */
  readonly changedAtMs: (part: PlantPart) => number;
}

/** A time in which the instrument of a serial line that is well had a request to be sent at each moment. */
export type WaitingLine = Omit<WaitingPeriod, 'unitId'>;

/** A time in which a unit that is well had a request to be sent at each moment. */
export interface WaitingPeriod {
  readonly who: string;
  readonly part: PlantPart;
  readonly unitId: number;
  readonly fromMs: number;
  readonly toMs: number;
}

// docs/reference/modbus.md, "Units that do not answer": a unit is suspended after two silences, and probed every four seconds. When a
// connection is opened, all units that are suspended are probed at once.
const SILENCES = 6;
// Datagrams that are on the way together are one silence; a lost connection ends them otherwise.
const SUSPENDING_SILENCES = 2;
const PROBE_PAUSE_MS = 3500;
// docs/reference/modbus.md, "Addresses that do not answer": a request for several values is halved until the silent ones are left, and
// those are asked after pauses that grow to a minute.
const SEARCH = 48;
const ADDRESS_PAUSE_MS = 15_000;
const ADDRESS_PERIOD_MS = 600_000;

// A turn is one request, the one that tells whether its unit is there, and what belongs together; that of another unit may
// have begun, and another one come before.
const REQUESTS_OF_TWO_TURNS = 6;
// A pause between requests, the pause that ends a damaged frame, the opening of a connection.
const IDLE_MS = 400;
// What may have kept a line busy when a wait began.
const EARLIER_MS = 10_000;
// The way of a message and of the next request, on a server that takes few requests at once.
const LONGEST_MESSAGE_WAIT_MS = 5000;

/** Checks `healthy-pace`: what units that are not well cost those that share a connection with them. */
export class PaceCheck {
  readonly #options: PaceCheckOptions;

  constructor(options: PaceCheckOptions) {
    this.#options = options;
  }

  /** Checks that units and addresses that are silent were asked no oftener than is stated. */
  checkSilences(part: PlantPart): void {
    const { nowMs, servingSinceMs, changedAtMs, chronicle } = this.#options;
    const servingMs = servingSinceMs();
    if (part.load === undefined || servingMs === undefined) return;
    // Who begins anew knows of no silence.
    const sinceMs = Math.max(servingMs, changedAtMs(part));
    for (const [unitId, { sinceAnswer, ofAddresses }] of part.load.silences) {
      // Who has answered nothing else is not known to be there, and is probed like a unit.
      const unproven = ofAddresses.filter(({ answeredMs = -1 }) => answeredMs < sinceMs);
      this.#checkUnit(part, unitId, sinceAnswer, sinceMs);
      this.#checkUnit(part, unitId, unproven.map(atMsOf), sinceMs);
      const sinceSearchMs = Math.max(sinceMs, nowMs() - ADDRESS_PERIOD_MS);
      const proven = ofAddresses.filter(({ answeredMs = -1 }) => answeredMs >= sinceMs);
      const addresses = countAfter(proven.map(atMsOf), sinceSearchMs);
      const addressLimit = SEARCH + (nowMs() - addresses.firstMs) / ADDRESS_PAUSE_MS;
      if (addresses.count > addressLimit) {
        chronicle.break(
          'healthy-pace',
          `addresses of unit ${unitId} of ${part.driver.pid} are silent, and were asked ${addresses.count} times since ${addresses.firstMs.toFixed(1)}`,
        );
      }
    }
  }

  #checkUnit({ driver }: PlantPart, unitId: number, silences: readonly number[], sinceMs: number): void {
    const { nowMs, chronicle } = this.#options;
    const { count, firstMs } = countAfter(silences, sinceMs);
    const depth = driver.transport === 'udp' ? Number(driver.pipelineDepth) : 1;
    const limit = Math.max(SILENCES, SUSPENDING_SILENCES * depth);
    if (count <= limit + (nowMs() - firstMs) / PROBE_PAUSE_MS) return;
    chronicle.break(
      'healthy-pace',
      `unit ${unitId} of ${driver.pid} is silent, and was asked ${count} times since ${firstMs.toFixed(1)}`,
    );
  }

  /** Checks that units took turns while one of them waited, and that the connection was never idle. */
  checkTurns(period: WaitingPeriod): void {
    const { load } = period.part;
    if (load === undefined) return;
    const asked = load.between(period.fromMs, period.toMs);
    this.#checkShares(period, asked);
    this.#checkIdle(period, asked);
  }

  /** Checks that a serial line with one instrument was never idle while a request waited. */
  checkLine({ who, part, fromMs, toMs }: WaitingLine): void {
    const { line } = part;
    if (line === undefined) return;
    let freeMs = fromMs;
    for (const { atMs, busyMs } of line.between(fromMs - EARLIER_MS, toMs)) {
      if (atMs - freeMs > IDLE_MS) {
        this.#options.chronicle.break(
          'healthy-pace',
          `nothing was sent to ${part.driver.pid} from ${freeMs.toFixed(1)} to ${atMs.toFixed(1)} while a request waited (${who})`,
        );
        return;
      }
      freeMs = Math.max(freeMs, atMs + busyMs);
    }
  }

  /** Checks that a server that is well had a request for each message of its subscriptions in time. */
  checkMessages(part: PlantPart): void {
    const { servingSinceMs, changedAtMs, chronicle } = this.#options;
    for (const { fromMs, toMs, quietSinceMs, healthySinceMs } of part.takeWaits?.() ?? []) {
      if (toMs - fromMs <= LONGEST_MESSAGE_WAIT_MS) continue;
      const causesMs = [healthySinceMs, servingSinceMs(), changedAtMs(part)];
      if (causesMs.some((sinceMs) => sinceMs === undefined || sinceMs + part.recoveryMs > quietSinceMs))
        continue;
      chronicle.break(
        'healthy-pace',
        `a message of ${part.driver.pid} waited for a request from ${fromMs.toFixed(1)} to ${toMs.toFixed(1)}`,
      );
    }
  }

  /**
   * Checks that a unit, or the one instrument of a serial line, was asked as often as its fastest listener wants.
   *
   * @param intervalMs of that listener, which has been there for several of them
   */
  checkPoll(part: PlantPart, unitId: number | undefined, intervalMs: number): void {
    const { nowMs, chronicle } = this.#options;
    const askedMs = unitId === undefined ? part.line?.newestMs : part.load?.askedMs(unitId);
    if (askedMs === undefined || nowMs() - askedMs <= 2 * intervalMs + POLL_SLACK_MS) return;
    const who = unitId === undefined ? part.driver.pid : `unit ${unitId} of ${part.driver.pid}`;
    chronicle.break(
      'healthy-pace',
      `${who} is polled every ${intervalMs} ms, and was asked last at ${askedMs.toFixed(1)}`,
    );
  }

  #checkShares({ who, part, unitId, toMs }: WaitingPeriod, asked: readonly AskedUnit[]): void {
    let others: Map<number, number> | undefined;
    for (const { unitId: one, atMs } of asked) {
      if (one === unitId) {
        others = new Map();
        continue;
      }
      const count = (others?.get(one) ?? 0) + 1;
      others?.set(one, count);
      if (count <= REQUESTS_OF_TWO_TURNS || atMs > toMs) continue;
      this.#options.chronicle.break(
        'healthy-pace',
        `unit ${one} of ${part.driver.pid} was asked ${count} times at ${atMs.toFixed(1)} while unit ${unitId} waited for its turn (${who})`,
      );
      return;
    }
  }

  #checkIdle({ who, part, unitId, toMs }: WaitingPeriod, asked: readonly AskedUnit[]): void {
    const [first] = asked;
    if (first === undefined) return;
    // What was under way when the period began is not known.
    let freeMs = first.atMs + first.busyMs;
    for (const { atMs, busyMs } of [...asked.slice(1), { atMs: toMs, busyMs: 0 }]) {
      if (atMs - freeMs > IDLE_MS) {
        this.#options.chronicle.break(
          'healthy-pace',
          `nothing was sent to ${part.driver.pid} from ${freeMs.toFixed(1)} to ${atMs.toFixed(1)} while unit ${unitId} waited (${who})`,
        );
        return;
      }
      freeMs = Math.max(freeMs, atMs + busyMs);
    }
  }
}

function atMsOf({ atMs }: AddressSilence): number {
  return atMs;
}

const POLL_SLACK_MS = 20_000;

function countAfter(times: readonly number[], sinceMs: number): { count: number; firstMs: number } {
  const first = times.findIndex((ms) => ms >= sinceMs);
  if (first === -1) return { count: 0, firstMs: 0 };
  return { count: times.length - first, firstMs: times[first] ?? 0 };
}
