import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import type { EncodedValue } from '../value/encoded-value.ts';
import type { ModbusAddress } from '../modbus-address.ts';
import type { RequestSettings } from '../modbus-config.ts';

/** Rules for writing the value of a channel. */
export interface WriteRules extends Pick<
  RequestSettings,
  'writeFunction' | 'bitWrite' | 'joinWrites' | 'splitValues'
> {
  /** Maximum registers of one request. */
  readonly maximumRegisters: number;
  /** Maximum coils of one request. */
  readonly maximumBits: number;
}

/** Returns the rules of a channel: those of its unit unless its address overrides them. */
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

/** Returns the reason why the rules forbid a value; undefined if they allow it. */
export function findRuleFault(value: EncodedValue, rules: WriteRules): ChannelFailure | undefined {
  if ((value.kind === 'BIT' || value.kind === 'FIELD') && rules.bitWrite === 'REFUSE') {
    const message = `writing single bits of registers is not allowed for unit ${value.unitId} (bitWrite: REFUSE)`;
    return { code: 'MODBUS_BIT_WRITE_REFUSED', message };
  }
  if (value.kind === 'FIELD' && value.mask.length > 2) return findFieldFault(value, rules);
  if (rules.splitValues) return undefined;
  if (value.kind === 'REGISTERS') {
    return findLengthFault(value, rules, { quantity: value.registers.length / 2, entries: 'registers' });
  }
  if (value.kind === 'COILS') {
    return findLengthFault(value, rules, { quantity: value.states.length, entries: 'coils' });
  }
  return undefined;
}

// A mask write changes one register, and two of them would leave a mixture for a moment.
function findFieldFault({ unitId }: EncodedValue, rules: WriteRules): ChannelFailure | undefined {
  if (rules.bitWrite === 'MASK') {
    const message = `bits of two registers cannot be written by one mask write to unit ${unitId} (bitWrite: MASK)`;
    return { code: 'MODBUS_BIT_WRITE_REFUSED', message };
  }
  if (rules.maximumRegisters > 1) return undefined;
  const message = `the bits are in 2 registers, but a write to unit ${unitId} carries one`;
  return { code: 'MODBUS_VALUE_TOO_LONG', message };
}

function findLengthFault(
  { unitId }: EncodedValue,
  { writeFunction, maximumRegisters, maximumBits }: WriteRules,
  { quantity, entries }: { readonly quantity: number; readonly entries: 'registers' | 'coils' },
): ChannelFailure | undefined {
  const maximum = entries === 'coils' ? maximumBits : maximumRegisters;
  if (quantity <= maximum) return undefined;
  const limit =
    writeFunction === 'SINGLE'
      ? `function code ${entries === 'coils' ? 5 : 6} writes one (writeFunction: SINGLE)`
      : `a write to unit ${unitId} carries at most ${maximum}`;
  return {
    code: 'MODBUS_VALUE_TOO_LONG',
    message: `the value needs ${quantity} ${entries}, but ${limit}; splitValues: true sends it in parts`,
  };
}
