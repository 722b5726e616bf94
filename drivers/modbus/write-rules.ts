import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import type { EncodedValue } from './encoded-value.ts';
import type { ModbusAddress } from './modbus-address.ts';
import type { RequestSettings } from './modbus-config.ts';

/** How the value of a channel may be written. */
export interface WriteRules extends Pick<
  RequestSettings,
  'writeFunction' | 'bitWrite' | 'joinWrites' | 'splitValues'
> {
  /** Most registers of one request. */
  readonly maximumRegisters: number;
  /** Most coils of one request. */
  readonly maximumBits: number;
}

/** Returns the rules for a channel: those of its unit, except what its address says itself. */
export function findWriteRules(address: ModbusAddress, settings: RequestSettings): WriteRules {
  const writeFunction = address.writeFunction ?? settings.writeFunction;
  const isSingle = writeFunction === 'SINGLE';
  return {
    writeFunction,
    joinWrites: address.joinWrites ?? settings.joinWrites,
    bitWrite: settings.bitWrite,
    splitValues: settings.splitValues,
    maximumRegisters: isSingle
      ? 1
      : Math.min(settings.maximumRegistersPerRequest, settings.maximumRegistersPerWrite),
    maximumBits: isSingle ? 1 : Math.min(settings.maximumBitsPerRequest, settings.maximumBitsPerWrite),
  };
}

/** Returns why a value cannot be sent under its rules; undefined when it can. */
export function findRuleFault(value: EncodedValue, rules: WriteRules): ChannelFailure | undefined {
  if (value.kind === 'BIT' && rules.bitWrite === 'REFUSE') {
    const message = `single bits of registers of unit ${value.unitId} are not written (bitWrite REFUSE)`;
    return { code: 'MODBUS_BIT_WRITE_REFUSED', message };
  }
  if (value.kind !== 'REGISTERS' || rules.splitValues) return undefined;
  const quantity = value.registers.length / 2;
  if (quantity <= rules.maximumRegisters) return undefined;
  const limit =
    rules.writeFunction === 'SINGLE'
      ? 'function code 6 writes one (writeFunction SINGLE)'
      : `a write to unit ${value.unitId} carries at most ${rules.maximumRegisters}`;
  return {
    code: 'MODBUS_VALUE_TOO_LONG',
    message: `the value takes ${quantity} registers, and ${limit}; with splitValues it is sent in parts`,
  };
}
