import type { ChannelWrite } from '../asset/prepared-write.ts';
import { WriteEnding } from '../asset/write-ending.ts';
import type { Clock } from '../base/clock.ts';
import { InvalidRequest } from '../base/errors.ts';
import { parseValue } from '../channel/value-json.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { writeChannels } from '../interface/assets.ts';
import type { BodyOf } from '../interface/endpoint.ts';

type RequestedWrite = BodyOf<typeof writeChannels>['channels'][number];

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
export function toChannelWrite({ name, type, value, ifValue }: RequestedWrite, index: number): ChannelWrite {
  const write = { name, valueType: type, value: parseOrThrow({ name, type, value }, index) };
  return ifValue === undefined
    ? write
    : { ...write, ifValue: parseOrThrow({ name, type, value: ifValue }, index) };
}

function parseOrThrow({ name, type, value }: RequestedWrite, index: number): ChannelWrite['value'] {
  const parsed = parseValue(type, value);
  if (parsed !== undefined) return parsed;
  const shown = JSON.stringify(String(value).slice(0, 40));
  const detail = `channels[${index}]: the value ${shown} for channel "${name}" is no ${type}, or out of its range`;
  throw new InvalidRequest({ code: 'VALUE_UNPARSABLE', detail });
}
