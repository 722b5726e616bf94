import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { UsageError } from '../../../../daemon/cli/command-error.ts';
import { history } from '../../../../daemon/cli/history/history.ts';
import { formatLocalTime } from '../../../../daemon/cli/terminal/local-time.ts';

const PAGE =
  '{"samples":[{"channel":"total","timestamp":1772352000000,"value":9007199254740993,"quality":"GOOD"},' +
  '{"channel":"state","timestamp":1772352020000,"value":"on","quality":"UNCERTAIN","status":"STALE"}],' +
  '"gaps":[{"from":1772352010000,"to":1772352015000,"count":5,"reason":"DISK"}],"next":1772352030000}';
const CSV = 'timestamp,channel,value,quality,status\r\n';
const toLocal = (time: string): string => formatLocalTime(Date.parse(time));

/** Requests that the gateway refuses, by a part of their target. */
const REFUSALS = [
  ['limit=0', 400, '"limit": expected at least 1'],
  ['to=5', 400, '"from" is later than "to"'],
  ['aggregate=max', 400, '"aggregate" needs "bucketMs"'],
  ['boilr', 404, 'unknown asset "boilr"'],
] as const;

async function runHistory(
  t: TestContext,
  content: string,
  words: readonly string[],
  channels: readonly string[] = [],
): Promise<{
  readonly printed: string;
  readonly noted: string;
  readonly target: string;
  readonly accept: string | undefined;
}> {
  let body = content;
  const sent = { target: '', accept: undefined as string | undefined };
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (request.url === '/services/assets/boiler') {
      response.end(JSON.stringify(channels.map((name) => ({ name }))));
      return;
    }
    sent.target = request.url ?? '';
    sent.accept = request.headers.accept;
    if (request.url === '/services/assets') {
      response.end('["boiler","pump"]');
      return;
    }
    const refusal = REFUSALS.find(([word]) => request.url?.includes(word));
    if (refusal !== undefined) response.statusCode = refusal[1];
    if (refusal !== undefined) body = JSON.stringify({ message: refusal[2] });
    response.end(body);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let printed = '';
  let noted = '';
  const terminal = {
    print: (text: string) => void (printed += text),
    note: (text: string) => void (noted += text),
    stopSignal: new AbortController().signal,
  };
  await history.run([...words, '--url', url], terminal);
  return { printed, noted, ...sent };
}

test('recorded values are a table in the order of time, with gaps and how to go on', async (t) => {
  const words = ['read', 'boiler', 'total', 'state', '--from', '2026-03-01T08:00Z', '--limit', '2'];
  const { printed, target } = await runHistory(t, PAGE, words);
  assert.equal(target, '/services/history/v1/boiler?channels=total%2Cstate&from=1772352000000&limit=2');
  const lines = printed.split('\n').map((line) => line.trimEnd().replaceAll(/ {2,}/g, '  '));
  assert.deepEqual(lines, [
    'TIME  CHANNEL  VALUE  QUALITY  STATUS',
    `${toLocal('2026-03-01T08:00:00Z')}.000  total  9007199254740993  GOOD  -`,
    `${toLocal('2026-03-01T08:00:10Z')}.000  -  -  -  gap to ${toLocal('2026-03-01T08:00:15Z')}.000: DISK, 5 lost`,
    `${toLocal('2026-03-01T08:00:20Z')}.000  state  on  UNCERTAIN  STALE`,
    '',
    'more follows: --from 2026-03-01T08:00:30.000Z',
    '',
  ]);
});

test('--json prints the answer, with every digit', async (t) => {
  const { printed } = await runHistory(t, PAGE, ['read', 'boiler', '--json']);
  assert.match(printed, /9007199254740993/);
});

test('--csv prints the table of the gateway unchanged', async (t) => {
  const { printed, accept } = await runHistory(t, CSV, ['read', 'boiler', '--csv']);
  assert.equal(printed, CSV);
  assert.equal(accept, 'text/csv');
});

