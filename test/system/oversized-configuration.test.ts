import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { findProgram } from '../support/programs.ts';

const PASSWORD = 'oversized-test-password';
const ROOT = '/services/configuration/v1';
const SHEET = `${ROOT}/assets/boiler/_tags`;
const MAIN = findProgram('daemon/main');
// As the daemon is installed: on a gateway, memory is short.
const PROGRAM = ['--max-old-space-size=640', MAIN];
const BYTES = 15 * 1024 * 1024;

const repeat = (part: string, count = Math.floor(BYTES / part.length)): string => part.repeat(count);
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',');
const asset = (channels: string): string =>
  `{"drivers":[{"pid":"line","type":"modbus","host":"h"}],"assets":[{"pid":"a","driver":"line","channels":${channels}}]}`;

const BODIES: readonly (readonly [name: string, target: string, type: string, body: () => string])[] = [
  ['millions of empty assets', ROOT, 'application/json', () => `{"assets":[${repeat('{},')}{}]}`],
  ['hundreds of thousands of keys', ROOT, 'application/json', () => `{${numbered(400_000)}}`],
  [
    'an asset with hundreds of thousands of keys',
    ROOT,
    'application/json',
    () => `{"assets":[{${numbered(400_000)}}]}`,
  ],
  ['a hundred thousand faults', ROOT, 'application/json', () => asset(`[${repeat('{},', 99_999)}{}]`)],
  [
    'a list of millions of numbers in YAML',
    ROOT,
    'application/yaml',
    () => `assets: [${repeat('0,', 1_500_000)}0]`,
  ],
  ['a million empty lines in YAML', ROOT, 'application/yaml', () => repeat('\n', 1_000_000)],
  ['millions of cells', SHEET, 'text/csv', () => repeat(',')],
  ['millions of rows', SHEET, 'text/csv', () => repeat('name\n')],
  ['a cell of millions of quotes', SHEET, 'text/csv', () => repeat('"')],
];

suite('configuration that is far too large', () => {
  let gateway: RunningGateway;
  let client: SessionClient;
  const cleanUps: (() => void | Promise<void>)[] = [];

  before(async () => {
    const provision = {
      identities: [{ name: 'engineer', permissions: ['rest.configuration'], password: PASSWORD }],
      drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: 9 }],
      assets: [{ pid: 'boiler', driver: 'line' }],
    };
    gateway = await startGateway(
      { after: (cleanUp) => cleanUps.push(cleanUp) },
      { program: PROGRAM, config: { provision } },
    );
    client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
    assert.equal((await client.login('engineer', PASSWORD)).status, 200);
  });
  after(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  for (const [name, target, type, body] of BODIES) {
    test(`${name}: refused in a few words, and the gateway goes on`, async () => {
      const headers = { 'Content-Type': type, 'If-Match': '*' };
      const answer = await client.send('PUT', target, { body: body(), headers });
      assert.equal(answer.status, 400, answer.text.slice(0, 200));
      assert.ok(answer.text.length < 200_000);
      const { status, json } = await client.send('GET', `${ROOT}/assets`);
      assert.equal(status, 200);
      assert.deepEqual(json, [{ pid: 'boiler', driver: 'line' }]);
    });
  }
});
