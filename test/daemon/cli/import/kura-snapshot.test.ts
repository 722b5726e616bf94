import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CommandError } from '../../../../daemon/cli/command-error.ts';
import { convertKuraSnapshot } from '../../../../daemon/cli/import/kura-snapshot.ts';

type Properties = Readonly<Record<string, string>>;

/**
 * Writes a snapshot in the form of the examples in the documentation of eclipse-kura/kura
 * (docs/administration, "configuration.xml": esf:configurations, esf:configuration with a pid, esf:property with
 * name, type, array and encrypted).
 */
function writeSnapshot(components: Readonly<Record<string, Properties>>, encrypted = ''): string {
  const body = Object.entries(components).map(([pid, properties]) => {
    const list = Object.entries(properties).map(
      ([name, value]) =>
        `<esf:property array="false" encrypted="${name === encrypted}" name="${name}" type="String"><esf:value>${value}</esf:value></esf:property>`,
    );
    return `<esf:configuration pid="${pid}"><esf:properties>${list.join('\n')}</esf:properties></esf:configuration>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<esf:configurations xmlns:esf="http://eurotech.com/esf/2.0" xmlns:ocd="http://www.osgi.org/xmlns/metatype/v1.2.0">
${body.join('\n')}
</esf:configurations>`;
}

// Names and values of docs/kura-wires/usage-examples/modbus-application.md of eclipse-kura/kura, and of its
// ModbusOptions for serial lines.
const TCP = {
  'service.factoryPid': 'org.eclipse.kura.driver.modbus',
  'access.type': 'TCP',
  'modbus.tcp-udp.ip': '192.0.2.20',
  'modbus.tcp-udp.port': '502',
};

/** A channel as BaseAsset of eclipse-kura/kura keeps it: `name#+general` and `name#of.the.driver`. */
function writeChannel(name: string, own: Properties): Properties {
  const all = { '+enabled': 'true', '+name': name, '+type': 'READ', '+value.type': 'INTEGER', ...own };
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [`${name}#${key}`, value]));
}

const COIL = { '+value.type': 'BOOLEAN', 'unit.id': '1', 'primary.table': 'COILS', 'memory.address': '2049' };

test('convertKuraSnapshot takes over Modbus drivers and their assets', () => {
  const { drivers, assets, untaken } = convertKuraSnapshot(
    writeSnapshot({
      line1: TCP,
      boiler: {
        'service.factoryPid': 'org.eclipse.kura.wire.WireAsset',
        'driver.pid': 'line1',
        'asset.desc': 'Boiler &amp; pump',
        ...writeChannel('LED1', { ...COIL, '+type': 'READ_WRITE', '+listen': 'false' }),
        ...writeChannel('flow', {
          '+value.type': 'FLOAT',
          '+scale': '0.1',
          '+unit': 'm3/h',
          '+enabled': 'false',
          'unit.id': '7',
          'primary.table': 'INPUT_REGISTERS',
          'memory.address': '515',
          'data.type': 'INT16',
        }),
      },
    }),
  );
  assert.deepEqual(
    drivers.map(({ driver }) => driver),
    [{ pid: 'line1', type: 'modbus', host: '192.0.2.20', port: 502 }],
  );
  assert.deepEqual(
    assets.map(({ asset }) => asset),
    [{ pid: 'boiler', driver: 'line1', description: 'Boiler & pump' }],
  );
  assert.deepEqual(
    assets[0]?.channels.map(({ channel }) => channel),
    [
      {
        name: 'LED1',
        type: 'READ_WRITE',
        valueType: 'BOOLEAN',
        address: { unitId: 1, table: 'COILS', offset: 2049 },
      },
      {
        name: 'flow',
        type: 'READ',
        valueType: 'FLOAT',
        valueScale: 0.1,
        unit: 'm3/h',
        isEnabled: false,
        address: { unitId: 7, table: 'INPUT_REGISTERS', offset: 515, dataType: 'INT16' },
      },
    ],
  );
  assert.deepEqual(untaken, []);
});

