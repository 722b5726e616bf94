import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { replaceConfiguration } from '../../daemon/interface/configuration/configuration.ts';

const PASSWORD = 'tag-sheet-password';
const SHEET = '/services/configuration/v1/assets/boiler/_tags';
const address = { table: 'HOLDING_REGISTERS', offset: 7, dataType: 'INT16' };
const provision = {
  identities: [{ name: 'engineer', permissions: ['rest.configuration'], password: PASSWORD }],
  drivers: [{ pid: 'line1', type: 'modbus', host: '127.0.0.1', port: 1 }],
  assets: [
    { pid: 'other', driver: 'line1', channels: [] },
    {
      pid: 'boiler',
      driver: 'line1',
      channels: [
        {
          name: 'flow',
          type: 'READ',
          valueType: 'INTEGER',
          unit: '=l/h',
          displayName: 'Durchfluß',
          description: 'In, "out"',
          address,
        },
        {
          name: 'level',
          type: 'READ',
          valueType: 'FLOAT',
          valueScale: 0.1,
          address: { ...address, offset: 8 },
        },
      ],
    },
  ],
};

test('the channels of an asset go through a spreadsheet and back', async (t) => {
  const gateway = await startGateway(t, { config: { provision } });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('engineer', PASSWORD);
  const put = (body: string, query = '') =>
    client.send('PUT', `${SHEET}${query}`, {
      body,
      headers: { 'Content-Type': 'text/csv', 'If-Match': '*' },
    });
  const given = await client.send('GET', SHEET);
  assert.equal(given.status, 200);
  assert.match(given.headers['content-type'] ?? '', /^text\/csv/);
  const same = await put(given.text);
  assert.deepEqual([same.status, same.headers.etag], [200, given.headers.etag], same.text);

  const more = `${given.text}temp,READ,INTEGER\r\n`;
  const faulty = await put(more, '?dryRun=true');
  assert.equal(faulty.status, 400);
  const { faults } = failureOf(faulty);
  assert.deepEqual(
    faults?.map(({ row, column }) => [row, column]),
    [[4, 'address']],
  );

  const lines = given.text.split('\r\n');
  const shorter = `${lines.slice(0, 2).join('\r\n')}\r\n`;
  const planned = await put(shorter, '?dryRun=true');
  assert.deepEqual(answerOf(replaceConfiguration, planned).changed, ['assets/boiler']);
  assert.equal((await client.send('GET', SHEET)).text, given.text);
  assert.equal((await put(shorter)).status, 200);
  const read = (await client.send('GET', '/services/configuration/v1/assets/boiler')).json;
  assert.deepEqual((read as { channels: unknown }).channels, provision.assets[1]?.channels.slice(0, 1));

  assert.equal((await client.send('GET', SHEET.replace('boiler', 'nothing'))).status, 404);
  const stale = { 'Content-Type': 'text/csv', 'If-Match': given.headers.etag ?? '' };
  assert.equal((await client.send('PUT', SHEET, { body: shorter, headers: stale })).status, 412);
  assert.equal((await client.send('PUT', SHEET, { body: '{}', headers: { 'If-Match': '*' } })).status, 415);
});

test('a sheet with a driver creates an asset, or nothing when there is one of its pid', async (t) => {
  const gateway = await startGateway(t, { config: { provision } });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('engineer', PASSWORD);
  const put = (pid: string, query: string, body: string) =>
    client.send('PUT', `/services/configuration/v1/assets/${pid}/_tags?${query}`, {
      body,
      headers: { 'Content-Type': 'text/csv', 'If-Match': '*' },
    });
  const sheet = `name,type,valueType,address.table,address.offset,address.dataType
flow,READ,INTEGER,HOLDING_REGISTERS,7,INT16
`;
  const planned = await put('pump', 'driver=line1&dryRun=true', sheet);
  assert.deepEqual(answerOf(replaceConfiguration, planned).added, ['assets/pump'], planned.text);
  assert.equal((await client.send('GET', '/services/configuration/v1/assets/pump')).status, 404);

  const faulty = await put('pump', 'driver=line1', sheet.replace(',7,', ',70000,'));
  const { faults } = failureOf(faulty);
  assert.deepEqual(
    faults?.map(({ row, column }) => [row, column]),
    [[2, 'address.offset']],
  );

  assert.equal((await put('pump', 'driver=line1', sheet)).status, 200);
  const { json } = await client.send('GET', '/services/configuration/v1/assets/pump');
  assert.deepEqual(json, {
    pid: 'pump',
    driver: 'line1',
    channels: [{ name: 'flow', type: 'READ', valueType: 'INTEGER', address }],
  });
  assert.equal((await put('pump', 'driver=line1', sheet)).status, 409);
  assert.equal((await put('fan', 'driver=line9', sheet)).status, 404);
});
