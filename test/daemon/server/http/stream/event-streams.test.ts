import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { EventLog } from '../../../../../daemon/server/event/event-log.ts';
import { eventStream } from '../../../../../daemon/server/http/answer.ts';
import { createEventRoutes } from '../../../../../daemon/server/rest/plant/event-routes.ts';
import { STALL_LIMIT_MS } from '../../../../../daemon/server/http/connection/connection.ts';
import { HEARTBEAT_INTERVAL_MS, TICK_MS } from '../../../../../daemon/server/http/stream/event-stream.ts';
import type { EventSink } from '../../../../../daemon/server/http/stream/event-stream.ts';
import {
  MAXIMUM_STREAMS,
  MAXIMUM_STREAMS_PER_IDENTITY,
} from '../../../../../daemon/server/http/stream/event-streams.ts';
import { EventParser } from '../../../../support/event-stream-client.ts';
import type { ReceivedEvent } from '../../../../support/event-stream-client.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createRoute, openApplication } from '../application-fixture.ts';

/** Reads a stream as it arrives. */
class StreamReader {
  text = '';
  readonly answer: IncomingMessage;
  readonly #parser = new EventParser();
  readonly events: ReceivedEvent[] = [];

  constructor(answer: IncomingMessage) {
    this.answer = answer;
    answer.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
      this.events.push(...this.#parser.feed(text));
    });
    answer.on('error', () => undefined);
  }

  /** Resolves when the received text and events fit. */
  async until(fits: (reader: StreamReader) => boolean): Promise<void> {
    while (!fits(this)) await once(this.answer, 'data');
  }
}

async function open(
  t: TestContext,
  port: number,
  {
    path = '/stream',
    role = 'assets',
    headers = {},
  }: { path?: string; role?: string; headers?: object } = {},
): Promise<StreamReader> {
  const request = get({
    port,
    host: '127.0.0.1',
    path,
    agent: false,
    headers: { Authorization: role, ...headers },
  });
  t.after(() => request.destroy());
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return new StreamReader(answer);
}

/** Opens an application with one stream, which the test controls through `sinks`. */
async function openStreams(t: TestContext) {
  const sinks: EventSink[] = [];
  const stopped: EventSink[] = [];
  let resumed = 0;
  const route = createRoute({
    path: '/stream',
    access: 'ANY_IDENTITY',
    response: { status: 200, contentType: 'text/event-stream' },
    handle: () =>
      eventStream((sink) => {
        sinks.push(sink);
        return { resume: () => (resumed += 1), stop: () => stopped.push(sink) };
      }),
  });
  const application = await openApplication(t, [route]);
  return { ...application, sinks, stopped, resumed: () => resumed };
}

test('a stream is neither cached nor buffered on its way, and its events arrive as they are sent', async (t) => {
  const { port, sinks } = await openStreams(t);
  const reader = await open(t, port);
  const { headers } = reader.answer;
  assert.deepEqual(
    [headers['content-type'], headers['cache-control'], headers['x-accel-buffering'], headers.connection],
    ['text/event-stream', 'no-store', 'no', 'close'],
  );
  sinks[0]?.send({ id: 'a-1', type: 'thing', data: '{"a":1}' });
  await reader.until(({ events }) => events.length > 0);
  assert.equal(reader.text, 'retry: 2000\n\nid: a-1\nevent: thing\ndata: {"a":1}\n\n');
});

test('Accept must allow a stream of events, and HEAD returns only the head', async (t) => {
  const { send, sinks } = await openStreams(t);
  const headers = { Authorization: 'assets' };
  const refused = await send('GET', '/stream', { headers: { ...headers, Accept: 'application/json' } });
  assert.equal(refused.status, 406);
  const head = await send('HEAD', '/stream', { headers: { ...headers, Accept: 'text/event-stream' } });
  assert.deepEqual([head.status, head.headers['content-type'], head.text], [200, 'text/event-stream', '']);
  assert.equal(sinks.length, 0);
});

