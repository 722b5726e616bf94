import type { TcpHost } from '../../network/tcp-host.ts';
import type { Random } from '../../world/random.ts';
import type { KeptFault, PlannedFault } from '../../world/truth.ts';
import type { Health } from '../health.ts';
import { endAll, planFaults } from './plan-faults.ts';
import type { FaultKind } from './plan-faults.ts';

export interface TcpFaultOptions {
  readonly host: TcpHost;
  readonly health: Health;
  readonly name: string;
  readonly random: Random;
  readonly endMs: number;
  readonly responseTimeoutMs: number;
  /** How long after a time with lost answers addresses may be left alone. */
  readonly lingerMs: number;
  /** Answers carry the number of their request, so that bytes may be held up for long. */
  readonly hasTransactions: boolean;
  readonly meanPauseMs: number;
  /** Faults that come instead of drawn ones. */
  readonly kept?: readonly KeptFault[] | undefined;
}

const MINUTE_MS = 60_000;
const MOMENT_MS = [1, 2] as const;

/** Draws the faults of the way to a device, and of its connections. */
export function planTcpFaults(options: TcpFaultOptions): readonly PlannedFault[] {
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

function listKinds(options: TcpFaultOptions): Readonly<Record<string, FaultKind>> {
  const { host, health, responseTimeoutMs, lingerMs, hasTransactions } = options;
  const { path } = host;
  return {
    reset: {
      weight: 3,
      lastsMs: MOMENT_MS,
      draw: () => ({
        text: 'resets its connections',
        begin: () => {
          host.resetAll();
          return health.begin();
        },
      }),
    },
    halfOpen: {
      weight: 3,
      lastsMs: MOMENT_MS,
      draw: () => ({
        text: 'forgets its connections without a word',
        begin: () => {
          host.vanishAll();
          return health.begin();
        },
      }),
    },
    refused: {
      weight: 2,
      lastsMs: [1000, 5 * MINUTE_MS],
      draw: () => ({
        text: 'refuses connections',
        begin: () => {
          host.resetAll();
          host.isListening = false;
          return endAll(() => {
            host.isListening = true;
          }, health.begin());
        },
      }),
    },
    taken: {
      weight: 2,
      lastsMs: [1000, 5 * MINUTE_MS],
      draw: (random) => {
        const whenFull = random.pick(['REFUSE', 'IGNORE'] as const);
        const what = whenFull === 'REFUSE' ? 'refuses' : 'ignores';
        return {
          text: `has no connection left, and ${what} further ones`,
          begin: () => endAll(host.takeAll(whenFull), health.begin(whenFull === 'REFUSE' ? 0 : lingerMs)),
        };
      },
    },
    powerFailure: {
      weight: 2,
      lastsMs: [5000, 10 * MINUTE_MS],
      draw: () => ({
        text: 'is without power',
        begin: () => {
          host.interrupt();
          host.vanishAll();
          return endAll(() => host.open(), health.begin());
        },
      }),
    },
    // Held up for longer than twice the time-out, an answer without a number could not be told from the next one.
    ...(hasTransactions
      ? {
          cable: {
            weight: 3,
            lastsMs: [500, 5 * MINUTE_MS],
            draw: () => ({
              text: 'is cut off, and its cable is plugged in again',
              begin: () => {
                host.interrupt();
                return endAll(() => host.open(), health.begin(lingerMs));
              },
            }),
          } as const,
        }
      : {}),
    storm: {
      weight: 2,
      lastsMs: [5000, 5 * MINUTE_MS],
      draw: (random) => {
        // Without transactions an answer later than two time-outs cannot be told from the next one (docs/reference/modbus.md, "Timing
        // of serial lines"): twice this way and the latest answer of a unit, 1.4 of the time-out, stay below.
        const share = hasTransactions ? random.pick([0.1, 0.3, 0.6, 2]) : random.pick([0.1, 0.2]);
        return {
          text: `is reached in ${share} of the time-out`,
          begin: () => {
            const before = path.latencyMs;
            path.latencyMs = share * responseTimeoutMs;
            return endAll(() => {
              path.latencyMs = before;
            }, health.begin(lingerMs));
          },
        };
      },
    },
    pieces: {
      weight: 2,
      lastsMs: [5000, 10 * MINUTE_MS],
      // No fault to anybody who reads a stream of bytes as such.
      draw: () => ({
        text: 'sends in pieces',
        begin: () => {
          const before = path.cutProbability;
          path.cutProbability = 0.9;
          return () => {
            path.cutProbability = before;
          };
        },
      }),
    },
  };
}
