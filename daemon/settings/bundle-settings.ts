import { SETTINGS_FAULTS } from './fault-sentences.ts';
import { createIssue, createReason, sayReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';
import { z } from '../base/schema.ts';

/** Maximum number of bundles with settings. */
const MAXIMUM_BUNDLES = 200;

const bundle = z.strictObject({
  pid: z
    .string()
    .max(200)
    .regex(
      /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/,
      sayReason(createReason(SETTINGS_FAULTS, 'EXPECTED_BUNDLE_NAME', {})),
    )
    .describe('Symbolic name of the bundle'),
  settings: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('As the package of the bundle describes them'),
});

/** Section `bundles`: the settings of bundles, whose packages describe them. */
export const bundlesSchema = z
  .array(bundle)
  .max(MAXIMUM_BUNDLES)
  .superRefine((bundles, context) => {
    const seen = new Set<string>();
    for (const [index, { pid }] of bundles.entries()) {
      if (seen.has(pid))
        context.addIssue(createIssue([index, 'pid'], createReason(BASE_FAULTS, 'USED_TWICE', { name: pid })));
      seen.add(pid);
    }
  })
  .default([]);
export type BundleSettingsItem = Readonly<z.infer<typeof bundle>>;
