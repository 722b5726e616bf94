import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { request } from 'node:https';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createRestClient } from '../../daemon/cli/client/rest-client.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { answerFrame, startFaultServer } from '../support/modbus-fault-server.ts';
import type { FaultServer } from '../support/modbus-fault-server.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';
import { answerOf } from '../support/answer-of.ts';
import { writeChannels } from '../../daemon/interface/plant/assets.ts';

const PASSWORD = 'writing-client-password';
const TARGET = '/services/assets/tank/_write';

interface Field {
  readonly device: FaultServer;
  /** Resolves when the device has taken that many writes. */
  written(count: number): Promise<void>;
  countWrites(): number;
  readonly gateway: RunningGateway;
}

/** A device that confirms every write and never shows what it took. */
async function startField(t: TestContext, http: object = {}): Promise<Field> {
  let writes = 0;
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const device = await startFaultServer((frame, connection) => {
    if (frame.pdu[0] === 6) writes += 1;
    for (const { count, resolve } of waiting) if (writes >= count) resolve();
    connection.send(answerFrame(frame));
  });
  t.after(() => device.close());
  const address = { table: 'HOLDING_REGISTERS', offset: 7, dataType: 'INT16' };
  const common = { type: 'READ_WRITE', valueType: 'INTEGER', address };
  const verify = { withinMs: 400 };
  const provision = {
    identities: [{ name: 'scada', permissions: ['rest.assets'], password: PASSWORD }],
    drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
    assets: [
      {
        pid: 'tank',
        driver: 'line',
        channels: [
          { ...common, name: 'checked', write: { verify } },
          { ...common, name: 'slow', write: { verify: { withinMs: 10_000 } } },
          { ...common, name: 'plain' },
        ],
      },
    ],
  };
  return {
    device,
    countWrites: () => writes,
    written: (count) => new Promise((resolve) => waiting.push({ count, resolve })),
    gateway: await startGateway(t, { config: { provision, http } }),
  };
}

async function login({ httpsPorts: [port = 0] }: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port });
  await client.login('scada', PASSWORD);
  return client;
}

const bodyOf = (name: string, count: number): object => ({
  channels: Array.from({ length: count }, (_, index) => ({ name, type: 'INTEGER', value: 100 + index })),
});

function outcomesOf(json: unknown): readonly string[] {
  return answerOf(writeChannels, { json }).map(({ outcome, statusCode }) =>
    [outcome, statusCode].filter((part) => part !== undefined).join(' '),
  );
}

/** Sends a write and goes away once the device has taken its first value. */
async function leave(field: Field, client: SessionClient, name: string, key: string): Promise<void> {
  const [port = 0] = field.gateway.httpsPorts;
  const text = JSON.stringify(bodyOf(name, 500));
  const first = field.written(field.countWrites() + 1);
  const sent = request({
    port,
    host: '127.0.0.1',
    path: TARGET,
    method: 'POST',
    agent: false,
    rejectUnauthorized: false,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      'Idempotency-Key': key,
      Cookie: client.cookie ?? '',
      'X-XSRF-Token': client.xsrfToken ?? '',
    },
  });
  sent.on('error', () => undefined);
  sent.end(text);
  await first;
  sent.destroy();
}

/** Returns the answer that was kept of a request whose client is gone, once it has ended. */
async function findKept(client: SessionClient, name: string, key: string): Promise<readonly string[]> {
  for (;;) {
    const headers = { 'Idempotency-Key': key };
    const answer = await client.send('POST', TARGET, { body: bodyOf(name, 500), headers });
    if (answer.status === 409) continue;
    assert.equal(answer.headers['idempotency-replayed'], 'true');
    return outcomesOf(answer.json);
  }
}

test('a write ends at its deadline: what was not sent says so, and names the deadline', async (t) => {
  const field = await startField(t, { writeDeadlineMs: 1000 });
  const client = await login(field.gateway);
  const answer = await client.send('POST', TARGET, { body: bodyOf('checked', 300) });
  assert.equal(answer.status, 200);
  const outcomes = outcomesOf(answer.json);
  assert.equal(outcomes[0], 'REFUSED WRITE_READ_BACK_DIFFERS');
  assert.equal(outcomes.at(-1), 'NOT_SENT WRITE_DEADLINE_EXCEEDED');
  const message = answerOf(writeChannels, answer).at(-1)?.channelStatus.exceptionMessage;
  assert.match(message ?? '', /1000 ms/);
  const unsent = outcomes.filter((outcome) => outcome.startsWith('NOT_SENT')).length;
  assert.equal(field.countWrites(), 300 - unsent, 'what is not said to be unsent was sent');
});

