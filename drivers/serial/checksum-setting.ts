import { createIssue, createReason, sayReason } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { SERIAL_FAULTS } from './sentences/fault-sentences.ts';
import { z } from '../../daemon/base/schema.ts';
import { TextFault } from '../binary/text-encoding.ts';
import { parseByteText } from './byte-text.ts';

const MAXIMUM_OFFSET = 65_535;
const MAXIMUM_TEXT_BYTES = 16;
const MAXIMUM_TRAILING = 16;
const MAXIMUM_RETRIES = 5;

const markSchema = z.string().superRefine((text, context) => {
  const reason = findMarkFault(text);
  if (reason !== undefined) context.addIssue(createIssue([], reason));
});

const places = {
  form: z
    .enum(['BINARY', 'HEX'])
    .default('BINARY')
    .describe('Form of the checksum: bytes, or hexadecimal digits as text'),
  from: z
    .int()
    .min(0)
    .max(MAXIMUM_OFFSET)
    .optional()
    .describe('Bytes at the beginning of the frame that the checksum does not cover; default: none'),
  after: markSchema
    .optional()
    .describe('Text after whose first occurrence the covered bytes begin, instead of `from`'),
  separator: markSchema
    .optional()
    .describe('Text between the covered bytes and the checksum, not covered itself'),
  trailing: z
    .int()
    .min(0)
    .max(MAXIMUM_TRAILING)
    .default(0)
    .describe('Bytes between the checksum and the end of the frame'),
  afterDelimiter: z
    .boolean()
    .default(false)
    .describe('The checksum follows the delimiter of the framing and covers it'),
  retries: z
    .int()
    .min(0)
    .max(MAXIMUM_RETRIES)
    .default(1)
    .describe('Repetitions of a read request after a damaged answer'),
};

const createCyclic = <Kind extends 'CRC8' | 'CRC16'>(kind: Kind, description: string, maximum: number) => ({
  kind: z.literal(kind).describe(description),
  polynomial: z
    .int()
    .min(1)
    .max(maximum)
    .refine(
      (polynomial) => polynomial % 2 === 1,
      sayReason(createReason(SERIAL_FAULTS, 'EXPECTED_ODD_POLYNOMIAL', {})),
    )
    .describe('Generator polynomial without its highest power, highest power first'),
  initial: z.int().min(0).max(maximum).default(0).describe('Initial value of the register'),
  reflect: z
    .boolean()
    .default(false)
    .describe('Bytes are processed lowest bit first, as most serial lines do'),
  xorOut: z.int().min(0).max(maximum).default(0).describe('Value that is combined with the result by XOR'),
});

/** Schema of the checksum of the frames of a line. */
export const checksumSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('XOR').describe('All covered bytes combined by XOR (BCC)'), ...places }),
    z.strictObject({ kind: z.literal('SUM').describe('Sum of the covered bytes modulo 256'), ...places }),
    z.strictObject({
      kind: z.literal('TWOS_COMPLEMENT').describe('Negated sum of the covered bytes modulo 256 (LRC)'),
      ...places,
    }),
    z.strictObject({ ...createCyclic('CRC8', 'Cyclic redundancy check of 8 bits', 0xff), ...places }),
    z.strictObject({
      ...createCyclic('CRC16', 'Cyclic redundancy check of 16 bits', 0xffff),
      byteOrder: z
        .enum(['BIG_ENDIAN', 'LITTLE_ENDIAN'])
        .default('BIG_ENDIAN')
        .describe('Order of the two bytes of the checksum'),
      ...places,
    }),
  ])
  .superRefine((setting, context) => {
    for (const [field, reason] of findPlaceFaults(setting)) context.addIssue(createIssue([field], reason));
  });

/** Checksum of the frames of a line. */
export type ChecksumSetting = Readonly<z.infer<typeof checksumSchema>>;

interface LineFormat {
  readonly checksum?: ChecksumSetting | undefined;
  readonly dataBits: 7 | 8;
  readonly framing: { readonly type: string; readonly length?: number };
}

/**
 * Returns the conflicts of a checksum with the line that transmits it, by the field of the checksum; the empty field is
 * the checksum itself.
 */
export function findChecksumConflicts({
  checksum,
  dataBits,
  framing,
}: LineFormat): readonly (readonly [field: string, reason: FaultReason])[] {
  if (checksum === undefined) return [];
  const { kind, form, from = 0, afterDelimiter, trailing } = checksum;
  const faults: (readonly [string, FaultReason])[] = [];
  if (framing.type === 'IEC62056_21') {
    faults.push(['', createReason(SERIAL_FAULTS, 'CHECKSUM_OF_METERS', {})]);
  }
  if (afterDelimiter && framing.type !== 'delimiter') {
    faults.push([
      'afterDelimiter',
      createReason(SERIAL_FAULTS, 'FRAMING_WITHOUT_DELIMITER', { framing: framing.type }),
    ]);
  }
  if (dataBits === 7 && form === 'BINARY' && (kind === 'CRC8' || kind === 'CRC16')) {
    faults.push(['form', createReason(SERIAL_FAULTS, 'CHECKSUM_OF_SEVEN_BITS', { checksum: kind })]);
  }
  const needed = from + checksumBytes(checksum) + trailing;
  if (framing.type === 'fixedLength' && framing.length !== undefined && needed > framing.length) {
    faults.push(['from', createReason(SERIAL_FAULTS, 'FRAME_TOO_SHORT', { length: framing.length })]);
  }
  return faults;
}

/** Returns the number of bytes that a checksum takes in a frame. */
export function checksumBytes({ kind, form }: Pick<ChecksumSetting, 'kind' | 'form'>): number {
  return (kind === 'CRC16' ? 2 : 1) * (form === 'HEX' ? 2 : 1);
}

function findPlaceFaults(setting: ChecksumSetting): readonly (readonly [string, FaultReason])[] {
  const { from, after, separator, trailing, afterDelimiter } = setting;
  const faults: (readonly [string, FaultReason])[] = [];
  if (from !== undefined && after !== undefined) {
    faults.push(['after', createReason(SERIAL_FAULTS, 'AFTER_WITH_FROM', {})]);
  }
  if (!afterDelimiter) return faults;
  const reason = createReason(SERIAL_FAULTS, 'NOT_AFTER_DELIMITER', {});
  if (separator !== undefined) faults.push(['separator', reason]);
  if (trailing !== 0) faults.push(['trailing', reason]);
  return faults;
}

function findMarkFault(text: string): FaultReason | undefined {
  try {
    const { length } = parseByteText(text, 'ascii');
    return length > 0 && length <= MAXIMUM_TEXT_BYTES
      ? undefined
      : createReason(SERIAL_FAULTS, 'EXPECTED_BYTES_WITHIN', { bound: MAXIMUM_TEXT_BYTES });
  } catch (error) {
    if (error instanceof TextFault) return error.reason;
    throw error;
  }
}
