import { JsonNumber } from '../../base/text/json-number.ts';
import { z } from '../../base/schema.ts';

/** Schema of a number in a body that is parsed without loss of digits: an integer beyond 53 bits is a bigint. */
export const jsonNumber = z
  .custom<number | bigint>()
  .check(({ value, issues }) => {
    if (typeof value === 'number' || typeof value === 'bigint') return;
    issues.push({ code: 'invalid_type', expected: 'number', input: value });
  })
  .meta({ type: 'number' });

/** Schema of a number in a value; in a body with `keepsNumbers` it is a {@link JsonNumber}. */
const valueNumber = z
  .custom<number | bigint | JsonNumber>()
  .check(({ value, issues }) => {
    if (typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber) return;
    issues.push({ code: 'invalid_type', expected: 'number', input: value });
  })
  .meta({ type: 'number' });

/** Schema of a value; the form depends on the channel's value type. */
export const channelValue = z
  .xor([
    z
      .string()
      .describe('STRING; BYTE_ARRAY in base64; "NaN", "Infinity" and "-Infinity" for FLOAT and DOUBLE'),
    valueNumber.meta({
      type: 'number',
      description: 'INTEGER (32 bits) and LONG (64 bits); FLOAT; DOUBLE',
    }),
    z.boolean().describe('BOOLEAN'),
  ])
  .meta({ id: 'ChannelValue', description: 'Value in the form of its "type" or "valueType"' });

/** Schema of the success or failure of a read or write. */
export const channelStatus = z
  .strictObject({
    channelFlag: z.enum(['SUCCESS', 'FAILURE']),
    exceptionMessage: z.string().optional(),
  })
  .meta({ id: 'ChannelStatus' });
