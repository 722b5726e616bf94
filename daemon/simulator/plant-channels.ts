import type { ModbusAddress, Table } from '../../drivers/modbus/modbus-address.ts';
import type { PlantInputs, PlantValues } from './plant-model.ts';

/** A value of the plant: its channel as in the configuration, and its source. */
export interface PlantChannel {
  readonly channel: {
    readonly name: string;
    readonly type: 'READ' | 'READ_WRITE';
    readonly valueType: 'BOOLEAN' | 'FLOAT' | 'INTEGER' | 'LONG' | 'STRING';
    readonly valueScale?: number;
    readonly unit?: string;
    readonly address: Partial<ModbusAddress> & Pick<ModbusAddress, 'unitId' | 'table' | 'offset'>;
  };
  /** Returns the raw value, as in the registers. */
  readonly read: (values: PlantValues) => boolean | number | bigint | string;
  /** Returns the input that a raw value sets; absent: the value cannot be set. */
  readonly toInput?: (raw: number) => Partial<PlantInputs>;
}

/** An asset of the demonstration: one unit of the plant. */
export interface PlantAsset {
  readonly pid: string;
  readonly channels: readonly PlantChannel[];
}

const BOILER = 1;
const METER = 2;

/** Unit identifiers of the plant on a Modbus line. */
export const PLANT_UNIT_IDS: readonly number[] = [BOILER, METER];

const TENTHS = { valueType: 'FLOAT', valueScale: 0.1 } as const;
const CELSIUS = { ...TENTHS, unit: 'degC' };

const toTenths = (value: number): number => Math.round(value * 10);

// The meter sends the low word first, as many do.
const meterNumber = (offset: number, dataType: 'INT32' | 'FLOAT32') =>
  ({ ...input(METER, offset), dataType, wordOrder: 'LITTLE_ENDIAN' }) as const;

const boiler: PlantAsset = {
  pid: 'boiler',
  channels: [
    {
      channel: {
        name: 'setpoint',
        type: 'READ_WRITE',
        ...CELSIUS,
        address: { unitId: BOILER, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'INT16' },
      },
      read: ({ setpoint }) => toTenths(setpoint),
      toInput: (raw) => ({ setpoint: toSigned(raw) / 10 }),
    },
    {
      channel: {
        name: 'pump',
        type: 'READ_WRITE',
        valueType: 'BOOLEAN',
        address: { unitId: BOILER, table: 'COILS', offset: 0 },
      },
      read: ({ isPumpOn }) => isPumpOn,
      toInput: (raw) => ({ isPumpOn: raw !== 0 }),
    },
    {
      channel: {
        name: 'burner',
        type: 'READ',
        valueType: 'BOOLEAN',
        address: { unitId: BOILER, table: 'DISCRETE_INPUTS', offset: 0 },
      },
      read: ({ isBurnerOn }) => isBurnerOn,
    },
    {
      channel: {
        name: 'flowTemperature',
        type: 'READ',
        ...CELSIUS,
        address: { ...input(BOILER, 0), dataType: 'INT16' },
      },
      read: ({ flowTemperature }) => toTenths(flowTemperature),
    },
    {
      channel: {
        name: 'returnTemperature',
        type: 'READ',
        ...CELSIUS,
        address: { ...input(BOILER, 1), dataType: 'INT16' },
      },
      read: ({ returnTemperature }) => toTenths(returnTemperature),
    },
    {
      channel: {
        name: 'pressure',
        type: 'READ',
        valueType: 'FLOAT',
        unit: 'bar',
        address: { ...input(BOILER, 2), dataType: 'FLOAT32' },
      },
      read: ({ pressure }) => Math.round(pressure * 1000) / 1000,
    },
    {
      channel: {
        name: 'pumpSpeed',
        type: 'READ',
        valueType: 'INTEGER',
        unit: '1/min',
        address: { ...input(BOILER, 4), dataType: 'UINT16' },
      },
      read: ({ pumpSpeed }) => pumpSpeed,
    },
    {
      channel: {
        name: 'energy',
        type: 'READ',
        valueType: 'LONG',
        unit: 'Wh',
        address: { ...input(BOILER, 5), dataType: 'INT64' },
      },
      read: ({ energyWattHours }) => energyWattHours,
    },
    {
      channel: {
        name: 'operatingHours',
        type: 'READ',
        valueType: 'LONG',
        unit: 'h',
        address: { ...input(BOILER, 9), dataType: 'UINT32' },
      },
      read: ({ operatingHours }) => operatingHours,
    },
    {
      channel: {
        name: 'tooHot',
        type: 'READ',
        valueType: 'BOOLEAN',
        address: { ...input(BOILER, 11), dataType: 'BOOLEAN', bit: 0 },
      },
      read: ({ isTooHot }) => isTooHot,
    },
    {
      channel: {
        name: 'pumpStanding',
        type: 'READ',
        valueType: 'BOOLEAN',
        address: { ...input(BOILER, 11), dataType: 'BOOLEAN', bit: 1 },
      },
      read: ({ isPumpStanding }) => isPumpStanding,
    },
    {
      channel: {
        name: 'deviceName',
        type: 'READ',
        valueType: 'STRING',
        address: { ...input(BOILER, 12), dataType: 'STRING', length: 16 },
      },
      read: () => 'Boiler house 1',
    },
  ],
};

const meter: PlantAsset = {
  pid: 'meter',
  channels: [
    {
      channel: {
        name: 'heatPower',
        type: 'READ',
        valueType: 'INTEGER',
        unit: 'W',
        address: meterNumber(0, 'INT32'),
      },
      read: ({ heatPowerWatts }) => Math.round(heatPowerWatts),
    },
    {
      channel: {
        name: 'volumeFlow',
        type: 'READ',
        valueType: 'FLOAT',
        unit: 'm3/h',
        address: meterNumber(2, 'FLOAT32'),
      },
      read: ({ volumeFlow }) => Math.round(volumeFlow * 1000) / 1000,
    },
  ],
};

/** All values of the simulated plant, by unit. */
export const PLANT_ASSETS: readonly PlantAsset[] = [boiler, meter];

function input(
  unitId: number,
  offset: number,
): { readonly unitId: number; readonly table: Table; readonly offset: number } {
  return { unitId, table: 'INPUT_REGISTERS', offset };
}

function toSigned(register: number): number {
  return register > 0x7fff ? register - 0x1_0000 : register;
}
