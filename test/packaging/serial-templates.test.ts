import assert from 'node:assert/strict';
import path from 'node:path';

import { createChannelSchema } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { TemplateLibrary } from '../../daemon/plant/template/template-library.ts';
import { YamlReader } from '../../daemon/settings/yaml-reader.ts';
import { addressSchema } from '../../drivers/serial/serial-address.ts';
import type { SerialAddress } from '../../drivers/serial/serial-address.ts';
import { connectDriver, noDeadline } from '../support/serial-instrument-driver.ts';
import { openScriptedInstrument } from '../support/serial-instrument.ts';
import { openSerialPair } from '../support/serial-pair.ts';
import { testsThatNeed } from '../support/tests-that-need.ts';
import { writeValues } from '../support/write-values.ts';

const { test } = testsThatNeed('socat');

const library = new TemplateLibrary({
  directories: [path.resolve(import.meta.dirname, '../../packaging/templates')],
  listPackagedFiles: () => Promise.resolve([]),
  yaml: new YamlReader(),
});

interface Transcript {
  readonly template: string;
  /** Sent without a request. */
  readonly sent?: string;
  /** Requests, in their order, with the answer of the instrument. */
  readonly answers?: readonly (readonly [request: string, answer: string])[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly writes?: readonly (readonly [
    channel: string,
    value: number | boolean,
    request: string,
    answer: string,
    code: string | undefined,
  ])[];
}

/** What instruments say by the documents that the templates name. */
const TRANSCRIPTS: readonly Transcript[] = [
  {
    template: 'nmea-0183-gnss',
    sent:
      '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n' +
      '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n',
    values: {
      latitudeDegrees: 48,
      latitudeMinutes: 7.038,
      latitudeHemisphere: 'N',
      longitudeDegrees: 11,
      longitudeMinutes: 31,
      longitudeHemisphere: 'E',
      fixQuality: 1,
      satellites: 8,
      altitude: 545.4,
      speed: 22.4,
      course: 84.4,
    },
  },
  {
    template: 'nmea-0183-weather',
    sent: [
      'WIMWV,214.8,R,0.7,M,A',
      'WIMDA,29.9870,I,1.0155,B,-23.9,C,,,36.8,,8.3,C,170.1,T,158.0,M,0.2,N,0.1,M',
    ]
      .map((body) => {
        const sum = Array.from(body).reduce((total, letter) => total ^ (letter.codePointAt(0) ?? 0), 0);
        return `$${body}*${sum.toString(16).toUpperCase().padStart(2, '0')}\r\n`;
      })
      .join(''),
    values: {
      windAngle: 214.8,
      windSpeed: 0.7,
      pressure: 1.0155,
      airTemperature: -23.9,
      relativeHumidity: 36.8,
      dewPoint: 8.3,
    },
  },
  {
    template: 'mt-sics-scale',
    answers: [
      ['SI\r\n', 'S D     100.05 g\r\n'],
      ['TA\r\n', 'TA A      10.00 g\r\n'],
      ['I4\r\n', 'I4 A "0123456789"\r\n'],
    ],
    values: { weight: 100.05, stability: 'D', tareWeight: 10, serialNumber: '0123456789' },
    writes: [
      ['tareWeight', 12.5, 'TA 12.5 g\r\n', 'TA A      12.50 g\r\n', undefined],
      ['tareWeight', -1, 'TA -1 g\r\n', 'TA L\r\n', 'SERIAL_REFUSED'],
      ['tare', true, 'TI\r\n', 'TI S     100.05 g\r\n', undefined],
      ['zero', true, 'ZI\r\n', 'ZI +\r\n', 'SERIAL_REFUSED'],
      ['zero', true, 'ZI\r\n', 'ES\r\n', 'SERIAL_REFUSED'],
    ],
  },
  {
    template: 'scpi-power-supply',
    answers: [
      ['*IDN?\n', 'EXAMPLE,PS100,0001,1.2\r\n'],
      ['MEAS:VOLT?\n', '+4.99870000E+00\n'],
      ['MEAS:CURR?\n', '1.25\r\n'],
      ['VOLT?\n', '+5.00000000E+00\n'],
      ['CURR?\n', '2.000\n'],
      ['OUTP?\n', '1\n'],
      ['SYST:ERR?\n', '-113,"Undefined header"\n'],
    ],
    values: {
      identification: 'EXAMPLE,PS100,0001,1.2',
      voltage: 4.9987,
      current: 1.25,
      voltageSetpoint: 5,
      currentLimit: 2,
      output: true,
      errorNumber: -113,
      errorText: 'Undefined header',
    },
    writes: [
      ['voltageSetpoint', 3.3, 'VOLT 3.3;*OPC?\n', '1\n', undefined],
      ['output', false, 'OUTP 0;*OPC?\n', '+1\r\n', undefined],
    ],
  },
  { template: 'barcode-scanner', sent: '4006381333931\r', values: { code: '4006381333931' } },
];

async function loadTemplate(name: string) {
  const { template, loaded } = await library.get(name);
  const { value = [] } = loaded.expand(name, {});
  const schema = createChannelSchema(addressSchema);
  const channels = value.map(({ channel }): Channel<SerialAddress> => schema.parse(channel));
  return { settings: template.driverSettings, channels };
}

for (const { template, sent, answers = [], values, writes = [] } of TRANSCRIPTS) {
  test(`the template ${template} reads and writes what its document says`, async () => {
    const { settings, channels } = await loadTemplate(template);
    await using pair = await openSerialPair();
    using instrument = await openScriptedInstrument(pair.instrument);
    await using line = await connectDriver(pair.gateway, { ...settings, responseTimeoutMs: 60_000 });
    const readable = channels.filter(({ type }) => type !== 'WRITE');
    assert.deepEqual(
      readable.map(({ name }) => name),
      Object.keys(values),
    );
    const reading = line.read(...readable);
    if (sent !== undefined) instrument.send(sent);
    for (const [request, answer] of answers) {
      await instrument.expect(request);
      instrument.send(answer);
    }
    const readings = await reading;
    assert.deepEqual(
      Object.fromEntries(
        readable.map(({ name }, index) => [name, readings[index]?.failure ?? readings[index]?.value]),
      ),
      values,
    );
    assert.equal(line.driver.counters()['requests'], answers.length);
    for (const [name, value, request, answer, code] of writes) {
      const channel = channels.find((each) => each.name === name) ?? assert.fail(name);
      const writing = writeValues(line.driver, [{ channel, value }], noDeadline());
      await instrument.expect(request);
      instrument.send(answer);
      assert.equal((await writing)[0]?.failure?.code, code, `${name} ${String(value)}`);
    }
  });
}
