import type { Item } from './imported.ts';
import { withoutGaps, scaleFields } from './imported.ts';
import { convertModbusAddress } from './kura-modbus.ts';
import { convertOpcuaAddress } from './kura-opcua.ts';
import type { KuraProperties } from './kura-properties.ts';

/** Properties of channels of every driver, without the `+` that marks them in a snapshot. */
export const GENERAL_PROPERTIES: readonly string[] = [
  'enabled',
  'name',
  'type',
  'value.type',
  'scaleoffset.type',
  'scale',
  'offset',
  'unit',
  'listen',
];

/** Drivers of Kura that have a counterpart here. */
export type KuraDriver = 'modbus' | 'opcua';

/**
 * Converts a channel, all but its name.
 *
 * @param properties general ones begin with `+`
 * @param remark is told what was taken over in another form
 * @throws {UnsupportedEntry}
 */
export function convertKuraChannel(
  driver: KuraDriver,
  properties: KuraProperties,
  remark: (reason: string) => void,
): Item {
  const arithmetic = properties.take('+scaleoffset.type');
  const valueType = properties.take('+value.type');
  const scale = properties.takeNumber('+scale') ?? 1;
  const offset = properties.takeNumber('+offset') ?? 0;
  const isNumber = valueType !== undefined && /^(?:INTEGER|LONG|FLOAT|DOUBLE)$/.test(valueType);
  const isScaled = scale !== 1 || offset !== 0;
  const item = {
    type: properties.take('+type')?.replace('READ/WRITE', 'READ_WRITE'),
    valueType,
    scaleOffsetType: arithmetic === 'DEFINED_BY_VALUE_TYPE' || !isNumber ? undefined : arithmetic,
    ...(isNumber ? scaleFields(scale, offset) : {}),
    unit: properties.take('+unit'),
    isEnabled: properties.take('+enabled')?.toLowerCase() === 'false' ? false : undefined,
    address: driver === 'modbus' ? convertModbusAddress(properties, remark) : convertOpcuaAddress(properties),
  };
  if (!isNumber && isScaled) remark(`scale and offset do not change values of ${valueType ?? 'no type'}`);
  // The name was read before; to every channel one can listen.
  for (const name of ['+name', '+listen']) properties.take(name);
  for (const name of properties.listRest()) remark(`${name} has no counterpart`);
  return withoutGaps(item);
}

/** Returns whether writes to a channel are scaled here and were not in Kura. */
export function isScaledWrite({ type, valueScale, valueOffset }: Item): boolean {
  return type !== 'READ' && (valueScale !== undefined || valueOffset !== undefined);
}

/** Explains the setting that keeps writes as Kura sends them. */
export const UNSCALED_WRITES = 'has scaleOnWrite: false, because Kura writes values without scale and offset';

/** Settings without which clients that were written for Kura may stop at a member of a record. */
export const SETTINGS_FOR_KURA_CLIENTS = { recordDetails: false } as const;
