import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import type {
  BundleDriver,
  BundleDriverFactory,
  BundleReading,
} from '../../../daemon/software/bundle/runner/context.ts';
import type { Meter } from './meter.ts';
import type { MeterPoint } from './meter-point.ts';

interface MeterDriverParts {
  readonly type: string;
  readonly meter: Meter;
  /** The clock of the bundle. */
  readonly clock: Clock;
  /** Milliseconds that one call takes. */
  readonly drawCallMs: () => number;
  /** Called before and after something is done, where the bundle may die. */
  readonly onRisk: () => void;
}

// After the deadline of every call of the gateway.
const NEVER_MS = 3_600_000;

const REFUSED = { failure: { code: 'METER_REFUSES', message: 'the meter refuses the register' } };

/** Creates the driver of a simulated bundle, by which it reads and writes the meter of the world. */
export function createMeterDriver(parts: MeterDriverParts): BundleDriverFactory {
  const { type, meter, clock, drawCallMs, onRisk } = parts;

  async function exchange(signal: AbortSignal): Promise<void> {
    onRisk();
    await delay(clock, meter.isSilent ? NEVER_MS : drawCallMs(), signal);
  }

  const driver: BundleDriver = {
    connect: (signal) => exchange(signal),
    async read(channels, signal) {
      await exchange(signal);
      const readings = channels.map(({ address }) => read(find(address)));
      onRisk();
      return readings;
    },
    async write(requests, signal) {
      const outcomes = [];
      for (const { channel, value } of requests) {
        await exchange(signal);
        const point = find(channel.address);
        const isTaken = point?.isWritable === true && point.answersSinceMs !== undefined;
        if (isTaken) point.write(Number(value));
        outcomes.push(isTaken ? {} : REFUSED);
        onRisk();
      }
      return outcomes;
    },
  };

  function find({ register }: Readonly<Record<string, unknown>>): MeterPoint | undefined {
    return meter.points.find(
      ({ channel }) => (channel['address'] as { register: number }).register === register,
    );
  }

  return {
    type,
    settings: { type: 'object', properties: { meter: { type: 'integer', minimum: 1 } }, required: ['meter'] },
    address: {
      type: 'object',
      properties: { register: { type: 'integer', minimum: 0 } },
      required: ['register'],
    },
    create: () => driver,
  };
}

function read(point: MeterPoint | undefined): BundleReading {
  return point?.answersSinceMs === undefined ? REFUSED : { value: BigInt(point.read()) };
}
