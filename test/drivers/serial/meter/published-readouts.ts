import type { ValueType } from '../../../../daemon/channel/value-type.ts';

/** A readout as users of the meter published it, in part, with what its channels show. */
export interface PublishedReadout {
  readonly meter: string;
  /** Where it was published. */
  readonly source: string;
  readonly identification: string;
  readonly lines: readonly string[];
  readonly values: readonly (readonly [address: object, valueType: ValueType, value: unknown])[];
}

/** Readouts of meters of several manufacturers. */
export const READOUTS: readonly PublishedReadout[] = [
  {
    meter: 'Landis+Gyr ZMD405',
    source: 'github.com/pwitab/iec62056-21, issue 16',
    identification: '/LGZ5\\2ZMD4054459.B40',
    lines: [
      'F.F(00000000)',
      '0.9.1(23:16:43)',
      '0.9.2(21-01-04)',
      '0.0.0()',
      'C.1.0(54800102)',
      '0.1.0(04)',
      '0.1.0*12(21-01-01 00:00)',
      '0.1.0&12(20-12-30 16:02)',
      '1.8.1(0302.8260*kWh)',
      '1.8.1*12(0075.5341*kWh)',
      '1.8.1&12(0000.0000*kWh)',
      '1.8.1*00(0000.0000*kWh)',
      '1.8.1*00(0000.0000*kWh)',
      '1.8.0(0302.8260*kWh)',
      '1.8.0*12(0075.5341*kWh)',
      '5.8.1(0064.3714*kvarh)',
    ],
    values: [
      [{ obis: '1.8.0' }, 'DOUBLE', 302.826],
      [{ obis: '1-0:1.8.0*255', unit: 'Wh' }, 'DOUBLE', 302_826],
      [{ obis: '1.8.1*12' }, 'DOUBLE', 75.5341],
      [{ obis: '5.8.1', unit: 'varh' }, 'DOUBLE', 64_371.4],
      [{ obis: 'C.1.0' }, 'STRING', '54800102'],
      [{ obis: '0-0:96.1.0' }, 'LONG', 54_800_102],
      [{ obis: '0.9.1' }, 'STRING', '23:16:43'],
      [{ obis: '0.0.0' }, 'STRING', ''],
      [{ obis: '0.0.0' }, 'DOUBLE', 'SERIAL_INVALID_RESPONSE'],
      [{ obis: '5.8.1', unit: 'kWh' }, 'DOUBLE', 'SERIAL_INVALID_RESPONSE'],
      [{ obis: '2.8.0' }, 'DOUBLE', 'SERIAL_OBIS_NOT_FOUND'],
    ],
  },
  {
    meter: 'Landis+Gyr ZMD120',
    source: 'github.com/volkszaehler/vzlogger, tests/mocks/MeterD0.cpp',
    identification: '/LGZ52ZMD120APt.G03',
    lines: [
      'F.F(00000000)',
      '0.0.0( 20000)',
      '1.8.1(001846.0*kWh)',
      '2.8.1(004329.6*kWh)',
      '1.8.0(001846.0*kWh)',
    ],
    values: [
      [{ obis: '0.0.0' }, 'INTEGER', 20_000],
      [{ obis: '1.8.1', unit: 'MWh' }, 'DOUBLE', 1.846],
      [{ obis: '2.8.1' }, 'DOUBLE', 4329.6],
    ],
  },
  {
    meter: 'Elster AS3000',
    source: 'wiki.volkszaehler.org, elster_as3000',
    identification: '/ELS5\\@V10.04',
    lines: [
      '0.0.1(09080744)',
      '1.8.1(00002288.481*kWh)',
      '1.8.1*02(00002229.372)',
      '1.8.1*01(00002141.229)',
      '1.8.2(00003161.943*kWh)',
      '1.8.0(00005450.425*kWh)',
      '2.8.0(00000000.010*kWh)',
      '16.7.0(2.171*kW)',
      '0.9.2(16-03-22)',
      '1.2.1(0125.89*kW)',
      '1.6.1(09.48*kW)(16-03-14,18:45)',
      '1.6.1*02(09.59)(16-02-29,18:00)',
      '0.2.0(06BD)',
      'C.71(02)',
      'F.F.1(00000000)',
      'F.F(00000000)',
    ],
    values: [
      [{ obis: '1.8.0' }, 'DOUBLE', 5450.425],
      [{ obis: '16.7.0', unit: 'W' }, 'DOUBLE', 2171],
      [{ obis: '1.8.1*2', unit: 'Wh' }, 'DOUBLE', 2_229_372],
      [{ obis: '1.6.1' }, 'FLOAT', 9.48],
      [{ obis: '1.6.1', position: 1 }, 'STRING', '16-03-14,18:45'],
      [{ obis: '1.6.1', position: 2 }, 'STRING', 'SERIAL_INVALID_RESPONSE'],
      [{ obis: '0.2.0' }, 'STRING', '06BD'],
      [{ obis: '0.2.0' }, 'INTEGER', 'SERIAL_INVALID_RESPONSE'],
      [{ obis: 'C.71' }, 'INTEGER', 2],
      [{ obis: 'F.F' }, 'STRING', '00000000'],
    ],
  },
  {
    meter: 'Iskraemeco MT372',
    source: 'forum.arduino.cc, topic 116767: no asterisk before the unit',
    identification: '/ISK5\\2MT372-3107',
    lines: ['1.8.0(01936.631kWh)', '2.8.0(01716.519kWh)', '0.9.1(184300)', '0.9.2(130512)'],
    values: [
      [{ obis: '1.8.0' }, 'DOUBLE', 1936.631],
      [{ obis: '2.8.0', unit: 'Wh' }, 'LONG', 1_716_519],
      [{ obis: '0.9.1' }, 'STRING', '184300'],
    ],
  },
  {
    meter: 'EMH LZQJ',
    source: 'comments of a public reader of service table 4 of an LZQJ',
    identification: '/EMH4\\@01LZQJL0014F',
    lines: ['0.0.0(05296170)', '43.25(0.006*kvar)', '0.9.1(1185411)', '13.25(0.83*P/S)', 'C.7.2(0003)'],
    values: [
      [{ obis: '43.25', unit: 'var' }, 'DOUBLE', 6],
      [{ obis: '13.25' }, 'DOUBLE', 0.83],
      [{ obis: '0.9.1' }, 'STRING', '1185411'],
      [{ obis: '0.0.0' }, 'LONG', 5_296_170],
    ],
  },
];

