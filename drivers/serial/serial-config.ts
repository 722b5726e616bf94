import { SERIAL_FAULTS } from './sentences/fault-sentences.ts';
import { createIssue, createReason, sayReason } from '../../daemon/base/fault-reason.ts';
import { BASE_FAULTS } from '../../daemon/base/fault-sentences.ts';
import { TARGET, z } from '../../daemon/base/schema.ts';
import { ENCODINGS } from '../binary/text-encoding.ts';
import { controlFields, findControlConflict, flowControl } from '../link/line-control.ts';
import { checksumSchema, findChecksumConflicts } from './checksum-setting.ts';
import { framingSchema, MAXIMUM_FRAME_BYTES } from './framing.ts';
import { findMeterConflicts } from './meter/meter-framing.ts';
import { patternSchema } from './pattern-schema.ts';

const TIMEOUT_LIMIT_MS = 600_000;

const fieldsSchema = z.strictObject({
  device: z
    .string()
    .max(4096)
    // oxlint-disable-next-line no-control-regex -- no path has one; written so for the validators of clients
    .regex(/^\/[^\x00]+$/, sayReason(createReason(BASE_FAULTS, 'EXPECTED_PATH', {})))
    .describe('Path of the serial line, preferably under /dev/serial/by-id')
    .meta(TARGET),
  baudRate: z.int().min(50).max(4_000_000).default(9600).describe('Bits per second'),
  dataBits: z.literal([7, 8]).default(8).describe('Data bits of a character'),
  stopBits: z.literal([1, 2]).default(1).describe('Stop bits of a character'),
  parity: z.enum(['none', 'even', 'odd']).default('none').describe('Parity bit of a character'),
  flowControl,
  ...controlFields,
  encoding: z.enum(ENCODINGS).default('ascii').describe('Character encoding of texts'),
  framing: framingSchema.describe('Framing of received bytes'),
  checksum: checksumSchema.optional().describe('Checksum of the frames; default: frames have none'),
  refuse: patternSchema
    .optional()
    .describe('Pattern of the responses with which the instrument refuses a request or write'),
  maximumFrameBytes: z
    .int()
    .min(1)
    .max(MAXIMUM_FRAME_BYTES)
    .default(4096)
    .describe('Maximum frame length in bytes; longer frames are discarded'),
  responseTimeoutMs: z
    .int()
    .min(1)
    .max(TIMEOUT_LIMIT_MS)
    .default(1000)
    .describe('Longest wait for one response or the next unrequested frame, in milliseconds'),
  delayBetweenRequestsMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe('Pause between a response and the next request, in milliseconds'),
});

/** Schema of the settings of one serial line. */
export const configSchema = fieldsSchema.superRefine((config, context) => {
  const conflict = findControlConflict(config);
  if (conflict !== undefined) context.addIssue(createIssue(['flowControl'], conflict));
  for (const [field, reason] of findChecksumConflicts(config))
    context.addIssue(createIssue(field === '' ? ['checksum'] : ['checksum', field], reason));
  for (const [path, reason] of findMeterConflicts(config)) context.addIssue(createIssue(path, reason));
  const { framing, maximumFrameBytes } = config;
  if (framing.type !== 'fixedLength' || framing.length <= maximumFrameBytes) return;
  const values = { length: framing.length, bound: maximumFrameBytes };
  context.addIssue(createIssue(['framing', 'length'], createReason(SERIAL_FAULTS, 'FRAME_TOO_LONG', values)));
});

/** Settings of one serial line, with defaults applied. */
export type SerialConfig = Readonly<z.infer<typeof fieldsSchema>>;