test('--csv and --json exclude each other, and times are checked', async (t) => {
  const refused = (words: readonly string[]): Promise<void> =>
    assert.rejects(() => runHistory(t, PAGE, ['read', 'boiler', ...words]), UsageError);
  await refused(['--csv', '--json']);
  await refused(['--from', 'yesterday']);
});

test('an unknown channel without recorded values is named with the nearest one', async (t) => {
  const known = ['total', 'flowTemperature'];
  const read = (body: string, ...words: readonly string[]) =>
    runHistory(t, body, ['read', 'boiler', ...words], known);
  const unknown = {
    code: 'CHANNEL_UNKNOWN',
    message:
      'boiler has no channel "flowTemperatur", and nothing of it was recorded in this time; did you mean "flowTemperature"?',
  };
  const empty = '{"samples":[],"gaps":[]}';
  await assert.rejects(read(empty, 'flowTemperatur'), unknown);
  await assert.rejects(read('{"buckets":[],"gaps":[]}', 'flowTemperatur', '--bucketMs', '1000'), unknown);
  await assert.rejects(read(PAGE, 'total', 'flowTemperatur', '--json'), unknown);
  await assert.rejects(read(CSV, 'flowTemperatur', '--csv'), unknown);
  // One that was removed since, and one without recorded values.
  await read(PAGE, 'total', 'state');
  await read(`${CSV}2026-03-01T08:00:00Z,state,on,GOOD,\r\n`, 'state', '--csv');
  await read(empty, 'flowTemperature');
});

test('without recorded values it says so', async (t) => {
  const { printed } = await runHistory(t, '{"samples":[],"gaps":[]}', ['read', 'boiler']);
  assert.equal(printed, 'nothing was recorded in this time\n');
});

test('--csv says when the limit is reached, and where the rest begins', async (t) => {
  const rows = [1, 2].map((second) => `2026-03-01T08:00:0${second}.000+00:00,state,on,GOOD,\r\n`).join('');
  const read = (...words: readonly string[]) =>
    runHistory(t, `${CSV}${rows}`, ['read', 'boiler', '--csv', ...words]);
  const { printed, noted } = await read('--limit', '2');
  assert.equal(printed, `${CSV}${rows}`);
  assert.equal(noted, 'the limit of 2 rows is reached; more: --from 2026-03-01T08:00:02.001Z\n');
  assert.match(
    (await read('--limit', '2', '--bucketMs', '1000')).noted,
    /--from 2026-03-01T08:00:03\.000Z$/m,
  );
  assert.equal((await read()).noted, '');
});

test('what the gateway refuses is named as it was typed', async (t) => {
  const rows: readonly (readonly [words: readonly string[], message: string])[] = [
    [['boiler', '--limit', '0'], '--limit "0": expected at least 1'],
    [['boiler', '--from', '9', '--to', '5'], '--from is later than --to'],
    [['boiler', '--aggregate', 'max'], '--aggregate needs --bucketMs'],
    [['boilr'], 'unknown asset "boilr"; did you mean "boiler"?'],
    [['boilr', '--csv'], 'unknown asset "boilr"; did you mean "boiler"?'],
  ];
  for (const [words, message] of rows)
    await assert.rejects(runHistory(t, PAGE, ['read', ...words]), { message });
});

test('recorders are listed with what is kept of them, and readers with their lag', async (t) => {
  const overview = {
    recorders: [
      { recorder: 'minute', bytes: 1200, oldest: 1_772_352_000_000 },
      { recorder: 'fast', bytes: 0 },
    ],
    consumers: [{ consumer: 'history', lagSamples: 3, lagBytes: 40, lagSeconds: 1 }],
  };
  const { printed } = await runHistory(t, JSON.stringify(overview), ['list']);
  assert.match(printed, new RegExp(`^minute +1200 +${toLocal('2026-03-01T08:00:00Z')}$`, 'm'));
  assert.match(printed, /^fast +0 +-$/m);
  assert.match(printed, /^history +3 +40 +1$/m);
});
