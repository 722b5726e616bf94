import { z } from '../base/schema.ts';
import { VALUE_TYPES } from './value-type.ts';

/** Which way values travel, seen from the gateway. */
export const CHANNEL_TYPES = ['READ', 'WRITE', 'READ_WRITE'] as const;

/** In which arithmetic scale and offset are applied. */
export const SCALE_OFFSET_TYPES = ['DEFINED_BY_VALUE_TYPE', 'DOUBLE', 'LONG'] as const;

// `#`, `/`, `+` and `,` separate names elsewhere: in topics, in URLs and in lists of channels.
const CHANNEL_NAME = /^[^#/+,\s]+$/;

/**
 * The schema of one channel.
 *
 * @param address the schema of the driver's own address
 */
export function createChannelSchema<Address>(address: z.ZodType<Address>) {
  return z.strictObject({
    name: z
      .string()
      .max(255)
      .regex(CHANNEL_NAME, 'expected a name without white space and without the characters # / + ,')
      .describe('Name of the channel, unique within its asset'),
    type: z.enum(CHANNEL_TYPES).describe('Direction: READ, WRITE or READ_WRITE'),
    valueType: z.enum(VALUE_TYPES).describe('Type of the value at the REST interface'),
    scaleOffsetType: z
      .enum(SCALE_OFFSET_TYPES)
      .default('DEFINED_BY_VALUE_TYPE')
      .describe('Arithmetic in which scale and offset are applied'),
    valueScale: z
      .number()
      .refine((scale) => scale !== 0, 'expected a number other than 0')
      .default(1)
      .describe('Factor from the raw value to the value: raw × scale + offset'),
    valueOffset: z
      .number()
      .default(0)
      .describe('Summand from the raw value to the value: raw × scale + offset'),
    unit: z.string().min(1).max(64).optional().describe('Engineering unit, for people'),
    isEnabled: z.boolean().default(true).describe('A disabled channel is neither read nor written'),
    address,
  });
}

/** One value of a device under a name: direction, type, scaling, and where the driver finds it. */
export type Channel<Address = unknown> = Readonly<
  Omit<z.infer<ReturnType<typeof createChannelSchema<Address>>>, 'address'>
> & { readonly address: Address };

/** Whether values of the channel can be read. */
export function isReadable(channel: Channel): boolean {
  return channel.type !== 'WRITE';
}

/** Whether values can be written to the channel. */
export function isWritable(channel: Channel): boolean {
  return channel.type !== 'READ';
}