test('an identity has at most 32 streams at once, independent of other identities', async (t) => {
  const { port, stopped, send } = await openStreams(t);
  const readers = await Promise.all(
    Array.from({ length: MAXIMUM_STREAMS_PER_IDENTITY }, () => open(t, port)),
  );
  const refused = await send('GET', '/stream', { headers: { Authorization: 'assets' } });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '10']);
  assert.equal((await open(t, port, { role: 'other' })).answer.statusCode, 200);
  readers[0]?.answer.destroy();
  while (stopped.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await open(t, port)).answer.statusCode, 200);
});

test('all identities together have 256 streams, the last of which are reserved for identities with few', async (t) => {
  const { port, send } = await openStreams(t);
  const openMany = (role: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => open(t, port, { role })));
  for (const letter of 'abcdefg') await openMany(`role${letter}`, MAXIMUM_STREAMS_PER_IDENTITY);
  const left = MAXIMUM_STREAMS - 7 * MAXIMUM_STREAMS_PER_IDENTITY;
  await openMany('greedy', left / 2);
  const refused = await send('GET', '/stream', { headers: { Authorization: 'greedy' } });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '10']);
  assert.equal((await open(t, port, { role: 'another' })).answer.statusCode, 200);
});

test('a comment is sent within 15 s after each event, wherever that lies between two checks', async (t) => {
  const { port, clock, sinks } = await openStreams(t);
  const reader = await open(t, port);
  clock.advance(TICK_MS / 2);
  sinks[0]?.send({ type: 'change' });
  clock.advance(HEARTBEAT_INTERVAL_MS);
  await reader.until(({ text }) => text.endsWith('\n\n:\n\n'));
  assert.deepEqual(reader.events, []);
});

test('the flow of a stream is checked every 5 s until it ends', async (t) => {
  let checks = 0;
  const route = createRoute({
    path: '/stream',
    access: 'ANY_IDENTITY',
    response: { status: 200, contentType: 'text/event-stream' },
    handle: () =>
      eventStream((sink) => ({
        resume: () => undefined,
        stop: () => undefined,
        check: () => {
          checks += 1;
          if (checks === 3) sink.end('NOT_PERMITTED');
        },
      })),
  });
  const { port, clock } = await openApplication(t, [route]);
  const reader = await open(t, port);
  clock.advance(TICK_MS - 1);
  assert.equal(checks, 0);
  clock.advance(1 + TICK_MS * 5);
  await reader.until(({ events }) => events.length > 0);
  assert.deepEqual([checks, reader.events[0]?.data], [3, { reason: 'NOT_PERMITTED' }]);
});

test('a stream that the gateway ends reports the reason, and its connection is closed', async (t) => {
  const { port, sinks, stopped } = await openStreams(t);
  const reader = await open(t, port);
  sinks[0]?.end('DONE');
  await once(reader.answer, 'end');
  assert.deepEqual(reader.events, [{ type: 'end', id: undefined, data: { reason: 'DONE' } }]);
  assert.equal(stopped.length, 1);
});

test('streams end at once when their port closes', async (t) => {
  const { port, stop } = await openStreams(t);
  const readers = await Promise.all([open(t, port), open(t, port)]);
  const ended = readers.map(({ answer }) => once(answer, 'end'));
  await Promise.all([stop(), ...ended]);
  for (const { events } of readers) assert.deepEqual(events[0]?.data, { reason: 'PORT_CLOSED' });
});

