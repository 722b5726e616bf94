import { isReadable, isWritable } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { NUMERIC_VALUE_TYPES } from '../../daemon/channel/value-type.ts';
import { toRawNumber } from '../../daemon/channel/raw-number.ts';
import type { RawNumberAt } from '../../daemon/channel/raw-number.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import { checkArrayScaling, listValueTypes } from '../binary/value-group.ts';
import { groupOf } from './binary-type.ts';
import type { Response, SerialAddress } from './serial-address.ts';

const TEXT_VALUE_TYPES: readonly ValueType[] = ['BOOLEAN', ...NUMERIC_VALUE_TYPES, 'STRING'];

/** An error in a channel and its path inside the channel. */
export interface ChannelFault {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Checks the address of a channel against its value type and direction.
 *
 * @returns the errors; empty if the driver can serve the channel
 */
export function checkChannel(channel: Channel<SerialAddress>): readonly ChannelFault[] {
  const { address, valueType } = channel;
  const { response, write, obis, unit } = address;
  const faults: ChannelFault[] = [];
  if (obis !== undefined) return checkMeterChannel(channel, unit);
  if (isReadable(channel) && response === undefined) {
    faults.push({ path: ['address', 'response'], message: 'is missing; required to read the channel' });
  }
  if (isWritable(channel) && write === undefined) {
    faults.push({ path: ['address', 'write'], message: 'is missing; required to write the channel' });
  }
  if (write !== undefined && valueType === 'BYTE_ARRAY') {
    const message = 'BYTE_ARRAY cannot be written; expected another value type, or type READ';
    faults.push({ path: ['valueType'], message });
  }
  if (response !== undefined && 'count' in response && response.count !== undefined) {
    faults.push(...checkArrayScaling(channel));
  }
  const possible = response === undefined ? undefined : valueTypesOf(response);
  if (possible?.includes(valueType) === false) {
    const message = `expected ${possible.join(', ')} for this response`;
    faults.push({ path: ['valueType'], message });
  }
  return faults;
}

/** Returns the raw number of a response; unknown for one that is read by pattern, or not at all. */
export function rawNumberOf({ response }: SerialAddress): RawNumberAt {
  if (response === undefined || 'pattern' in response) return undefined;
  return toRawNumber(response.dataType, groupOf(response.dataType) === 'DECIMAL');
}

function checkMeterChannel(
  channel: Channel<SerialAddress>,
  unit: string | undefined,
): readonly ChannelFault[] {
  const { valueType } = channel;
  const faults: ChannelFault[] = [];
  if (isWritable(channel)) {
    faults.push({ path: ['type'], message: 'expected READ: values of a readout cannot be written' });
  }
  if (!TEXT_VALUE_TYPES.includes(valueType)) {
    const message = `expected ${TEXT_VALUE_TYPES.join(', ')} for a value of a readout`;
    faults.push({ path: ['valueType'], message });
  }
  if (unit !== undefined && !NUMERIC_VALUE_TYPES.some((type) => type === valueType)) {
    faults.push({ path: ['address', 'unit'], message: `only numbers have a unit, not ${valueType}` });
  }
  return faults;
}

function valueTypesOf(response: Response): readonly ValueType[] {
  if ('pattern' in response) return TEXT_VALUE_TYPES;
  return listValueTypes(groupOf(response.dataType), response.count !== undefined);
}
