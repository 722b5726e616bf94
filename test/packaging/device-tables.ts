/**
 * Registers as the manuals of the makers print them, typed from there and not from the templates: number, form, and a value that
 * the device would show.
 */

/** How the number that a manual prints becomes the address in a request. */
export type Numbering =
  /** The number is the address. */
  | 'ADDRESS'
  /** Registers count from 1: the address is one less. */
  | 'FROM_ONE'
  /** Registers count from 1 in ranges: 1 coils, 10001 discrete inputs, 30001 input registers, 40001 holding registers. */
  | 'IN_RANGES';

/** What a manual says about the registers of a value. */
export type Form =
  | 'bit'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int32, low word first'
  | 'int64'
  | 'uint64'
  | 'float'
  | 'double'
  | `text of ${number} registers`;

/** A channel, its number in the manual, its form, the value that the device shows, and how often its unit is in the register. */
export type TableRow = readonly [string, number, Form, number | string | boolean, number?];

/** The table of one device. */
export interface DeviceTable {
  readonly template: string;
  readonly numbering: Numbering;
  /** Where the numbers count, unless they say it themselves. */
  readonly kind: 'COILS' | 'INPUT_REGISTERS' | 'HOLDING_REGISTERS';
  readonly parameters?: Readonly<Record<string, number>>;
  /** Registers that hold an exponent of ten. */
  readonly scales?: readonly (readonly [number, number])[];
  readonly rows: readonly TableRow[];
  /** Rows whose numbers count in another kind of register. */
  readonly others?: { readonly kind: DeviceTable['kind']; readonly rows: readonly TableRow[] };
}

