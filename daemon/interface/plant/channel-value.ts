import { JsonNumber } from '../../base/text/json-number.ts';
import { z } from '../../base/schema.ts';

/** The schema of a number in a body, which is parsed with every digit: a whole number beyond 53 bits is a bigint. */
export const jsonNumber = z
  .custom<number | bigint>()
  .check(({ value, issues }) => {
    if (typeof value === 'number' || typeof value === 'bigint') return;
    issues.push({ code: 'invalid_type', expected: 'number', input: value });
  })
  .meta({ type: 'number' });

/** The schema of a number in a value; in a body whose numbers keep their text it is one of those. */
const valueNumber = z
  .custom<number | bigint | JsonNumber>()
  .check(({ value, issues }) => {
    if (typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber) return;
    issues.push({ code: 'invalid_type', expected: 'number', input: value });
  })
  .meta({ type: 'number' });

/** The schema of a value, by the type of its channel. */
export const channelValue = z
  .xor([
    z
      .string()
      .describe('STRING; BYTE_ARRAY in base64; "NaN", "Infinity" and "-Infinity" of FLOAT and DOUBLE'),
    valueNumber.meta({
      type: 'number',
      description: 'INTEGER and LONG, whole numbers of 32 and 64 bits; FLOAT; DOUBLE',
    }),
    z.boolean().describe('BOOLEAN'),
  ])
  .meta({ id: 'ChannelValue', description: 'In the form of the type that "type" or "valueType" names' });

/** The schema of whether a value was read or written. */
export const channelStatus = z
  .strictObject({
    channelFlag: z.enum(['SUCCESS', 'FAILURE']),
    exceptionMessage: z.string().optional(),
  })
  .meta({ id: 'ChannelStatus' });
