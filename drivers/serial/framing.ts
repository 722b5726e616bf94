import { createIssue, createReason } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { BASE_FAULTS } from '../../daemon/base/fault-sentences.ts';
import { z } from '../../daemon/base/schema.ts';
import { TextFault } from '../binary/text-encoding.ts';
import { parseByteText } from './byte-text.ts';
import { meterFramingSchema } from './meter/meter-framing.ts';

/** Maximum configurable frame length. */
export const MAXIMUM_FRAME_BYTES = 65_536;
const MAXIMUM_DELIMITER_BYTES = 16;
const LENGTH_FIELD_SIZES = [1, 2, 4] as const;

/** Schema of the framing of a line. */
export const framingSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('delimiter').describe('A delimiter ends each frame and is not part of it'),
    delimiter: z
      .string()
      .min(1)
      .superRefine((delimiter, context) => {
        const reason = findDelimiterFault(delimiter);
        if (reason !== undefined) context.addIssue(createIssue([], reason));
      })
      .describe('The delimiter, with escapes such as \\r\\n, or hex:0d 0a'),
  }),
  z.strictObject({
    type: z.literal('fixedLength').describe('All frames have the same length'),
    length: z.int().min(1).max(MAXIMUM_FRAME_BYTES).describe('Length of a frame in bytes'),
  }),
  z.strictObject({
    type: z.literal('idleGap').describe('Silence on the line ends a frame'),
    gapMs: z.int().min(1).max(10_000).describe('Silence that ends a frame, in milliseconds'),
  }),
  z.strictObject({
    type: z.literal('lengthField').describe('A field in each frame contains its length'),
    offset: z.int().min(0).max(255).describe('Bytes before the length field'),
    size: z.literal(LENGTH_FIELD_SIZES).describe('Bytes of the length field'),
    byteOrder: z
      .enum(['BIG_ENDIAN', 'LITTLE_ENDIAN'])
      .default('BIG_ENDIAN')
      .describe('Byte order of the length field'),
    adjustment: z
      .int()
      .min(-255)
      .max(255)
      .default(0)
      .describe('Added to the field to get the number of following bytes, for example for a checksum'),
  }),
  meterFramingSchema,
]);

/** Framing of a line. */
export type Framing = Readonly<z.infer<typeof framingSchema>>;

function findDelimiterFault(delimiter: string): FaultReason | undefined {
  try {
    const { length } = parseByteText(delimiter, 'ascii');
    return length <= MAXIMUM_DELIMITER_BYTES
      ? undefined
      : createReason(BASE_FAULTS, 'EXPECTED_AT_MOST_BYTES', { bound: MAXIMUM_DELIMITER_BYTES });
  } catch (error) {
    if (error instanceof TextFault) return error.reason;
    throw error;
  }
}