/** A heat meter with a battery, which has a sign-on of its own and mode B. */
export const HEAT_METER: PublishedReadout = {
  meter: 'Landis+Gyr T550 (UH50)',
  source: 'tests of public readers of the UH50, with the wake-up and sign-on that they send',
  identification: '/LUGCUH50',
  lines: [
    '6.8(0001.015*MWh)6.26(00036.23*m3)9.21(71708961)',
    '6.26*01(00000.00*m3)6.8*01(0000.000*MWh)',
    'F(0)9.20(71708961)6.35(60*m)',
    '6.6(0008.9*kW)6.6*01(0000.0*kW)6.33(000.312*m3ph)9.4(077.6*C&069.0*C)',
    '6.31(0001545*h)6.32(0000000*h)9.22(R)9.6(000&71708961&0&000&71708961&0)',
    '6.8.1()6.8.2()6.8.3()6.8.4()6.8.5()',
    '6.36.5()6.36*02(01&00:00)9.36(2022-12-25&01:23:39)9.24(0.6*m3ph)',
  ],
  values: [
    [{ obis: '6.8', unit: 'kWh' }, 'DOUBLE', 1015],
    [{ obis: '6.26' }, 'DOUBLE', 36.23],
    [{ obis: '6.8*01' }, 'DOUBLE', 0],
    [{ obis: '6.33' }, 'FLOAT', 0.312],
    [{ obis: '9.4' }, 'STRING', '077.6*C&069.0*C'],
    [{ obis: 'F' }, 'INTEGER', 0],
    [{ obis: '9.36' }, 'STRING', '2022-12-25&01:23:39'],
    [{ obis: '9.21' }, 'STRING', '71708961'],
  ],
};

/** Telegrams of meters that send without a request (mode D), as users published them. */
export const SENT_TELEGRAMS: readonly PublishedReadout[] = [
  {
    meter: 'EasyMeter Q3D',
    source: 'EasyMeter Q3D manual, page 20, and listings of its users',
    identification: '/ESY5Q3DA1024 V3.03',
    lines: [
      '1-0:0.0.0*255(112940679)',
      '1-0:1.8.0*255(00001013.0368091*kWh)',
      '1-0:2.8.0*255(00000376.0128508*kWh)',
      '1-0:21.7.255*255(000046.04*W)',
      '1-0:1.7.255*255(000247.37*W)',
      '1-0:96.5.5*255(82)',
      '0-0:96.1.255*255(1ESY1233002534)',
    ],
    values: [
      [{ obis: '1.8.0' }, 'DOUBLE', 1013.036_809_1],
      [{ obis: '1-0:21.7.255*255', unit: 'kW' }, 'DOUBLE', 0.046_04],
      [{ obis: '1-0:96.5.5' }, 'STRING', '82'],
      [{ obis: '96.1.255' }, 'STRING', '1ESY1233002534'],
    ],
  },
  {
    meter: 'Iskraemeco ME382 with a gas meter',
    source: 'github.com/nrocco/smeterd, README',
    identification: '/ISk5\\2ME382-1004',
    lines: [
      '1-0:1.8.1(00331.476*kWh)',
      '1-0:1.8.2(00199.339*kWh)',
      '1-0:1.7.0(0000.13*kW)',
      '0-0:96.13.1()',
      '0-1:24.1.0(3)',
      '0-1:24.3.0(130504210000)(00)(60)(1)(0-1:24.2.1)(m3)',
      '(00749.123)',
      '0-1:24.4.0(1)',
    ],
    values: [
      [{ obis: '1.8.1' }, 'DOUBLE', 331.476],
      [{ obis: '1-0:1.7.0', unit: 'W' }, 'DOUBLE', 130],
      [{ obis: '0-1:24.3.0', position: 6 }, 'DOUBLE', 749.123],
      [{ obis: '24.4.0' }, 'INTEGER', 1],
    ],
  },
];

/** Returns the data message of a readout: STX, lines, ETX and the block check character. */
export function createDataMessage(lines: readonly string[]): Buffer {
  const block = Buffer.from(`${lines.map((line) => `${line}\r\n`).join('')}!\r\n\x03`, 'latin1');
  return Buffer.from([2, ...block, block.reduce((sum, byte) => sum ^ byte, 0)]);
}
