import { DeviceStatus } from '../../daemon/channel/device-status.ts';
import { InvalidAnswer, LinkLost, NoAnswer } from './serial-errors.ts';

const COUNTERS = [
  'requests',
  'answers',
  'timeouts',
  'invalidAnswers',
  'frames',
  'strayFrames',
  'framingFaults',
  'linkLosses',
  'reopenings',
] as const;

export type InstrumentStatus = DeviceStatus<(typeof COUNTERS)[number]>;

/** Creates the status of an instrument of which nothing is known. */
export function createInstrumentStatus(device: string, clock: { epochMs(): number }): InstrumentStatus {
  return new DeviceStatus({
    name: `instrument at ${device}`,
    clock,
    counters: COUNTERS,
    interpret(error) {
      if (error instanceof NoAnswer) return { counter: 'timeouts', isGone: true };
      if (error instanceof InvalidAnswer) return { counter: 'invalidAnswers' };
      return { isGone: error instanceof LinkLost };
    },
  });
}
