import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { readAsset } from '../../daemon/interface/plant/assets.ts';
import { answerOf } from '../support/answer-of.ts';
import { startCommand } from '../daemon/cli/command.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';

const PASSWORD = 'a-word-of-the-boss-1';

type Properties = Readonly<Record<string, string>>;

/** Writes a property as snapshots of Kura 5 have it, with the type and both flags. */
function writeProperty([name, value]: readonly [string, string]): string {
  return `<esf:property array="false" encrypted="false" name="${name}" type="String"><esf:value>${value}</esf:value></esf:property>`;
}

function writeComponent(pid: string, properties: Properties): string {
  const own = { 'kura.service.pid': pid, 'service.pid': `${pid}-1`, ...properties };
  return `<esf:configuration pid="${pid}"><esf:properties>${Object.entries(own).map(writeProperty).join('')}</esf:properties></esf:configuration>`;
}

/** Every property of a channel that Kura stores, also those with their default. */
function writeChannel(name: string, address: string, own: Properties = {}): Properties {
  const all = {
    '+enabled': 'true',
    '+name': name,
    '+type': 'READ',
    '+value.type': 'INTEGER',
    '+scaleoffset.type': 'DEFINED_BY_VALUE_TYPE',
    '+scale': '1.0',
    '+offset': '0',
    '+unit': '',
    '+listen': 'false',
    'unit.id': '1',
    'primary.table': 'HOLDING_REGISTERS',
    'memory.address': address,
    'data.type': 'INT16',
    'data.order': 'BIG_ENDIAN',
    'array.data.length': '1',
    ...own,
  };
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [`${name}#${key}`, value]));
}

function writeSnapshot(port: number): string {
  const wired = { 'emit.all.channels': 'false', 'timestamp.mode': 'PER_CHANNEL', 'emitter.port.count': '1' };
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<esf:configurations xmlns:esf="http://eurotech.com/esf/2.0" xmlns:ocd="http://www.osgi.org/xmlns/metatype/v1.2.0">
${[
  writeComponent('org.eclipse.kura.clock.ClockService', { enabled: 'true' }),
  writeComponent('org.eclipse.kura.internal.useradmin.store.RoleRepositoryStoreImpl', {
    'users.config': '[]',
  }),
  writeComponent('HttpsKeystore', {
    'service.factoryPid': 'org.eclipse.kura.core.keystore.FilesystemKeystoreServiceImpl',
    'keystore.path': '/opt/kura/https.ks',
  }),
  writeComponent('line1', {
    'service.factoryPid': 'org.eclipse.kura.driver.modbus',
    'access.type': 'TCP',
    'modbus.tcp-udp.ip': '127.0.0.1',
    'modbus.tcp-udp.port': String(port),
  }),
  writeComponent('boiler', {
    'service.factoryPid': 'org.eclipse.kura.wire.WireAsset',
    'driver.pid': 'line1',
    'asset.desc': 'Boiler &amp; pump',
    ...wired,
    ...writeChannel('flow temperature', '10', { '+value.type': 'DOUBLE', '+scale': '0.5', '+unit': 'degC' }),
    ...writeChannel('setpoint', '11', { '+type': 'READ_WRITE' }),
  }),
  writeComponent('meter', {
    'service.factoryPid': 'org.eclipse.kura.wire.WireAsset',
    'driver.pid': 'line1',
    ...wired,
    ...writeChannel('total', '500', { '+enabled': 'false' }),
  }),
].join('\n')}
</esf:configurations>`;
}

test(
  'a whole snapshot of Kura is imported, its assets are read, and what is lost is named',
  needs('libmodbus'),
  async (t) => {
    const server = await startLibmodbusServer();
    t.after(() => server.close());
    const gateway = await startGateway(t, {
      config: {
        provision: { identities: [{ name: 'panel', permissions: ['rest.assets'], password: PASSWORD }] },
      },
    });
    const file = path.join(gateway.directory, 'snapshot.xml');
    writeFileSync(file, writeSnapshot(server.port));
    const command = startCommand(t, ['import', 'kura', file, '--yes'], {
      PENSTOCK_SOCKET: path.join(gateway.dataDirectory, 'penstock.sock'),
    });
    assert.equal(await command.ended, 0, command.errors());
    const rows = command
      .output()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    for (const [place, text, reason] of [
      ['org.eclipse.kura.clock.ClockService', undefined, /timedatectl/],
      [
        'org.eclipse.kura.internal.useradmin.store.RoleRepositoryStoreImpl',
        undefined,
        /penstock identity create/,
      ],
      ['HttpsKeystore', undefined, /PEM files/],
      ['boiler/flow temperature', 'channel', /renamed to flow_temperature/],
      ['boiler', 'timestamp.mode', /Wires/],
      ['meter', 'emit.all.channels', /Wires/],
    ] as const) {
      const row = rows.find((each) => each[0] === place && (text === undefined || each[1] === text));
      assert.match(row?.at(-1) ?? '', reason, `${place} ${text}`);
    }
    const panel = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await panel.login('panel', PASSWORD);
    const read = async (asset: string) =>
      answerOf(readAsset, await panel.send('GET', `/services/assets/${asset}/_read`)).map(
        ({ name, value }) => [name, value],
      );
    assert.deepEqual(await read('boiler'), [
      ['flow_temperature', 5],
      ['setpoint', 11],
    ]);
    // Its one channel is disabled, as it was.
    assert.deepEqual(await read('meter'), []);
  },
);
