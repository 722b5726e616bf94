import { createFault, createReason } from '../../daemon/base/fault-reason.ts';
import { SERIAL_FAULTS } from './sentences/fault-sentences.ts';
import type { Fault } from '../../daemon/base/schema.ts';
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

/**
 * Checks the address of a channel against its value type and direction.
 *
 * @returns the errors; empty if the driver can serve the channel
 */
export function checkChannel(channel: Channel<SerialAddress>): readonly Fault[] {
  const { address, valueType } = channel;
  const { response, write, obis, unit } = address;
  const faults: Fault[] = [];
  if (obis !== undefined) return checkMeterChannel(channel, unit);
  if (isReadable(channel) && response === undefined) {
    faults.push(createFault(['address', 'response'], createReason(SERIAL_FAULTS, 'RESPONSE_MISSING', {})));
  }
  if (isWritable(channel) && write === undefined) {
    faults.push(createFault(['address', 'write'], createReason(SERIAL_FAULTS, 'WRITE_MISSING', {})));
  }
  if (write !== undefined && valueType === 'BYTE_ARRAY') {
    faults.push(createFault(['valueType'], createReason(SERIAL_FAULTS, 'BYTES_NOT_WRITABLE', {})));
  }
  if (response !== undefined && 'count' in response && response.count !== undefined) {
    faults.push(...checkArrayScaling(channel));
  }
  const possible = response === undefined ? undefined : valueTypesOf(response);
  if (possible?.includes(valueType) === false) {
    const reason = createReason(SERIAL_FAULTS, 'VALUE_TYPE_OF_RESPONSE', { valueTypes: possible });
    faults.push(createFault(['valueType'], reason));
  }
  return faults;
}

/** Returns the raw number of a response; unknown for one that is read by pattern, or not at all. */
export function rawNumberOf({ response }: SerialAddress): RawNumberAt {
  if (response === undefined || 'pattern' in response) return undefined;
  return toRawNumber(response.dataType, groupOf(response.dataType) === 'DECIMAL');
}

function checkMeterChannel(channel: Channel<SerialAddress>, unit: string | undefined): readonly Fault[] {
  const { valueType } = channel;
  const faults: Fault[] = [];
  if (isWritable(channel)) {
    faults.push(createFault(['type'], createReason(SERIAL_FAULTS, 'READOUT_NOT_WRITABLE', {})));
  }
  if (!TEXT_VALUE_TYPES.includes(valueType)) {
    const reason = createReason(SERIAL_FAULTS, 'VALUE_TYPE_OF_READOUT', { valueTypes: TEXT_VALUE_TYPES });
    faults.push(createFault(['valueType'], reason));
  }
  if (unit !== undefined && !NUMERIC_VALUE_TYPES.some((type) => type === valueType)) {
    faults.push(
      createFault(['address', 'unit'], createReason(SERIAL_FAULTS, 'UNIT_ONLY_OF_NUMBERS', { valueType })),
    );
  }
  return faults;
}

function valueTypesOf(response: Response): readonly ValueType[] {
  if ('pattern' in response) return TEXT_VALUE_TYPES;
  return listValueTypes(groupOf(response.dataType), response.count !== undefined);
}
