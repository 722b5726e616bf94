import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startCommand } from '../daemon/cli/command.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { startFaultServer } from '../support/modbus-fault-server.ts';
import { WITH_MOUNTS } from '../support/root.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { findProgram } from '../support/programs.ts';
import { answerOf } from '../support/answer-of.ts';
import { listAuditEvents } from '../../daemon/interface/security/audit.ts';
import { checkStatus } from '../../daemon/interface/status.ts';
import { readChannels } from '../../daemon/interface/plant/assets.ts';

const MAIN = findProgram('daemon/main');
const PASSWORD = 'turbine-password';

const createPlant = (port: number) => ({
  identities: [{ name: 'engineer', permissions: ['rest.admin'], password: PASSWORD }],
  drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port }],
  assets: [
    {
      pid: 'pump',
      driver: 'line',
      channels: [
        {
          name: 'setpoint',
          type: 'READ_WRITE',
          valueType: 'INTEGER',
          address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 7, dataType: 'INT16' },
        },
      ],
    },
  ],
});

interface Recorded {
  readonly event: string;
  readonly outcome: string;
  readonly identity?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

async function logIn({ httpsPorts: [port = 0] }: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port });
  assert.equal((await client.login('engineer', PASSWORD)).status, 200);
  return client;
}

async function listEvents(client: SessionClient, event: string): Promise<readonly Recorded[]> {
  const { json } = await client.send('GET', `/services/audit/v1/events?event=${event}`);
  return answerOf(listAuditEvents, { json }).events;
}

const write = (client: SessionClient, value: number) =>
  client.send('POST', '/services/assets/pump/_write', {
    body: { channels: [{ name: 'setpoint', type: 'INTEGER', value }] },
  });

async function read(client: SessionClient): Promise<unknown> {
  const { json, status } = await client.send('GET', '/services/assets/pump/_read');
  assert.equal(status, 200);
  return answerOf(readChannels, { json })[0]?.value;
}

async function kill({ process: child }: RunningGateway): Promise<void> {
  const ended = once(child, 'exit');
  assert.ok(child.kill('SIGKILL'));
  await ended;
}

/** Mounts a small disk in a namespace of its own; returns the words that run a command there, and the folder from outside. */
async function mountSmallDisk(t: Owner, place: string) {
  const script = 'mount -t tmpfs -o size=8m none "$0" && echo ready && exec sleep infinity';
  const holder = spawn('unshare', ['--mount', 'sh', '-c', script, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => void holder.kill());
  await once(holder.stdout, 'data');
  return {
    entrance: ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`],
    outside: `/proc/${holder.pid}/root${place}`,
  };
}

test(
  'a write that a full disk cannot record is refused before it is sent, and what was lost is an event',
  { ...needs('libmodbus'), ...WITH_MOUNTS },
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const directory = createTemporaryDirectory(t);
    const dataDirectory = path.join(directory, 'data');
    mkdirSync(dataDirectory);
    const { entrance, outside } = await mountSmallDisk(t, dataDirectory);
    const command = [...entrance, process.execPath, MAIN];
    const first = await startGateway(t, {
      directory,
      config: { provision: createPlant(device.port) },
      command,
    });
    const client = await logIn(first);
    assert.equal((await write(client, 20)).status, 200);

    const filler = path.join(outside, 'filler');
    assert.throws(() => writeFileSync(filler, Buffer.alloc(8 * 1024 * 1024)), { code: 'ENOSPC' });
    // The log of the store may have room left.
    let last = 20;
    let answer = await write(client, 21);
    while (answer.status === 200 && last < 1000) {
      last += 1;
      answer = await write(client, last + 1);
    }
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.text, /nothing was changed: the disk is full; free space/);
    assert.equal(answer.headers['retry-after'], '60');
    // Control goes on as far as it needs no record.
    assert.equal(await read(client), last);
    await logIn(first);
    await first.line('audit.storeFailed');
    const { json } = await client.send('GET', '/services/status/v1');
    const { checks } = answerOf(checkStatus, { json });
    const store = checks.find(({ check, name }) => check === 'auditLog' && name === 'store');
    assert.equal(store?.['state'], 'WRONG');

    await kill(first);
    writeFileSync(filler, '');
    const second = await startGateway(t, { directory, isConfigured: true, command });
    const next = await logIn(second);
    const lost = await listEvents(next, 'EVENTS_LOST');
    assert.equal(lost.length, 1);
    assert.ok(Number(lost[0]?.detail?.['count']) >= 1);
    // Every value that an answer promised is there.
    const written = (await listEvents(next, 'CHANNEL_WRITE')).filter(({ outcome }) => outcome === 'SUCCESS');
    assert.equal(written.length, last - 19);
    assert.equal((await write(next, 30)).status, 200);
    const socket = path.join(outside, 'penstock.sock');
    const verify = startCommand(t, ['audit', 'verify', '--socket', socket]);
    assert.equal(await verify.ended, 0);
    assert.match(verify.output(), /\d+ were lost because the store accepted none/);
  },
);

test('a write during which the process is killed is in the audit, with its value and an unknown outcome', async (t) => {
  await using device = await startFaultServer(() => undefined);
  const first = await startGateway(t, { config: { provision: createPlant(device.port) } });
  const client = await logIn(first);
  const written = write(client, 77).catch(() => undefined);
  await device.received(1);
  await kill(first);
  await written;
  const second = await startGateway(t, { directory: first.directory, isConfigured: true });
  const [event] = await listEvents(await logIn(second), 'CHANNEL_WRITE');
  assert.deepEqual([event?.outcome, event?.identity], ['FAILURE', 'engineer']);
  assert.equal(event?.detail?.['channels[0]'], 'FAILURE WRITE_INTERRUPTED setpoint 77');
});