/** One table for each template that the gateway brings. */
export const DEVICE_TABLES: readonly DeviceTable[] = [
  {
    template: 'eastron-sdm630',
    numbering: 'IN_RANGES',
    kind: 'INPUT_REGISTERS',
    rows: [
      ['voltageL1', 30_001, 'float', 230.25],
      ['voltageL2', 30_003, 'float', 231.5],
      ['voltageL3', 30_005, 'float', 229.75],
      ['currentL1', 30_007, 'float', 5.5],
      ['currentL2', 30_009, 'float', 6.25],
      ['currentL3', 30_011, 'float', 7.125],
      ['activePowerL1', 30_013, 'float', 1200.5],
      ['activePowerL2', 30_015, 'float', -1300.25],
      ['activePowerL3', 30_017, 'float', 1400.75],
      ['powerFactorL1', 30_031, 'float', 0.9375],
      ['powerFactorL2', 30_033, 'float', -0.875],
      ['powerFactorL3', 30_035, 'float', 0.8125],
      ['activePower', 30_053, 'float', 3901.5],
      ['apparentPower', 30_057, 'float', 4100.25],
      ['reactivePower', 30_061, 'float', -350.5],
      ['powerFactor', 30_063, 'float', 0.953125],
      ['frequency', 30_071, 'float', 50.03125],
      ['activeEnergyImport', 30_073, 'float', 12_345.5],
      ['activeEnergyExport', 30_075, 'float', 234.25],
      ['activeEnergyTotal', 30_343, 'float', 12_579.75],
    ],
  },
  {
    template: 'siemens-pac4200',
    numbering: 'ADDRESS',
    kind: 'HOLDING_REGISTERS',
    rows: [
      ['voltageA', 1, 'float', 230.5],
      ['voltageB', 3, 'float', 231.25],
      ['voltageC', 5, 'float', 229.125],
      ['voltageAB', 7, 'float', 400.5],
      ['voltageBC', 9, 'float', 401.25],
      ['voltageCA', 11, 'float', 399.75],
      ['currentA', 13, 'float', 12.5],
      ['currentB', 15, 'float', 13.25],
      ['currentC', 17, 'float', 14.125],
      ['apparentPowerA', 19, 'float', 2900.5],
      ['apparentPowerB', 21, 'float', 3000.25],
      ['apparentPowerC', 23, 'float', 3100.125],
      ['activePowerA', 25, 'float', 2800.5],
      ['activePowerB', 27, 'float', -2810.25],
      ['activePowerC', 29, 'float', 2820.125],
      ['reactivePowerA', 31, 'float', 300.5],
      ['reactivePowerB', 33, 'float', 310.25],
      ['reactivePowerC', 35, 'float', 320.125],
      ['powerFactorA', 37, 'float', 0.96875],
      ['powerFactorB', 39, 'float', 0.9375],
      ['powerFactorC', 41, 'float', 0.90625],
      ['frequency', 55, 'float', 49.96875],
      ['activeEnergyImportT1', 801, 'double', 123_456_789.125],
      ['activeEnergyImportT2', 805, 'double', 23_456_789.25],
      ['activeEnergyExportT1', 809, 'double', 3_456_789.5],
      ['activeEnergyExportT2', 813, 'double', 456_789.75],
    ],
  },
  {
    template: 'schneider-iem3155',
    numbering: 'FROM_ONE',
    kind: 'HOLDING_REGISTERS',
    rows: [
      ['currentL1', 3000, 'float', 10.5],
      ['currentL2', 3002, 'float', 11.25],
      ['currentL3', 3004, 'float', 12.125],
      ['voltageL1', 3028, 'float', 230.5],
      ['voltageL2', 3030, 'float', 231.25],
      ['voltageL3', 3032, 'float', 232.125],
      ['activePowerL1', 3054, 'float', 2.25],
      ['activePowerL2', 3056, 'float', 2.5],
      ['activePowerL3', 3058, 'float', -2.75],
      ['activePower', 3060, 'float', 2.125],
      ['reactivePower', 3068, 'float', 0.375],
      ['apparentPower', 3076, 'float', 2.1875],
      ['frequency', 3110, 'float', 50.0625],
      ['activeEnergyImport', 3204, 'int64', 5_123_456_789],
      ['activeEnergyExport', 3208, 'int64', 4_987_654],
    ],
  },
  {
    template: 'carlo-gavazzi-em340',
    numbering: 'IN_RANGES',
    kind: 'INPUT_REGISTERS',
    rows: [
      ['voltageL1', 30_001, 'int32, low word first', 230.1, 10],
      ['voltageL2', 30_003, 'int32, low word first', 231.2, 10],
      ['voltageL3', 30_005, 'int32, low word first', 232.3, 10],
      ['currentL1', 30_013, 'int32, low word first', 66.001, 1000],
      ['currentL2', 30_015, 'int32, low word first', -67.002, 1000],
      ['currentL3', 30_017, 'int32, low word first', 68.003, 1000],
      ['activePowerL1', 30_019, 'int32, low word first', 15_000.1, 10],
      ['activePowerL2', 30_021, 'int32, low word first', -15_100.2, 10],
      ['activePowerL3', 30_023, 'int32, low word first', 15_200.3, 10],
      ['activePower', 30_041, 'int32, low word first', 15_100.2, 10],
      ['powerFactorL1', 30_047, 'int16', 0.991, 1000],
      ['powerFactorL2', 30_048, 'int16', -0.982, 1000],
      ['powerFactorL3', 30_049, 'int16', 0.973, 1000],
      ['powerFactor', 30_050, 'int16', 0.964, 1000],
      ['frequency', 30_052, 'int16', 49.9, 10],
      ['activeEnergyImport', 30_053, 'int32, low word first', 123_456.7, 10],
      ['activeEnergyImportL1', 30_065, 'int32, low word first', 41_000.1, 10],
      ['activeEnergyImportL2', 30_067, 'int32, low word first', 41_100.2, 10],
      ['activeEnergyImportL3', 30_069, 'int32, low word first', 41_356.4, 10],
      ['activeEnergyExport', 30_079, 'int32, low word first', 7890.1, 10],
    ],
  },
  {
    template: 'abb-b23',
    numbering: 'ADDRESS',
    kind: 'HOLDING_REGISTERS',
    rows: [
      ['activeEnergyImport', 0x5000, 'uint64', 98_765_432.12, 100],
      ['activeEnergyExport', 0x5004, 'uint64', 8_765_432.34, 100],
      ['reactiveEnergyImport', 0x500c, 'uint64', 765_432.56, 100],
      ['reactiveEnergyExport', 0x5010, 'uint64', 65_432.78, 100],
      ['voltageL1', 0x5b00, 'uint32', 230.1, 10],
      ['voltageL2', 0x5b02, 'uint32', 231.2, 10],
      ['voltageL3', 0x5b04, 'uint32', 232.3, 10],
      ['currentL1', 0x5b0c, 'uint32', 700.01, 100],
      ['currentL2', 0x5b0e, 'uint32', 11.02, 100],
      ['currentL3', 0x5b10, 'uint32', 12.03, 100],
      ['activePower', 0x5b14, 'int32', -12_345.67, 100],
      ['activePowerL1', 0x5b16, 'int32', 4000.01, 100],
      ['activePowerL2', 0x5b18, 'int32', -4100.02, 100],
      ['activePowerL3', 0x5b1a, 'int32', 4200.03, 100],
      ['frequency', 0x5b2c, 'uint16', 50.01, 100],
      ['powerFactor', 0x5b3a, 'int16', -0.987, 1000],
    ],
  },
  {
    template: 'janitza-umg-96rm-el',
    numbering: 'ADDRESS',
    kind: 'HOLDING_REGISTERS',
    rows: [
      ['voltageL1', 19_000, 'float', 230.5],
      ['voltageL2', 19_002, 'float', 231.25],
      ['voltageL3', 19_004, 'float', 232.125],
      ['voltageL1L2', 19_006, 'float', 400.5],
      ['voltageL2L3', 19_008, 'float', 401.25],
      ['voltageL3L1', 19_010, 'float', 402.125],
      ['currentL1', 19_012, 'float', 1.5],
      ['currentL2', 19_014, 'float', 2.25],
      ['currentL3', 19_016, 'float', 3.125],
      ['activePowerL1', 19_020, 'float', 300.5],
      ['activePowerL2', 19_022, 'float', -310.25],
      ['activePowerL3', 19_024, 'float', 320.125],
      ['activePower', 19_026, 'float', 310.375],
      ['apparentPowerL1', 19_028, 'float', 350.5],
      ['apparentPowerL2', 19_030, 'float', 360.25],
      ['apparentPowerL3', 19_032, 'float', 370.125],
      ['apparentPower', 19_034, 'float', 1080.875],
      ['reactivePowerL1', 19_036, 'float', 30.5],
      ['reactivePowerL2', 19_038, 'float', 31.25],
      ['reactivePowerL3', 19_040, 'float', -32.125],
      ['reactivePower', 19_042, 'float', 29.625],
      ['cosPhiL1', 19_044, 'float', 0.96875],
      ['cosPhiL2', 19_046, 'float', 0.9375],
      ['cosPhiL3', 19_048, 'float', 0.90625],
      ['frequency', 19_050, 'float', 49.9375],
      ['activeEnergy', 19_060, 'float', 7_654_321.5],
    ],
  },
  {
    // SunSpec counts all registers from 1 and has its mark in number 40001, which is address 40000 and no range of its own.
    template: 'fronius-gen24',
    numbering: 'FROM_ONE',
    kind: 'HOLDING_REGISTERS',
    rows: [
      ['manufacturer', 40_005, 'text of 16 registers', 'Fronius'],
      ['deviceModel', 40_021, 'text of 16 registers', 'Symo GEN24 10.0'],
      ['serialNumber', 40_053, 'text of 16 registers', '29301000987160033'],
      ['model', 40_070, 'uint16', 113],
      ['current', 40_072, 'float', 14.5],
      ['currentA', 40_074, 'float', 4.75],
      ['currentB', 40_076, 'float', 4.875],
      ['currentC', 40_078, 'float', 4.9375],
      ['voltageA', 40_086, 'float', 230.5],
      ['voltageB', 40_088, 'float', 231.25],
      ['voltageC', 40_090, 'float', 232.125],
      ['activePower', 40_092, 'float', 3300.5],
      ['frequency', 40_094, 'float', 50.0625],
      ['apparentPower', 40_096, 'float', 3310.25],
      ['reactivePower', 40_098, 'float', -110.125],
      ['powerFactor', 40_100, 'float', 99.5],
      ['energy', 40_102, 'float', 12_345_678],
      ['dcPower', 40_108, 'float', 3400.75],
    ],
  },
  {
    // The registers of the model alone, for any maker: here at the usual place behind the common block.
    template: 'sunspec-inverter-113',
    numbering: 'FROM_ONE',
    kind: 'HOLDING_REGISTERS',
    rows: [
      ['model', 40_070, 'uint16', 113],
      ['current', 40_072, 'float', 24.5],
      ['currentA', 40_074, 'float', 8.75],
      ['currentB', 40_076, 'float', 8.875],
      ['currentC', 40_078, 'float', 8.9375],
      ['voltageA', 40_086, 'float', 233.5],
      ['voltageB', 40_088, 'float', 234.25],
      ['voltageC', 40_090, 'float', 235.125],
      ['activePower', 40_092, 'float', 5300.5],
      ['frequency', 40_094, 'float', 49.9375],
      ['apparentPower', 40_096, 'float', 5310.25],
      ['reactivePower', 40_098, 'float', 210.125],
      ['powerFactor', 40_100, 'float', -98.5],
      ['energy', 40_102, 'float', 2_345_678],
      ['dcPower', 40_108, 'float', 5400.75],
    ],
  },
  {
    template: 'huawei-sun2000',
    numbering: 'ADDRESS',
    kind: 'HOLDING_REGISTERS',
    parameters: { strings: 3 },
    rows: [
      ['pvVoltage1', 32_016, 'int16', 600.1, 10],
      ['pvCurrent1', 32_017, 'int16', 8.01, 100],
      ['pvVoltage2', 32_018, 'int16', 610.2, 10],
      ['pvCurrent2', 32_019, 'int16', -8.12, 100],
      ['pvVoltage3', 32_020, 'int16', 620.3, 10],
      ['pvCurrent3', 32_021, 'int16', 8.23, 100],
      ['dcPower', 32_064, 'int32', 98.765, 1000],
      ['voltageA', 32_069, 'uint16', 230.4, 10],
      ['voltageB', 32_070, 'uint16', 231.5, 10],
      ['voltageC', 32_071, 'uint16', 232.6, 10],
      ['peakPowerToday', 32_078, 'int32', 99.876, 1000],
      ['activePower', 32_080, 'int32', -97.654, 1000],
      ['efficiency', 32_086, 'uint16', 98.76, 100],
      ['temperature', 32_087, 'int16', -12.3, 10],
      ['energyTotal', 32_106, 'uint32', 123_456.78, 100],
      ['energyToday', 32_114, 'uint32', 765.43, 100],
    ],
  },
  {
    template: 'stiebel-eltron-wpm',
    numbering: 'FROM_ONE',
    kind: 'INPUT_REGISTERS',
    rows: [
      ['outsideTemperature', 507, 'int16', -7.5, 10],
      ['heatingCircuit1Temperature', 508, 'int16', 33.1, 10],
      ['heatingCircuit1Setpoint', 510, 'int16', 34.2, 10],
      ['flowTemperature', 515, 'int16', 35.3, 10],
      ['returnTemperature', 516, 'int16', 29.4, 10],
      ['bufferTemperature', 518, 'int16', 36.5, 10],
      ['bufferSetpoint', 519, 'int16', 37.6, 10],
      ['heatingPressure', 520, 'int16', 1.87, 100],
      ['flowRate', 521, 'int16', 21.8, 10],
      ['hotWaterTemperature', 522, 'int16', 48.9, 10],
      ['hotWaterSetpoint', 523, 'int16', 50.1, 10],
    ],
    others: {
      kind: 'HOLDING_REGISTERS',
      rows: [
        ['operatingMode', 1501, 'uint16', 2],
        ['heatingComfortSetpoint', 1502, 'int16', 21.5, 10],
        ['heatingEcoSetpoint', 1503, 'int16', 18.5, 10],
        ['hotWaterComfortSetpoint', 1510, 'int16', 51.5, 10],
        ['hotWaterEcoSetpoint', 1511, 'int16', 45.5, 10],
      ],
    },
  },
  {
    template: 'lambda-eureka',
    numbering: 'ADDRESS',
    kind: 'HOLDING_REGISTERS',
    parameters: { heatPumps: 2, boilers: 1, buffers: 2 },
    rows: [
      ['outsideTemperature', 2, 'int16', -4.5, 10],
      ['activePower', 103, 'int16', 2150],
      ['flowTemperature1', 1004, 'int16', 35.12, 100],
      ['flowTemperature2', 1104, 'int16', 36.34, 100],
      ['boilerTopTemperature1', 2002, 'int16', 52.1, 10],
      ['boilerBottomTemperature1', 2003, 'int16', 44.2, 10],
      ['bufferTopTemperature1', 3002, 'int16', 37.3, 10],
      ['bufferBottomTemperature1', 3003, 'int16', 31.4, 10],
      ['bufferTopTemperature2', 3102, 'int16', 38.5, 10],
      ['bufferBottomTemperature2', 3103, 'int16', 32.6, 10],
    ],
  },
  {
    template: 'moxa-iologik-e1214',
    numbering: 'IN_RANGES',
    kind: 'INPUT_REGISTERS',
    rows: [
      ['input0', 10_001, 'bit', true],
      ['input1', 10_002, 'bit', false],
      ['input2', 10_003, 'bit', false],
      ['input3', 10_004, 'bit', true],
      ['input4', 10_005, 'bit', true],
      ['input5', 10_006, 'bit', false],
      ['counter0', 30_017, 'uint32', 3_000_000_001],
      ['counter1', 30_019, 'uint32', 100_002],
      ['counter2', 30_021, 'uint32', 200_003],
      ['counter3', 30_023, 'uint32', 300_004],
      ['counter4', 30_025, 'uint32', 400_005],
      ['counter5', 30_027, 'uint32', 500_006],
      ['relays', 40_033, 'uint16', 0b10_1001],
    ],
  },
  {
    template: 'moxa-iologik-e1240',
    numbering: 'IN_RANGES',
    kind: 'INPUT_REGISTERS',
    rows: [
      ['raw0', 30_001, 'uint16', 65_001],
      ['raw1', 30_002, 'uint16', 2],
      ['raw2', 30_003, 'uint16', 3],
      ['raw3', 30_004, 'uint16', 4],
      ['raw4', 30_005, 'uint16', 5],
      ['raw5', 30_006, 'uint16', 6],
      ['raw6', 30_007, 'uint16', 7],
      ['raw7', 30_008, 'uint16', 8],
      ['value0', 30_009, 'float', 4.5],
      ['value1', 30_011, 'float', 5.25],
      ['value2', 30_013, 'float', 6.125],
      ['value3', 30_015, 'float', 7.5],
      ['value4', 30_017, 'float', 8.25],
      ['value5', 30_019, 'float', 9.125],
      ['value6', 30_021, 'float', 10.5],
      ['value7', 30_023, 'float', 11.25],
    ],
  },
  {
    template: 'danfoss-vlt-fc',
    numbering: 'FROM_ONE',
    kind: 'COILS',
    rows: [
      ['controlReady', 33, 'bit', true],
      ['driveReady', 34, 'bit', false],
      ['safetyClosed', 35, 'bit', true],
      ['alarm', 36, 'bit', false],
      ['warning', 40, 'bit', true],
      ['atReference', 41, 'bit', false],
      ['autoMode', 42, 'bit', false],
      ['inFrequencyRange', 43, 'bit', true],
      ['running', 44, 'bit', true],
      ['voltageWarning', 46, 'bit', false],
      ['currentLimit', 47, 'bit', true],
      ['thermalWarning', 48, 'bit', false],
    ],
    others: {
      kind: 'HOLDING_REGISTERS',
      rows: [
        ['statusWord', 50_200, 'uint16', 0x0f03],
        // 4000 hexadecimal is 100 %.
        ['actualValue', 50_210, 'int16', -50, 163.84],
      ],
    },
  },
  {
    template: 'example-heating',
    numbering: 'IN_RANGES',
    kind: 'INPUT_REGISTERS',
    rows: [
      ['flowTemperature', 30_001, 'int16', 55.5, 10],
      ['pressure', 30_003, 'float', 1.75],
      ['setpoint', 40_001, 'int16', 60.5, 10],
    ],
  },
];
