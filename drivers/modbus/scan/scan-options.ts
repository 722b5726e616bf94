import { createIssue, createReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAULTS } from '../fault-sentences.ts';
import { z } from '../../../daemon/base/schema.ts';

const MAXIMUM_UNIT = 255;
const LIST = /^\d{1,3}(?:-\d{1,3})?(?:,\d{1,3}(?:-\d{1,3})?)*$/;

/** Schema of the options of a scan. */
export const optionsSchema = z.strictObject({
  units: z
    .string()
    .max(1000)
    .transform((text, context) => {
      const units = parseUnits(text);
      if (units !== undefined) return units;
      context.addIssue(createIssue([], createReason(MODBUS_FAULTS, 'EXPECTED_UNITS', {})));
      return z.NEVER;
    })
    .optional()
    .describe('Unit identifiers to scan; default: 1-10,255 over the network, 1-247 on a serial line'),
  ranges: z.boolean().default(true).describe('Search for address ranges that exist'),
  pauseMs: z
    .int()
    .min(0)
    .max(10_000)
    .default(20)
    .describe('Minimum pause after each response, in milliseconds; as long as the response took, if longer'),
  waitSeconds: z
    .int()
    .min(1)
    .max(3600)
    .default(60)
    .describe('Seconds to wait for devices that connect to a port of the gateway'),
});

/** Options of a scan, with defaults applied. */
export type ScanOptions = Readonly<z.infer<typeof optionsSchema>>;

/** Parses a list of unit identifiers without duplicates, in its order; undefined if it is invalid. */
function parseUnits(text: string): readonly number[] | undefined {
  if (!LIST.test(text)) return undefined;
  const units = text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return last > MAXIMUM_UNIT || last < first ? [-1] : listFrom(first, last);
  });
  return units.includes(-1) ? undefined : [...new Set(units)];
}

/** Returns the integers from `first` to `last`. */
export function listFrom(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
