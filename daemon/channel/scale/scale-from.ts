import { createIssue, createReason } from '../../base/fault-reason.ts';
import { CHANNEL_FAULTS } from '../fault-sentences.ts';
import { z } from '../../base/schema.ts';

/** Meaning of the value of a scale channel: an exponent of ten, or a factor. */
export const SCALE_KINDS = ['EXPONENT', 'FACTOR'] as const;

/** A factor without rounding error: digits × 10^exponent. */
export interface DecimalFactor {
  readonly digits: number;
  readonly exponent: number;
}

/**
 * Creates the schema of a scale that the device itself provides.
 *
 * @param address the schema of the driver's own address
 */
export function createScaleFromSchema<Address>(address: z.ZodType<Address>) {
  return z
    .strictObject({
      channel: z
        .string()
        .max(255)
        .optional()
        .describe('Name of the channel of the same asset that contains the scale'),
      address: address.optional().describe('Address of the scale, if it is no channel'),
      kind: z
        .enum(SCALE_KINDS)
        .default('EXPONENT')
        .describe('Meaning of the scale: EXPONENT of ten, raw × 10^scale, or FACTOR, raw × scale'),
    })
    .superRefine((scale, context) => {
      if ((scale.channel === undefined) !== (scale.address === undefined)) return;
      context.addIssue(createIssue([], createReason(CHANNEL_FAULTS, 'EXPECTED_CHANNEL_OR_ADDRESS', {})));
    });
}
