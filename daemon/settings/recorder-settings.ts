import { createIssue, createReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';
import { z } from '../base/schema.ts';

const MEBIBYTE = 2 ** 20;
const MAXIMUM_INTERVAL_MS = 86_400_000;

const pid = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'expected letters, digits, dots, hyphens and underscores, at most 64',
  )
  .describe('Persistent identifier');

/** Section `recording`: what journal and history may use of the disk. */
export const recordingSchema = z.strictObject({
  maximumBytes: z
    .int()
    .min(16 * MEBIBYTE)
    .max(2 ** 40)
    .default(1024 * MEBIBYTE)
    .describe('Maximum size of journal and history together; the oldest samples go first'),
  maximumAgeDays: z.int().min(1).max(3650).default(30).describe('Days after which samples are deleted'),
  reservedBytes: z
    .int()
    .min(0)
    .max(2 ** 40)
    .default(256 * MEBIBYTE)
    .describe('Free space of the disk below which recording stops'),
});
export type RecordingSettings = Readonly<z.infer<typeof recordingSchema>>;

const recordedAsset = z.strictObject({
  asset: z.string().min(1).max(255).describe('Pid of the asset'),
  channels: z
    .array(z.string().min(1).max(255))
    .min(1)
    .optional()
    .describe('Names of the channels; absent: every enabled, readable one'),
});

const recorder = z
  .strictObject({
    pid,
    intervalMs: z
      .int()
      .min(100)
      .max(MAXIMUM_INTERVAL_MS)
      .optional()
      .describe('Milliseconds between two samples of a channel; excludes onChange'),
    onChange: z.literal(true).optional().describe('Records a sample for each change of a channel'),
    deadband: z
      .number()
      .min(0)
      .optional()
      .describe('With onChange: maximum change of a number that is not recorded, in the unit of the channel'),
    minimumIntervalMs: z
      .int()
      .min(100)
      .max(MAXIMUM_INTERVAL_MS)
      .optional()
      .describe('With onChange: minimum time between two samples of a channel; default: 1000'),
    assets: z.array(recordedAsset).min(1).describe('What is recorded'),
  })
  .superRefine(({ intervalMs, onChange, deadband, minimumIntervalMs, assets }, context) => {
    const refuse = (key: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [key], message });
    if (intervalMs === undefined && onChange === undefined)
      refuse('intervalMs', 'either intervalMs or onChange: true is required');
    if (intervalMs !== undefined && onChange !== undefined)
      refuse('onChange', 'not allowed together with intervalMs');
    if (onChange === undefined && deadband !== undefined) refuse('deadband', 'needs onChange: true');
    if (onChange === undefined && minimumIntervalMs !== undefined)
      refuse('minimumIntervalMs', 'needs onChange: true');
    for (const [index, { asset }] of assets.entries()) {
      if (assets.findIndex((each) => each.asset === asset) === index) continue;
      context.addIssue({
        code: 'custom',
        path: ['assets', index, 'asset'],
        message: `"${asset}" is used twice`,
      });
    }
  });

/** Section `recorders`: which channels are recorded, and how often. */
export const recordersSchema = z
  .array(recorder)
  .max(1000)
  .superRefine((recorders, context) => {
    for (const [index, each] of recorders.entries()) {
      if (recorders.findIndex((other) => other.pid === each.pid) === index) continue;
      context.addIssue(
        createIssue([index, 'pid'], createReason(BASE_FAULTS, 'USED_TWICE', { name: each.pid })),
      );
    }
  })
  .default([]);
export type RecorderSettings = z.infer<typeof recorder>;
