import { MAXIMUM_WRITES } from '../asset/prepared-write.ts';
import type { ChannelWrite } from '../asset/prepared-write.ts';
import { WriteEnding } from '../asset/write-ending.ts';
import type { Clock } from '../base/clock.ts';
import { InvalidRequest } from '../base/errors.ts';
import { z } from '../base/schema.ts';
import { parseValue } from '../channel/value-json.ts';
import { VALUE_TYPES } from '../channel/value-type.ts';
import type { RequestContext } from '../http/request-context.ts';
import { channelValueSchema } from './channel-value-schema.ts';

/** Creates the schema of a list, which is counted first: one that is too long costs no look at its elements. */
export function boundedList<T extends z.ZodType>(element: T, maximum: number, what: string) {
  return z.preprocess((list: unknown, context) => {
    if (!Array.isArray(list) || list.length <= maximum) return list;
    context.addIssue(`expected at most ${maximum} ${what}`);
    return z.NEVER;
  }, z.array(element).max(maximum));
}

const channelWrite = z
  .object({
    name: z.string(),
    type: z.enum(VALUE_TYPES),
    value: channelValueSchema,
    ifValue: channelValueSchema
      .optional()
      .describe('The value that the channel has to hold for the write to be sent'),
  })
  .meta({ id: 'ChannelWrite' });
/** The schema of the body of a write; other members are ignored, as clients of Kura expect. */
export const writeRequest = z
  .object({ channels: boundedList(channelWrite, MAXIMUM_WRITES, 'elements') })
  .meta({ id: 'WriteRequest' });

/** Has a write end at its deadline, or when its client is gone; to be stopped when it is done. */
export function beginEnding(
  { response, startedAtMs }: Pick<RequestContext, 'response' | 'startedAtMs'>,
  clock: Clock,
  deadlineMs: number,
): WriteEnding {
  const ending = new WriteEnding(clock, deadlineMs, clock.monotonicMs() - startedAtMs);
  // It closes after the answer as well, when nothing is left to end.
  response.once('close', () => ending.leave());
  if (response.destroyed) ending.leave();
  return ending;
}

/**
 * Returns an element of a body as a write.
 *
 * @throws {InvalidRequest} `VALUE_UNPARSABLE` that names the channel
 */
export function toChannelWrite(
  { name, type, value, ifValue }: z.infer<typeof writeRequest>['channels'][number],
  index: number,
): ChannelWrite {
  const write = { name, valueType: type, value: parseOrThrow({ name, type, value }, index) };
  return ifValue === undefined
    ? write
    : { ...write, ifValue: parseOrThrow({ name, type, value: ifValue }, index) };
}

function parseOrThrow(
  { name, type, value }: z.infer<typeof channelWrite>,
  index: number,
): ChannelWrite['value'] {
  const parsed = parseValue(type, value);
  if (parsed !== undefined) return parsed;
  const shown = JSON.stringify(String(value).slice(0, 40));
  const detail = `channels[${index}]: the value ${shown} for channel "${name}" is no ${type}, or out of its range`;
  throw new InvalidRequest({ code: 'VALUE_UNPARSABLE', detail });
}
