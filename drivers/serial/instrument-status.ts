import { DeviceStatus } from '../../daemon/channel/device-status.ts';
import { InstrumentRefusal, InvalidResponse, LinkLost, NoResponse } from './serial-errors.ts';

const COUNTERS = [
  'requests',
  'answers',
  'timeouts',
  'invalidAnswers',
  'refusals',
  'frames',
  'strayFrames',
  'framingFaults',
  'checksumFaults',
  'linkLosses',
  'reopenings',
] as const;

/** State and counters of the instrument on a line. */
export type InstrumentStatus = DeviceStatus<(typeof COUNTERS)[number]>;

/** Creates the status of an instrument in unknown state. */
export function createInstrumentStatus(device: string, clock: { epochMs(): number }): InstrumentStatus {
  return new DeviceStatus({
    name: `instrument at ${device}`,
    clock,
    counters: COUNTERS,
    interpret(error) {
      if (error instanceof NoResponse) return { counter: 'timeouts', isGone: true };
      if (error instanceof InstrumentRefusal) return { counter: 'refusals' };
      if (error instanceof InvalidResponse) return { counter: 'invalidAnswers' };
      return { isGone: error instanceof LinkLost };
    },
  });
}