test('a value that is being read back at the deadline is not called verified, nor refused', async (t) => {
  const field = await startField(t, { writeDeadlineMs: 1000 });
  const client = await login(field.gateway);
  const answer = await client.send('POST', TARGET, { body: bodyOf('slow', 2) });
  assert.deepEqual(outcomesOf(answer.json), [
    'UNKNOWN WRITE_NOT_VERIFIED',
    'NOT_SENT WRITE_DEADLINE_EXCEEDED',
  ]);
});

test('a write ends when its client is gone, and the kept answer tells what happened', async (t) => {
  const field = await startField(t);
  const client = await login(field.gateway);
  await leave(field, client, 'checked', 'left-1');
  const outcomes = await findKept(client, 'checked', 'left-1');
  const unsent = outcomes.filter((outcome) => outcome === 'NOT_SENT WRITE_CLIENT_GONE').length;
  assert.equal(outcomes.length, 500);
  assert.equal(field.countWrites(), 500 - unsent);
  assert.ok(unsent > 400, `${unsent} of 500 were not sent`);
});

test(
  'a write over the local socket ends with its client as well, and a trial sends nothing',
  needs('curl'),
  async (t) => {
    const field = await startField(t);
    const socketPath = path.join(field.gateway.dataDirectory, 'penstock.sock');
    const first = field.written(1);
    const headers = ['-H', 'Content-Type: application/json', '-H', 'Idempotency-Key: left-2'];
    const body = JSON.stringify(bodyOf('checked', 500));
    const curl = spawn(
      programOf('curl'),
      ['-s', '--unix-socket', socketPath, ...headers, '-d', '@-', `http://localhost${TARGET}`],
      { stdio: ['pipe', 'ignore', 'ignore'] },
    );
    curl.stdin.end(body);
    await first;
    curl.kill('SIGKILL');
    const administrator = createRestClient({ socketPath });
    const again = async (): Promise<readonly string[]> => {
      for (;;) {
        try {
          const headersOf = { 'Idempotency-Key': 'left-2' };
          const given = await administrator.send('POST', TARGET, {
            body: bodyOf('checked', 500),
            headers: headersOf,
          });
          return outcomesOf(given.body);
        } catch (error) {
          if (!String(error).includes('still running')) throw error;
        }
      }
    };
    const outcomes = await again();
    const unsent = outcomes.filter((outcome) => outcome === 'NOT_SENT WRITE_CLIENT_GONE').length;
    assert.equal(field.countWrites(), 500 - unsent);
    assert.ok(unsent > 400, `${unsent} of 500 were not sent`);
    const before = field.countWrites();
    const tried = await administrator.send('POST', `${TARGET}?dryRun=true`, { body: bodyOf('checked', 3) });
    assert.equal((tried.body as readonly unknown[]).length, 3);
    assert.equal(field.countWrites(), before);
  },
);

test('a request has at most 1,000 elements to write and 10,000 names to read', async (t) => {
  const field = await startField(t);
  const client = await login(field.gateway);
  const write = (count: number) => client.send('POST', TARGET, { body: bodyOf('plain', count) });
  const read = (count: number) => {
    const channels = Array.from({ length: count }, (_, index) => `unknown-${index}`);
    return client.send('POST', '/services/assets/tank/_read', { body: { channels } });
  };
  const tooMany = await write(1001);
  assert.equal(tooMany.status, 400);
  assert.match(tooMany.text, /at most 1000 elements/);
  assert.equal(field.countWrites(), 0);
  assert.equal((await write(1000)).status, 200);
  const requests = field.device.requests.length;
  const whole = await read(10_000);
  assert.equal(whole.status, 200);
  assert.equal(answerOf(writeChannels, whole).length, 10_000);
  assert.equal(field.device.requests.length, requests, 'no device is asked for names that it does not have');
  const beyond = await read(10_001);
  assert.equal(beyond.status, 400);
  assert.match(beyond.text, /at most 10000 names/);
});
