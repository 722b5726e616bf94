import type { FaultReason } from '../base/fault-reason.ts';
import { SETTINGS_FAULTS } from './fault-sentences.ts';
import { createIssue, createReason, sayReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';
import { z } from '../base/schema.ts';

const MEBIBYTE = 2 ** 20;
const MAXIMUM_INTERVAL_MS = 86_400_000;

const pid = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    sayReason(createReason(SETTINGS_FAULTS, 'EXPECTED_SERVICE_NAME', {})),
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
    const refuse = (key: string, reason: FaultReason): void => context.addIssue(createIssue([key], reason));
    if (intervalMs === undefined && onChange === undefined)
      refuse('intervalMs', createReason(SETTINGS_FAULTS, 'INTERVAL_OR_CHANGE_MISSING', {}));
    if (intervalMs !== undefined && onChange !== undefined)
      refuse('onChange', createReason(SETTINGS_FAULTS, 'NOT_WITH_INTERVAL', {}));
    if (onChange === undefined && deadband !== undefined)
      refuse('deadband', createReason(SETTINGS_FAULTS, 'ON_CHANGE_MISSING', {}));
    if (onChange === undefined && minimumIntervalMs !== undefined)
      refuse('minimumIntervalMs', createReason(SETTINGS_FAULTS, 'ON_CHANGE_MISSING', {}));
    for (const [index, { asset }] of assets.entries()) {
      if (assets.findIndex((each) => each.asset === asset) === index) continue;
      const repeated = createReason(BASE_FAULTS, 'USED_TWICE', { name: asset });
      context.addIssue(createIssue(['assets', index, 'asset'], repeated));
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
