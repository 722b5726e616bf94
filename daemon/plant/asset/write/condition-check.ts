import type { Fault } from '../../../base/schema.ts';
import { isReadable } from '../../../channel/channel.ts';
import type { Channel } from '../../../channel/channel.ts';
import { parseValue } from '../../../channel/value-json.ts';
import { isNumeric } from '../../../channel/value-type.ts';
import type { WriteCondition } from '../../../channel/write-terms.ts';

interface ConditionedAsset {
  readonly pid: string;
  readonly channels: readonly Channel[];
}

/**
 * Checks the conditions of writes against the channels that they name.
 *
 * @param assets all assets of the plant
 * @returns the errors; paths begin with `assets`
 */
export function findConditionFaults(assets: readonly ConditionedAsset[]): readonly Fault[] {
  const hasConditions = ({ write }: Channel): boolean => (write?.onlyIf ?? []).length > 0;
  if (!assets.some(({ channels }) => channels.some(hasConditions))) return [];
  const channelsOf = new Map(
    assets.map(({ pid, channels }) => [pid, new Map(channels.map((channel) => [channel.name, channel]))]),
  );
  return assets.flatMap(({ pid, channels }, assetIndex) =>
    channels.flatMap(({ write }, channelIndex) =>
      (write?.onlyIf ?? []).flatMap((condition, index): readonly Fault[] => {
        const { asset = pid } = condition;
        const fault = findFault({ ...condition, asset }, channelsOf.get(asset));
        if (fault === undefined) return [];
        const [field, message] = fault;
        const path = ['assets', assetIndex, 'channels', channelIndex, 'write', 'onlyIf', index, field];
        return [{ path, message }];
      }),
    ),
  );
}

/** Returns the invalid field and the reason. */
function findFault(
  { asset, channel: name, operator, value }: WriteCondition,
  channels: ReadonlyMap<string, Channel> | undefined,
): readonly [field: string, message: string] | undefined {
  if (channels === undefined) return ['asset', `unknown asset "${asset ?? ''}"`];
  const channel = channels.get(name);
  if (channel === undefined) return ['channel', `asset ${asset ?? ''} has no channel "${name}"`];
  if (!isReadable(channel)) return ['channel', `"${name}" can only be written`];
  const { valueType } = channel;
  if (parseValue(valueType, value) === undefined) return ['value', `${String(value)} is not a ${valueType}`];
  const isOrder = operator !== 'EQUALS' && operator !== 'NOT_EQUALS';
  return isOrder && !isNumeric(valueType)
    ? ['operator', `values of type ${valueType} have no order`]
    : undefined;
}