test('the streams that a proof has opened end at the moment at which it ends, and no others', async (t) => {
  const { port, streams } = await openStreams(t);
  const roles = ['session assets', 'session other', 'bearer assets', 'bearer other', 'assets'];
  const readers = await Promise.all(roles.map((role) => open(t, port, { role })));
  const listEnded = (): readonly string[] => roles.filter((_role, index) => ended[index] === true);
  const ended = roles.map(() => false);
  readers.forEach(({ answer }, index) => answer.once('end', () => (ended[index] = true)));
  // The clock stands still: nothing is checked at intervals.
  streams.settle({ kind: 'SESSION', sessionId: 'session of assets' });
  await readers[0]?.until(({ events }) => events.length > 0);
  assert.deepEqual(readers[0]?.events[0]?.data, { reason: 'NOT_AUTHENTICATED' });
  streams.settle({ kind: 'TOKENS_OF_IDENTITY', identityId: 'other' });
  await readers[3]?.until(({ events }) => events.length > 0);
  while (listEnded().length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(listEnded(), ['session assets', 'bearer other']);
});

test('streams by token are checked at once when a key ends', async (t) => {
  const { port, streams, isRefused } = await openRefusable(t);
  const reader = await open(t, port, { role: 'bearer assets' });
  streams.settle({ kind: 'TOKENS_OF_KEY' });
  isRefused.value = true;
  streams.settle({ kind: 'TOKENS_OF_KEY' });
  await reader.until(({ events }) => events.length > 0);
  assert.deepEqual(reader.events[0]?.data, { reason: 'ENDPOINT_DISABLED' });
});

test('a client that reads nothing is marked full and disconnected after 30 s', async (t) => {
  const { port, sinks, stopped, clock } = await openStreams(t);
  const reader = await open(t, port);
  reader.answer.pause();
  const [sink] = sinks;
  assert.ok(sink !== undefined);
  const data = JSON.stringify('x'.repeat(1_000_000));
  while (!sink.isFull) sink.send({ data });
  // The buffers between both ends must be full before the clock advances.
  for (let turn = 0; turn < 100; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    while (!sink.isFull) sink.send({ data });
  }
  for (let passedMs = 0; passedMs < STALL_LIMIT_MS + TICK_MS; passedMs += TICK_MS) clock.advance(TICK_MS);
  while (stopped.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(stopped.length, 1);
});

test('a client that reads again receives more events', async (t) => {
  const { port, sinks, resumed } = await openStreams(t);
  const reader = await open(t, port);
  reader.answer.pause();
  const [sink] = sinks;
  assert.ok(sink !== undefined);
  while (!sink.isFull) sink.send({ data: JSON.stringify('x'.repeat(1_000_000)) });
  reader.answer.resume();
  while (resumed() === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(sink.isFull, false);
});

/** Opens an application with a stream that can be switched off. */
async function openRefusable(t: TestContext) {
  const isRefused = { value: false };
  const route = createRoute({
    path: '/stream',
    access: 'ANY_IDENTITY',
    isAvailable: () => !isRefused.value,
    response: { status: 200, contentType: 'text/event-stream' },
    handle: () => eventStream(() => ({ resume: () => undefined, stop: () => undefined })),
  });
  return { ...(await openApplication(t, [route])), isRefused };
}

async function openEvents(t: TestContext, maximumEvents = 100) {
  const log = new EventLog({ clock: new ManualClock(7), maximumEvents });
  const publish = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      log.publish({ type: 'CONFIGURATION_CHANGED', snapshot: log.end + 1 });
    }
  };
  const { port } = await openApplication(t, createEventRoutes(log));
  const listen = (lastEventId?: string) =>
    open(t, port, {
      path: '/services/events/v1',
      role: 'events',
      headers: lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId },
    });
  return { log, publish, listen };
}

const snapshotsOf = ({ events }: StreamReader): readonly unknown[] =>
  events.map(({ type, data }) => (type === 'gap' ? 'gap' : (data as { snapshot: number }).snapshot));

test('the events of the gateway begin with the next one, and the current position is sent first', async (t) => {
  const { log, publish, listen } = await openEvents(t);
  publish(2);
  const reader = await listen();
  await reader.until(({ text }) => text.includes(`id: ${log.toId(2)}\n\n`));
  publish(1);
  await reader.until(({ events }) => events.length === 1);
  assert.deepEqual(reader.events, [
    {
      type: 'CONFIGURATION_CHANGED',
      id: log.toId(3),
      data: { type: 'CONFIGURATION_CHANGED', time: 7, snapshot: 3 },
    },
  ]);
});

test('the events continue after the one that the client names', async (t) => {
  const { log, publish, listen } = await openEvents(t);
  publish(5);
  const reader = await listen(log.toId(3));
  await reader.until(({ events }) => events.length === 2);
  assert.deepEqual(snapshotsOf(reader), [4, 5]);
});

test('missing events are reported as a gap, and all kept events follow', async (t) => {
  const { log, publish, listen } = await openEvents(t, 2);
  publish(5);
  for (const id of [log.toId(1), '0123456789abcdef-5']) {
    const reader = await listen(id);
    await reader.until(({ events }) => events.length === 3);
    assert.deepEqual(snapshotsOf(reader), ['gap', 4, 5]);
  }
});
