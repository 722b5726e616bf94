import { createIssue, createReason, sayReason } from '../base/fault-reason.ts';
import { BASE_FAULTS } from '../base/fault-sentences.ts';
import { CHANNEL_FAULTS } from './fault-sentences.ts';
import { HIDDEN_CHARACTER } from '../base/text/plain-text.ts';
import { z } from '../base/schema.ts';
import { labelFields } from './label.ts';
import { findLabelFaults, labelsSchema } from './value-labels.ts';
import { notAvailableSchema } from './unavailable/not-available.ts';
import type { UnavailableValues } from './unavailable/not-available.ts';
import { createScaleFromSchema } from './scale/scale-from.ts';
import { findWriteTermsFaults, writeTermsSchema } from './write-terms.ts';
import { isNumeric, VALUE_TYPE_TABLE, VALUE_TYPES } from './value-type.ts';

/** Direction of values, seen from the gateway. */
export const CHANNEL_TYPES = ['READ', 'WRITE', 'READ_WRITE'] as const;

/** Arithmetic used to apply scale and offset. */
export const SCALE_OFFSET_TYPES = ['DEFINED_BY_VALUE_TYPE', 'DOUBLE', 'LONG'] as const;

// `#`, `/`, `+` and `,` separate names elsewhere: in topics, in URLs and in lists of channels. Clients get the pattern in
// the JSON Schema, so it uses only syntax of every dialect of patterns, which `\p{Cc}` is not.
// oxlint-disable-next-line no-control-regex -- control characters are what it excludes
export const NAME_PATTERN = /^[^#/+,\s\x00-\x1f\x7f-\x9f]+$/;

/**
 * The schema of one channel.
 *
 * @param address the schema of the driver's own address
 */
export function createChannelSchema<Address>(address: z.ZodType<Address>) {
  return createFieldsSchema(address).superRefine((channel, context) => {
    for (const { path, reason } of findWriteTermsFaults(channel))
      context.addIssue(createIssue(['write', ...path], reason));
    if (channel.scaleFrom !== undefined && !isNumeric(channel.valueType)) {
      const { valueType } = channel;
      const reason = createReason(CHANNEL_FAULTS, 'SCALE_OF_NO_NUMBER', { valueType });
      context.addIssue(createIssue(['scaleFrom'], reason));
    }
    for (const { path, reason } of findLabelFaults(channel))
      context.addIssue(createIssue(['labels', ...path], reason));
    if (!usesIntegerArithmetic(channel) || Math.trunc(channel.valueScale) !== 0) return;
    // Truncated to an integer the scale would be 0, and every value the same.
    const truncated = createReason(CHANNEL_FAULTS, 'SCALE_TRUNCATED', { scale: channel.valueScale });
    context.addIssue(createIssue(['valueScale'], truncated));
  });
}

function createFieldsSchema<Address>(address: z.ZodType<Address>) {
  return z.strictObject({
    name: z
      .string()
      .max(255)
      .regex(NAME_PATTERN, {
        ...sayReason(createReason(CHANNEL_FAULTS, 'EXPECTED_CHANNEL_NAME', {})),
        abort: true,
      })
      .refine(
        (name) => !HIDDEN_CHARACTER.test(name),
        sayReason(createReason(BASE_FAULTS, 'EXPECTED_VISIBLE', {})),
      )
      .describe('Name, unique within its asset, without white space, commas and the characters # / +'),
    type: z.enum(CHANNEL_TYPES).describe('Direction: READ, WRITE or READ_WRITE'),
    valueType: z.enum(VALUE_TYPES).describe('Value type in the REST API; INTEGER has 32 bits, LONG 64'),
    scaleOffsetType: z
      .enum(SCALE_OFFSET_TYPES)
      .default('DEFINED_BY_VALUE_TYPE')
      .describe('Arithmetic used to apply scale and offset'),
    valueScale: z
      .number()
      .refine((scale) => scale !== 0, sayReason(createReason(CHANNEL_FAULTS, 'EXPECTED_NOT_ZERO', {})))
      .default(1)
      .describe('Factor from the raw value to the value: raw × scale + offset; not 0'),
    valueOffset: z
      .number()
      .default(0)
      .describe('Summand from the raw value to the value: raw × scale + offset'),
    notAvailable: notAvailableSchema.optional(),
    scaleFrom: createScaleFromSchema(address)
      .optional()
      .describe('Scale that the device provides; multiplied by valueScale'),
    unit: z
      .string()
      .min(1)
      .max(64)
      .refine(
        (unit) => !HIDDEN_CHARACTER.test(unit),
        sayReason(createReason(BASE_FAULTS, 'EXPECTED_VISIBLE', {})),
      )
      .optional()
      .describe('Engineering unit, for display'),
    labels: labelsSchema.optional(),
    ...labelFields,
    write: writeTermsSchema.optional(),
    isEnabled: z.boolean().default(true).describe('A disabled channel is neither read nor written'),
    address,
  });
}

/** A named value of a device: direction, type, scaling and address. */
export type Channel<Address = unknown> = Readonly<
  Omit<z.infer<ReturnType<typeof createChannelSchema<Address>>>, 'address'>
> & {
  readonly address: Address;
  /** `notAvailable` in the data type of the address; see `resolveNotAvailable`. */
  readonly unavailable?: UnavailableValues | undefined;
  /** Channel of `scaleFrom`, as found when the asset was checked. */
  readonly scaleChannel?: Channel<Address> | undefined;
};

/** True if raw value, scale and offset are truncated to integers before they are combined. */
export function usesIntegerArithmetic({
  scaleOffsetType,
  valueType,
}: Pick<Channel, 'scaleOffsetType' | 'valueType'>): boolean {
  if (scaleOffsetType !== 'DEFINED_BY_VALUE_TYPE') return scaleOffsetType === 'LONG';
  return VALUE_TYPE_TABLE[valueType].arithmetic === 'INTEGER';
}

/** True if the channel is readable. */
export function isReadable(channel: Channel): boolean {
  return channel.type !== 'WRITE';
}

/** True if the channel is writable. */
export function isWritable(channel: Channel): boolean {
  return channel.type !== 'READ';
}