test('convertKuraSnapshot takes over serial lines and OPC UA servers', () => {
  const { drivers, assets, untaken, remarks } = convertKuraSnapshot(
    writeSnapshot(
      {
        bus: {
          'service.factoryPid': 'org.eclipse.kura.driver.modbus',
          'access.type': 'RTU',
          'modbus.rtu.port.name': '/dev/ttyUSB0',
          'modbus.rtu.baudrate': '9600',
          'modbus.rtu.parity': 'EVEN_PARITY',
          'modbus.rtu.stopbits': 'ONE_STOP_BIT',
        },
        // Names of OpcUaDriverTest and OpcUaChannelDescriptor of eclipse-kura/kura.
        server: {
          'service.factoryPid': 'org.eclipse.kura.driver.opcua',
          'endpoint.ip': 'localhost',
          'endpoint.port': '12685',
          'server.name': 'opcsvr',
          'security.policy': '3',
          'keystore.password': 'SECRET-OF-KURA',
        },
        press: {
          'driver.pid': 'server',
          ...writeChannel('speed', {
            'node.id': 'drive.speed',
            'node.namespace.index': '2',
            'node.id.type': 'STRING',
            'opcua.type': 'INT32',
            attribute: 'Value',
          }),
          ...writeChannel('number', {
            'node.id': '85',
            'node.namespace.index': '0',
            'node.id.type': 'NUMERIC',
          }),
        },
      },
      'keystore.password',
    ),
  );
  assert.deepEqual(
    drivers.map(({ driver }) => driver),
    [
      {
        pid: 'bus',
        type: 'modbus',
        transport: 'rtu',
        device: '/dev/ttyUSB0',
        baudRate: 9600,
        parity: 'even',
        stopBits: 1,
      },
      {
        pid: 'server',
        type: 'opcua',
        endpointUrl: 'opc.tcp://localhost:12685/opcsvr',
        securityPolicy: 'Basic256Sha256',
      },
    ],
  );
  assert.deepEqual(
    assets[0]?.channels.map(({ channel }) => channel['address']),
    [{ nodeId: 'ns=2;s=drive.speed', dataType: 'Int32' }, { nodeId: 'ns=0;i=85' }],
  );
  assert.deepEqual(untaken, []);
  assert.ok(remarks.some(({ place, text }) => place === 'server' && text === 'keystore.password'));
  assert.ok(!JSON.stringify([drivers, remarks]).includes('SECRET-OF-KURA'));
});

test('convertKuraSnapshot converts a driver over UDP with its asset', () => {
  const { drivers, assets, untaken } = convertKuraSnapshot(
    writeSnapshot({
      meters: { ...TCP, 'access.type': 'UDP' },
      boiler: { 'driver.pid': 'meters', ...writeChannel('pump', COIL) },
    }),
  );
  assert.deepEqual(
    drivers.map(({ driver }) => driver),
    [{ pid: 'meters', type: 'modbus', transport: 'udp', host: '192.0.2.20', port: 502 }],
  );
  assert.deepEqual([assets.length, untaken], [1, []]);
});

test('convertKuraSnapshot lists every driver, asset, channel and component that it does not take over', () => {
  const { drivers, assets, untaken, remarks } = convertKuraSnapshot(
    writeSnapshot({
      'org.eclipse.kura.clock.ClockService': { enabled: 'true' },
      plc: { 'service.factoryPid': 'org.eclipse.kura.driver.s7plc' },
      press: { 'driver.pid': 'plc', ...writeChannel('speed', { 'area.no': '1' }) },
      bus: { ...TCP, 'access.type': 'CAN' },
      line1: TCP,
      boiler: {
        'driver.pid': 'line1',
        ...writeChannel('a b', COIL),
        ...writeChannel('a_b', COIL),
        ...writeChannel('far', { ...COIL, 'memory.address': 'far' }),
        ...writeChannel('text', {
          'primary.table': 'HOLDING_REGISTERS',
          'memory.address': '1',
          'data.type': 'STRING',
          'array.data.length': '8',
        }),
      },
    }),
  );
  assert.deepEqual(
    drivers.map(({ place }) => place),
    ['line1'],
  );
  assert.deepEqual(
    assets[0]?.channels.map(({ channel }) => [channel['name'], channel['displayName']]),
    [
      ['a_b_2', 'a b'],
      ['a_b', undefined],
    ],
  );
  assert.deepEqual(
    untaken.map(({ place }) => place),
    ['plc', 'bus', 'press', 'press/speed', 'boiler/far', 'boiler/text'],
  );
  assert.deepEqual(
    remarks.map(({ place }) => place),
    ['org.eclipse.kura.clock.ClockService', 'boiler/a b'],
  );
});

