import { createReason, sayReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { SERIAL_FAULTS } from '../sentences/fault-sentences.ts';
import { z } from '../../../daemon/base/schema.ts';

const METER_SPEEDS = [300, 600, 1200, 2400, 4800, 9600, 19_200] as const;
const INITIAL_SPEEDS = [...METER_SPEEDS, 38_400, 57_600, 115_200] as const;
const MAXIMUM_RETRIES = 5;

/** Schema of the framing of meters by IEC 62056-21. */
export const meterFramingSchema = z.strictObject({
  type: z.literal('IEC62056_21').describe('Meters by IEC 62056-21: frames are messages and readouts'),
  mode: z
    .enum(['C', 'D'])
    .default('C')
    .describe(
      'C: the gateway requests each readout (modes A, B and C); D: the meter sends without a request',
    ),
  initialBaudRate: z
    .literal(INITIAL_SPEEDS)
    .default(300)
    .describe('Speed of the first messages, or of all in mode D, in bits per second'),
  maximumBaudRate: z
    .literal(METER_SPEEDS)
    .optional()
    .describe('Highest speed that is selected in mode C, in bits per second; default: what the meter offers'),
  characterFormat: z
    .enum(['7E1', '8N1'])
    .default('7E1')
    .describe('Data bits, parity and stop bits: 7, even and 1, or 8, none and 1'),
  requestCharacter: z
    .string()
    .regex(/^[!-~]$/, sayReason(createReason(SERIAL_FAULTS, 'EXPECTED_PRINTABLE', {})))
    .optional()
    .describe('Second character of the sign-on in mode C, where a meter has its own; default: ?'),
  wakeUp: z
    .boolean()
    .optional()
    .describe('Send NUL characters for 2.2 s before each sign-on in mode C, for meters with a battery'),
  retries: z
    .int()
    .min(0)
    .max(MAXIMUM_RETRIES)
    .default(1)
    .describe('Repetitions of a readout that was damaged'),
});

/** Framing of meters by IEC 62056-21. */
export type MeterFraming = Readonly<ReturnType<typeof meterFramingSchema.parse>>;

interface LineFormat {
  readonly framing: { readonly type: string };
  readonly baudRate: number;
  readonly dataBits: 7 | 8;
  readonly stopBits: 1 | 2;
  readonly parity: 'none' | 'even' | 'odd';
}

/**
 * Returns the settings of a line as its framing determines them: meters have a speed and a character format of their
 * own.
 */
export function applyMeterFraming<Config extends LineFormat>(config: Config): Config {
  const { framing } = config;
  if (!isMeterFraming(framing)) return config;
  const characters =
    framing.characterFormat === '7E1'
      ? ({ dataBits: 7, parity: 'even', stopBits: 1 } as const)
      : ({ dataBits: 8, parity: 'none', stopBits: 1 } as const);
  return { ...config, baudRate: framing.initialBaudRate, ...characters };
}

/** True for the framing of meters. */
export function isMeterFraming(framing: { readonly type: string }): framing is MeterFraming {
  return framing.type === 'IEC62056_21';
}

// What the line has without a setting.
const UNSET: Omit<LineFormat, 'framing'> = { baudRate: 9600, dataBits: 8, stopBits: 1, parity: 'none' };

/** Returns the settings that the framing of meters leaves without meaning, with the reason. */
export function findMeterConflicts(
  config: LineFormat,
): readonly (readonly [path: readonly string[], reason: FaultReason])[] {
  const { framing } = config;
  if (!isMeterFraming(framing)) return [];
  const faults = (['baudRate', 'dataBits', 'stopBits', 'parity'] as const)
    .filter((key) => config[key] !== UNSET[key])
    .map((key) => {
      const instead = key === 'baudRate' ? 'framing.initialBaudRate' : 'framing.characterFormat';
      return [[key], createReason(SERIAL_FAULTS, 'DETERMINED_BY_METERS', { instead })] as const;
    });
  if (framing.mode === 'C') return faults;
  const senseless = (['maximumBaudRate', 'requestCharacter', 'wakeUp'] as const).filter(
    (key) => framing[key] !== undefined,
  );
  const reason = createReason(SERIAL_FAULTS, 'NOT_IN_MODE_D', {});
  return [...faults, ...senseless.map((key) => [['framing', key], reason] as const)];
}
