import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';
import type { WriteResultRecord } from '../../daemon/interface/plant/assets.ts';
import { answerOf } from '../support/answer-of.ts';
import { readAssetStatus } from '../../daemon/interface/plant/asset-status.ts';
import { writeChannels, listChannels } from '../../daemon/interface/plant/assets.ts';

const PASSWORD = 'hidden-conditions-word';
const HIDDEN = 'a condition of this channel does not hold';

/** Every register holds its offset, so the level of the vault is 50. */
const channel = (name: string, offset: number, more: object = {}): object => ({
  name,
  type: 'READ_WRITE',
  valueType: 'INTEGER',
  address: { unitId: 1, table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' },
  ...more,
});
const isAbove = (value: number, more: object = {}): object => ({
  write: { onlyIf: [{ asset: 'vault', channel: 'level', operator: 'GREATER_THAN', value, ...more }] },
});
const UNIT_2 = { unitId: 2, table: 'HOLDING_REGISTERS', offset: 53, dataType: 'INT16' };
const OWN = { channel: 'running', operator: 'EQUALS', value: 777 };

/** Conditions behind the driver of the pump, behind another driver, too old, unreadable, and one of the pump itself. */
const PUMP = [
  channel('gated', 10, isAbove(8651)),
  channel('other', 11, { write: { onlyIf: [{ asset: 'safe', channel: 'depth', value: 8652 }] } }),
  channel('lost', 12, { write: { onlyIf: [{ asset: 'gone', channel: 'depth', value: 8653 }] } }),
  channel('open', 13, isAbove(7)),
  channel('mixed', 14, {
    write: { maximum: 90, onlyIf: [OWN, { asset: 'vault', channel: 'level', value: 8654 }] },
  }),
  channel('running', 15),
];
const SECRET = /vault|safe|gone|level|depth|865\d|\b5[01]\b/;

const IDENTITIES = [
  { name: 'pumper', grants: [{ assets: ['pump'], operations: ['WRITE'] }] },
  { name: 'reader', grants: [{ assets: ['pump'], operations: ['READ', 'WRITE'] }] },
  { name: 'keeper', grants: [{ assets: ['*'], operations: ['READ', 'WRITE'] }] },
  { name: 'chief', permissions: ['rest.admin'] },
].map((identity) =>
  Object.assign({ permissions: [], password: PASSWORD, passwordChangeNeeded: false }, identity),
);

test(
  'a condition on a channel that the caller may not read tells that it does not hold, and nothing else',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const driver = (pid: string, port = device.port): object => ({
      pid,
      type: 'modbus',
      host: '127.0.0.1',
      port,
    });
    const gateway = await startGateway(t, {
      config: {
        provision: {
          rest: { basicAuthenticationEnabled: true },
          identities: IDENTITIES,
          drivers: [driver('line'), driver('safe-line'), driver('gone-line', 9)],
          assets: [
            { pid: 'pump', driver: 'line', channels: PUMP },
            { pid: 'vault', driver: 'line', channels: [channel('level', 50)] },
            { pid: 'safe', driver: 'safe-line', channels: [channel('depth', 51)] },
            { pid: 'deep', driver: 'line', channels: [channel('depth', 53, { address: UNIT_2 })] },
            { pid: 'gone', driver: 'gone-line', channels: [channel('depth', 52)] },
          ],
        },
      },
    });
    const ask = (
      name: string,
      method: string,
      place: string,
      body?: object,
      more = {},
    ): Promise<ClientAnswer> => {
      const Authorization = `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;
      const port = gateway.httpsPorts[0] ?? 0;
      return send({ port }, method, place, { headers: { Authorization, ...more }, ...(body && { body }) });
    };
    const write = async (name: string, target: string, query = '', more = {}): Promise<WriteResultRecord> => {
      const body = { channels: [{ name: target, type: 'INTEGER', value: 3 }] };
      const { json } = await ask(name, 'POST', `/services/assets/pump/_write${query}`, body, more);
      const [record] = answerOf(writeChannels, { json });
      assert.ok(record !== undefined);
      return record;
    };

    for (const query of ['?dryRun=true', '']) {
      for (const target of ['gated', 'other', 'lost']) {
        for (const name of ['pumper', 'reader']) {
          const { channelStatus, outcome, statusCode } = await write(name, target, query);
          assert.deepEqual(
            [channelStatus.exceptionMessage, outcome, statusCode],
            [HIDDEN, 'NOT_SENT', 'WRITE_CONDITION_FALSE'],
            `${target} for ${name}${query}`,
          );
        }
      }
      const seen = await write('keeper', 'gated', query);
      assert.match(String(seen.channelStatus.exceptionMessage), /^vault level is 50; .* GREATER_THAN 8651$/);
      assert.equal((await write('pumper', 'open', query)).channelStatus.exceptionMessage, undefined);
    }
    // Who may write a channel and not read another one of the same asset is told as little of that one.
    assert.equal((await write('pumper', 'mixed')).channelStatus.exceptionMessage, HIDDEN);
    assert.match(
      String((await write('reader', 'mixed')).channelStatus.exceptionMessage),
      /^pump running is /,
    );

    const listed = await ask('reader', 'GET', '/services/assets/pump');
    assert.doesNotMatch(listed.text, SECRET);
    const terms = new Map(answerOf(listChannels, listed).map((each) => [each.name, each.write]));
    assert.deepEqual(terms.get('gated'), { hiddenConditions: 1 });
    assert.deepEqual(terms.get('mixed'), { maximum: 90, onlyIf: [OWN], hiddenConditions: 1 });
    assert.equal(terms.get('running'), undefined);
    const whole = (await ask('keeper', 'GET', '/services/assets/pump')).text;
    assert.match(whole, /"asset":"vault","channel":"level","operator":"GREATER_THAN","value":8651/);
    assert.doesNotMatch(whole, /hiddenConditions/);

    for (const place of ['_status', '_plan', '_read']) {
      const { text } = await ask('reader', 'GET', `/services/assets/pump/${place}`);
      assert.doesNotMatch(text, /safe|vault|gone/, place);
    }
    const warnings = async (name: string, pid: string): Promise<unknown> =>
      answerOf(readAssetStatus, await ask(name, 'GET', `/services/assets/${pid}/_status`)).driver.warnings;
    assert.match(String(await warnings('reader', 'pump')), /^another driver uses 127\.0\.0\.1:\d+ as well: /);
    assert.match(String(await warnings('keeper', 'pump')), /line, safe-line/);

    await ask('keeper', 'GET', '/services/assets/deep/_read');
    const units = async (name: string): Promise<unknown> => {
      const { json } = await ask(name, 'GET', '/services/assets/pump/_status');
      return answerOf(readAssetStatus, { json }).units.map((unit) => unit.name);
    };
    assert.deepEqual(await units('reader'), ['unit 1']);
    assert.deepEqual(await units('keeper'), ['unit 1', 'unit 2']);

    const { text: audit } = await ask(
      'chief',
      'GET',
      '/services/audit/v1/events?event=CHANNEL_WRITE&limit=100',
    );
    assert.match(audit, /vault level is 50; required: GREATER_THAN 8651/);
    assert.match(audit, /WRITE_CONDITION_UNKNOWN lost/);
  },
);

test(
  'an answer that told a condition is not told again to a caller that may no longer read it',
  needs('libmodbus'),
  async (t) => {
    const device = await startLibmodbusServer();
    t.after(() => device.close());
    const gateway = await startGateway(t, {
      config: {
        provision: {
          rest: { basicAuthenticationEnabled: true },
          identities: IDENTITIES,
          drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
          assets: [
            { pid: 'pump', driver: 'line', channels: PUMP.slice(0, 1) },
            { pid: 'vault', driver: 'line', channels: [channel('level', 50)] },
          ],
        },
      },
    });
    const as = (
      name: string,
      method: string,
      place: string,
      body: object,
      more = {},
    ): Promise<ClientAnswer> => {
      const Authorization = `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;
      return send({ port: gateway.httpsPorts[0] ?? 0 }, method, place, {
        headers: { Authorization, ...more },
        body,
      });
    };
    const write = async (key: string): Promise<string> => {
      const body = { channels: [{ name: 'gated', type: 'INTEGER', value: 3 }] };
      return (await as('keeper', 'POST', '/services/assets/pump/_write', body, { 'Idempotency-Key': key }))
        .text;
    };
    assert.match(await write('told'), /vault level is 50/);
    const grants = [{ assets: ['pump'], operations: ['READ', 'WRITE'] }];
    const changed = await as('chief', 'PUT', '/services/identity/v1/identities', {
      userName: 'keeper',
      grants,
    });
    assert.equal(changed.status, 200, changed.text);
    assert.match(await write('told'), /WRITE_ANSWER_WITHHELD/);
    const hidden = await write('hidden');
    assert.match(hidden, new RegExp(HIDDEN));
    assert.equal(await write('hidden'), hidden);
  },
);