test('convertKuraSnapshot keeps writes as Kura sends them, without scale and offset', () => {
  const scaled = { ...COIL, 'primary.table': 'HOLDING_REGISTERS', 'data.type': 'INT16', '+scale': '2' };
  const { assets, remarks } = convertKuraSnapshot(
    writeSnapshot({
      line1: TCP,
      boiler: {
        'driver.pid': 'line1',
        ...writeChannel('setpoint', { ...scaled, '+value.type': 'INTEGER', '+type': 'WRITE' }),
      },
    }),
  );
  assert.equal(assets[0]?.asset['scaleOnWrite'], false);
  assert.deepEqual(
    remarks.map(({ place }) => place),
    ['boiler'],
  );
});

// ScaleOffsetType of eclipse-kura/kura: FLOAT and INTEGER since version 3.0 of its API; BaseAsset truncates to whole numbers.
test('convertKuraSnapshot imports every kind of scale, and says where Kura loses it', () => {
  const register = { 'primary.table': 'HOLDING_REGISTERS', 'memory.address': '1', 'data.type': 'INT16' };
  const scaled = (name: string, own: Properties): Properties => writeChannel(name, { ...register, ...own });
  const { assets, untaken, remarks } = convertKuraSnapshot(
    writeSnapshot({
      line1: TCP,
      boiler: {
        'driver.pid': 'line1',
        ...scaled('lost', { '+scale': '0.1' }),
        ...scaled('whole', { '+scale': '3.25' }),
        ...scaled('float', { '+scaleoffset.type': 'FLOAT', '+scale': '0.1', '+value.type': 'FLOAT' }),
        ...scaled('integer', { '+scaleoffset.type': 'integer', '+scale': '2', '+offset': '-5' }),
        ...scaled('long', { '+scaleoffset.type': 'LONG', '+scale': '-0.5', '+value.type': 'LONG' }),
        ...scaled('other', { '+scaleoffset.type': 'DECIMAL', '+scale': '2' }),
      },
    }),
  );
  assert.deepEqual(
    assets[0]?.channels.map(({ channel: { name, scaleOffsetType, valueScale, valueOffset } }) => [
      name,
      scaleOffsetType,
      valueScale,
      valueOffset,
    ]),
    [
      ['lost', 'DOUBLE', 0.1, undefined],
      ['whole', undefined, 3.25, undefined],
      ['float', 'DOUBLE', 0.1, undefined],
      ['integer', 'LONG', 2, -5],
      ['long', 'DOUBLE', -0.5, undefined],
    ],
  );
  assert.deepEqual(
    untaken.map(({ place }) => place),
    ['boiler/other'],
  );
  assert.deepEqual(
    remarks.map(({ place }) => place),
    ['boiler/lost', 'boiler/float', 'boiler/integer', 'boiler/long'],
  );
});

test('convertKuraSnapshot refuses what is no snapshot, and document types', () => {
  for (const text of [
    '<a/>',
    '<esf:configurations',
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><configurations>&b;</configurations>',
    '<configurations><configuration/></configurations>',
  ]) {
    assert.throws(
      () => convertKuraSnapshot(text),
      (error) => error instanceof CommandError && error.code === 'IMPORT_UNREADABLE',
    );
  }
});
