import type { Cancel, Clock } from '../../../../daemon/base/clock.ts';
import type { SerialBus } from '../../network/serial-bus.ts';
import type { Random } from '../../world/random.ts';
import type { KeptFault, PlannedFault } from '../../world/truth.ts';
import type { Health } from '../health.ts';
import { endAll, planFaults } from './plan-faults.ts';
import type { FaultKind } from './plan-faults.ts';
import type { SerialMode } from './serial-stations.ts';

export interface LineFaultOptions {
  readonly time: Pick<Clock, 'schedule'>;
  readonly bus: SerialBus;
  readonly mode: SerialMode;
  readonly health: Health;
  readonly name: string;
  readonly random: Random;
  readonly endMs: number;
  /** How long after a time with lost answers addresses may be left alone. */
  readonly lingerMs: number;
  readonly meanPauseMs: number;
  /** Faults that come instead of drawn ones. */
  readonly kept?: readonly KeptFault[] | undefined;
}

const MINUTE_MS = 60_000;
/** A unit that the gateway does not ask: an answer of one that it does ask would be taken for its own. */
const OTHER_MASTERS_UNIT = 247;
const OTHER_MASTERS_ANSWER_MS = 12;

/** Draws the faults of a serial line and of its adapter. */
export function planLineFaults(options: LineFaultOptions): readonly PlannedFault[] {
  const { name, random, endMs, meanPauseMs, kept } = options;
  return planFaults({
    name,
    random: random.branch(name),
    endMs,
    meanPauseMs,
    kept,
    kinds: listKinds(options),
  });
}

function listKinds({
  time,
  bus,
  mode,
  health,
  lingerMs,
}: LineFaultOptions): Readonly<Record<string, FaultKind>> {
  const repeat = (meanMs: number, random: Random, action: () => void): Cancel => {
    let cancel: Cancel = () => undefined;
    const next = (): void => {
      cancel = time.schedule(random.exponential(meanMs), () => {
        action();
        next();
      });
    };
    next();
    return () => cancel();
  };
  const pull = (): (() => void) => {
    bus.setPlugged(false);
    return () => bus.setPlugged(true);
  };
  return {
    pulled: {
      weight: 3,
      lastsMs: [500, 5 * MINUTE_MS],
      draw: () => ({ text: 'is without its adapter', begin: () => endAll(pull(), health.begin()) }),
    },
    taken: {
      weight: 1,
      lastsMs: [500, MINUTE_MS],
      draw: () => ({
        text: 'is opened by another program after its adapter was plugged in again',
        begin: () => {
          pull()();
          bus.setTaken(true);
          return endAll(() => bus.setTaken(false), health.begin());
        },
      }),
    },
    detuned: {
      weight: 2,
      lastsMs: [1000, 5 * MINUTE_MS],
      draw: () => ({
        text: 'has another speed than its adapter',
        begin: () => {
          bus.setDetuned(true);
          return endAll(() => bus.setDetuned(false), health.begin(lingerMs));
        },
      }),
    },
    disturbed: {
      weight: 3,
      lastsMs: [1000, 5 * MINUTE_MS],
      draw: (random) => {
        const meanMs = random.pick([50, 500, 5000]);
        return {
          text: `is disturbed every ${meanMs} ms`,
          begin: () =>
            endAll(
              repeat(meanMs, random, () => bus.disturb(random.exponential(5))),
              health.begin(lingerMs),
            ),
        };
      },
    },
    noise: {
      weight: 3,
      lastsMs: [1000, 5 * MINUTE_MS],
      draw: (random) => {
        const meanMs = random.pick([50, 500, 5000]);
        return {
          text: `brings bytes that nobody sent every ${meanMs} ms`,
          begin: () =>
            endAll(
              repeat(meanMs, random, () => bus.transmit(random.bytes(random.integer(1, 6)), 0)),
              health.begin(lingerMs),
            ),
        };
      },
    },
    otherMaster: {
      weight: 2,
      lastsMs: [1000, 10 * MINUTE_MS],
      draw: (random) => {
        const meanMs = random.pick([200, 1000, 10_000]);
        const request = mode.encode(OTHER_MASTERS_UNIT, Buffer.from([3, 0, 10, 0, 2]));
        const answer = mode.encode(OTHER_MASTERS_UNIT, Buffer.from([3, 4, 1, 2, 3, 4]));
        return {
          text: `has another master every ${meanMs} ms`,
          begin: () =>
            endAll(
              repeat(meanMs, random, () => {
                bus.transmit(request, 0, true);
                bus.transmit(answer, request.length * bus.characterMs + OTHER_MASTERS_ANSWER_MS);
              }),
              health.begin(lingerMs),
            ),
        };
      },
    },
  };
}
