import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Conflict } from '../../../../../daemon/base/errors.ts';
import { BundleError } from '../../../../../daemon/software/bundle/bundle-error.ts';
import { MAXIMUM_CALLS, MessagePeer } from '../../../../../daemon/software/bundle/message/message-peer.ts';
import type { MessageHandler } from '../../../../../daemon/software/bundle/message/message-peer.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const SILENT: MessageHandler = {
  onCall: () => new Promise(() => undefined),
  onNotification: () => undefined,
};

/** Links two peers; each receives the messages of the other in a microtask. */
function link(handler: MessageHandler) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const client: MessagePeer = new MessagePeer({
    send(message) {
      sent.push(message);
      queueMicrotask(() => server.receive(Buffer.from(message)));
    },
    handler: SILENT,
    clock,
  });
  const server: MessagePeer = new MessagePeer({
    send: (message) => queueMicrotask(() => client.receive(Buffer.from(message))),
    handler,
    clock,
  });
  return { client, server, clock, sent };
}

test('a call returns the answer of the other side', async () => {
  const { client } = link({
    ...SILENT,
    onCall: (method, params) => Promise.resolve([method, params]),
  });
  assert.deepEqual(await client.call('echo', { a: 1 }, { deadlineMs: 1000 }), ['echo', { a: 1 }]);
});

test('a call rejects with the code and the text of the error that the other side throws', async () => {
  const { client } = link({
    ...SILENT,
    onCall() {
      throw new Conflict({ code: 'DRIVER_TYPE_TAKEN', detail: 'it is taken' });
    },
  });
  await assert.rejects(client.call('take', {}, { deadlineMs: 1000 }), {
    code: 'BUNDLE_CALL_FAILED',
    detail: 'it is taken',
    cause: 'DRIVER_TYPE_TAKEN',
  });
});

test('a call without an answer ends at its deadline, and is aborted on the other side', async () => {
  const aborted = Promise.withResolvers<void>();
  const { client, clock } = link({
    ...SILENT,
    onCall(_method, _params, signal) {
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise(() => undefined);
    },
  });
  const call = client.call('wait', {}, { deadlineMs: 1000 });
  await Promise.resolve();
  clock.advance(1000);
  await assert.rejects(call, { code: 'BUNDLE_CALL_TIMEOUT' });
  await aborted.promise;
});

test('a call ends when its signal aborts', async () => {
  const { client } = link(SILENT);
  const controller = new AbortController();
  const call = client.call('wait', {}, { deadlineMs: 1000, signal: controller.signal });
  controller.abort();
  await assert.rejects(call, { code: 'BUNDLE_CALL_CANCELLED' });
});

test('every call ends with the link, and none starts after it', async () => {
  const { client } = link(SILENT);
  const call = client.call('wait', {}, { deadlineMs: 1000 });
  client.end(new BundleError('BUNDLE_ENDED', 'gone'));
  await assert.rejects(call, { code: 'BUNDLE_ENDED' });
  await assert.rejects(client.call('wait', {}, { deadlineMs: 1000 }), { code: 'BUNDLE_ENDED' });
});

test('calls beyond the limit are refused on both sides, urgent ones are not', async () => {
  const { client, server } = link(SILENT);
  const calls = Array.from({ length: MAXIMUM_CALLS }, () => client.call('wait', {}, { deadlineMs: 1000 }));
  await assert.rejects(client.call('wait', {}, { deadlineMs: 1000 }), { code: 'BUNDLE_OVERLOADED' });
  await assert.rejects(client.call('ping', {}, { deadlineMs: 1000, isUrgent: true }), {
    code: 'BUNDLE_CALL_FAILED',
    cause: 'BUNDLE_OVERLOADED',
  });
  client.end(new BundleError('BUNDLE_ENDED', 'gone'));
  server.end(new BundleError('BUNDLE_ENDED', 'gone'));
  for (const { status } of await Promise.allSettled(calls)) assert.equal(status, 'rejected');
});

test('an answer to an unknown call is ignored', () => {
  const { client } = link(SILENT);
  client.receive(Buffer.from('{"kind":"result","id":7,"value":1}'));
  client.receive(Buffer.from('{"kind":"error","id":7,"code":"A","message":"b"}'));
  client.receive(Buffer.from('{"kind":"cancel","id":7}'));
});

for (const message of [
  '',
  'null',
  '[]',
  '"text"',
  '{}',
  '{"kind":"call","id":1}',
  '{"kind":"call","id":1.5,"method":"a"}',
  '{"kind":"call","id":1,"method":""}',
  `{"kind":"note","method":"${'a'.repeat(65)}"}`,
  '{"kind":"error","id":1,"code":"A"}',
  '{"kind":"constructor","id":1}',
]) {
  test(`an invalid message is refused: ${message.slice(0, 40)}`, () => {
    const { client } = link(SILENT);
    assert.throws(() => client.receive(Buffer.from(message)), { code: 'BUNDLE_PROTOCOL_VIOLATED' });
  });
}

test('a message that is not UTF-8 is refused', () => {
  const { client } = link(SILENT);
  const message = Buffer.from('{"kind":"note","method":"a","params":"?"}');
  message[message.indexOf('?')] = 0xff;
  assert.throws(() => client.receive(message), { code: 'BUNDLE_PROTOCOL_VIOLATED' });
});

test('a second call with the number of a running call is refused', () => {
  const { server } = link(SILENT);
  const message = Buffer.from('{"kind":"call","id":1,"method":"wait","params":{}}');
  server.receive(message);
  assert.throws(() => server.receive(message), { code: 'BUNDLE_PROTOCOL_VIOLATED' });
});
