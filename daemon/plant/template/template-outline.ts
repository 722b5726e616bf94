import { createReason, sayReason } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { TEMPLATE_FAULTS } from './fault-sentences.ts';
import { HIDDEN_CHARACTER } from '../../base/text/plain-text.ts';
import { z } from '../../base/schema.ts';
import { PARAMETER_TYPES } from '../../interface/plant/templates.ts';

/** Template names are file names as well. */
export const TEMPLATE_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

// Names after `$` in a text; they start with a letter, so that `$1` stays an error.
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9]{0,62}$/;

/** Maximum channels of one asset from templates. */
export const MAXIMUM_CHANNELS = 5000;

function createText(maximumLength: number) {
  return z
    .string()
    .min(1)
    .max(maximumLength)
    .refine(
      (text) => !HIDDEN_CHARACTER.test(text),
      sayReason(createReason(BASE_FAULTS, 'EXPECTED_VISIBLE', {})),
    );
}

const nameSchema = z
  .string()
  .regex(TEMPLATE_NAME, sayReason(createReason(TEMPLATE_FAULTS, 'EXPECTED_TEMPLATE_NAME', {})));

const variableSchema = z
  .string()
  .regex(PARAMETER_NAME, sayReason(createReason(TEMPLATE_FAULTS, 'EXPECTED_VARIABLE_NAME', {})));

const scalarSchema = z.union([z.string().max(1000), z.number(), z.boolean()]);

/** One parameter of a template, as its file declares it. */
export const parameterSchema = z.strictObject({
  type: z.enum(PARAMETER_TYPES).describe('Type of the value'),
  default: scalarSchema.optional().describe('Default value; absent: each asset must set one'),
  minimum: z.number().optional().describe('Smallest number'),
  maximum: z.number().optional().describe('Largest number'),
  title: createText(64).optional().describe('Name in a form; default: the key'),
  description: createText(1000).describe('Meaning, and where to find the value on the device'),
});

/** The keys of a template, its channels aside. */
export const outlineSchema = z.strictObject({
  name: nameSchema.describe('Name of the template in assets; the file is NAME.yaml'),
  title: createText(128).describe('Device in one line'),
  manufacturer: createText(128).describe('Manufacturer of the device'),
  model: createText(256).describe('Models that the template supports'),
  source: createText(500).describe('Document and revision in which the manufacturer lists the addresses'),
  describes: z
    .union([createText(128), z.array(createText(128)).min(1).max(16)])
    .optional()
    .describe('Discovered devices that the template fits, for example SunSpec model 113'),
  driver: z.string().min(1).max(64).describe('Driver type that serves the channels'),
  driverSettings: z
    .record(variableSchema, z.union([scalarSchema, z.record(variableSchema, scalarSchema)]))
    .optional()
    .describe('Driver settings that the device needs, for example connectDelayMs'),
  parameters: z
    .record(variableSchema, parameterSchema)
    .default({})
    .describe('Values that differ between devices of this model, by name'),
  channels: z
    .array(z.unknown())
    .min(1)
    .max(MAXIMUM_CHANNELS)
    .describe('Channels, groups and other templates'),
});

const countSchema = z.union([z.int(), z.string()]);

/** A group that repeats its channels for each value of a counter. */
export const countedRepeatSchema = z.strictObject({
  index: variableSchema.describe('Name of the counter'),
  from: countSchema.default(1).describe('First value of the counter'),
  to: countSchema.describe('Last value of the counter; below the first: no repetition'),
});

/** A group that repeats its channels for each set of values. */
export const listedRepeatSchema = z.strictObject({
  each: z
    .array(z.record(variableSchema, scalarSchema))
    .min(1)
    .max(MAXIMUM_CHANNELS)
    .describe('Sets of values by name'),
});

/** Repeated channels. */
export const groupSchema = z.strictObject({
  repeat: z.unknown().describe('Counter, or list of values'),
  channels: z.array(z.unknown()).min(1).max(MAXIMUM_CHANNELS).describe('Items to repeat'),
});

/** An included template, in place of one channel. */
export const includeSchema = z.strictObject({
  template: nameSchema.describe('Name of the other template'),
  parameters: z.record(variableSchema, scalarSchema).default({}).describe('Parameters of the other template'),
});
