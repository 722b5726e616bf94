import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { checkStatus } from '../../daemon/interface/status.ts';
import { answerOf } from '../support/answer-of.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { findProgram } from '../support/programs.ts';
import { WITH_MOUNTS } from '../support/root.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';

const MAIN = findProgram('daemon/main');
const PASSWORD = 'recording-turbine-password';
const MIB = 2 ** 20;

test(
  'recording stops at the reserve of the disk and nothing else does; it resumes when there is room',
  { ...needs('libmodbus'), ...WITH_MOUNTS },
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const directory = createTemporaryDirectory(t);
    const dataDirectory = path.join(directory, 'data');
    mkdirSync(dataDirectory);
    const level = {
      name: 'level',
      type: 'READ_WRITE',
      valueType: 'INTEGER',
      address: { table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' },
    };
    const mount = 'mount -t tmpfs -o size=64m none "$0" && exec "$@"';
    const gateway = await startGateway(t, {
      directory,
      config: {
        provision: {
          identities: [{ name: 'engineer', permissions: ['rest.admin'], password: PASSWORD }],
          drivers: [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port: device.port }],
          assets: [{ pid: 'pump', driver: 'plc', channels: [level] }],
          recording: { reservedBytes: 24 * MIB },
          recorders: [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'pump' }] }],
        },
      },
      command: ['unshare', '--mount', 'sh', '-c', mount, dataDirectory, process.execPath, MAIN],
    });
    const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    await client.login('engineer', PASSWORD);
    const findState = async (): Promise<string | undefined> => {
      const { checks } = answerOf(checkStatus, await client.send('GET', '/services/status/v1'));
      return checks.find(({ check }) => check === 'recording')?.state;
    };
    while ((await findState()) !== 'GOOD') await wait(20);

    const filler = `/proc/${gateway.process.pid}/root${dataDirectory}/filler`;
    writeFileSync(filler, Buffer.alloc(44 * MIB));
    const stopped = await gateway.line('recording.stopped');
    assert.match(String(stopped['reason']), /^\d+ MiB of the disk are free, and 24 MiB are reserved$/);
    assert.equal(await findState(), 'WRONG');
    const written = await client.send('POST', '/services/assets/pump/_write', {
      body: { channels: [{ name: 'level', type: 'INTEGER', value: 7 }] },
    });
    assert.match(written.text, /"channelFlag":"SUCCESS"/);

    rmSync(filler);
    await gateway.line('recording.resumed');
    assert.equal(await findState(), 'GOOD');
    assert.equal(await gateway.stop(), 0);
  },
);
