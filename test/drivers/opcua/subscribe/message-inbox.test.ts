import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotificationMessage } from 'node-opcua-client';

import { MessageInbox } from '../../../../drivers/opcua/subscribe/message-inbox.ts';

test('messages in order are delivered at once, and a keep-alive is none', () => {
  const { inbox, delivered, fetched } = lay([]);
  inbox.take(message(1));
  inbox.take(keepAlive(2));
  inbox.take(message(2));
  assert.deepEqual([delivered, fetched], [[1, 2], []]);
});

test('messages that did not arrive are fetched, and later ones wait for them', async () => {
  const { inbox, delivered, fetched, settle } = lay([1, 2]);
  inbox.take(message(3));
  inbox.take(message(4));
  assert.deepEqual(delivered, []);
  await settle();
  assert.deepEqual(
    [delivered, fetched],
    [
      [1, 2, 3, 4],
      [1, 2, 5],
    ],
  );
});

test('a keep-alive shows as well that messages are missing', async () => {
  const { inbox, delivered, settle } = lay([1]);
  inbox.take(keepAlive(2));
  await settle();
  assert.deepEqual(delivered, [1]);
});

test('a message that was fetched is not delivered again when it arrives late, nor is a keep-alive before it a gap', async () => {
  const { inbox, delivered, missing, settle } = lay([1, 2]);
  await inbox.fetch();
  inbox.take(keepAlive(2));
  inbox.take(message(2));
  inbox.take(message(3));
  await settle();
  assert.deepEqual([delivered, missing()], [[1, 2, 3], 0]);
});

test('a message that the server no longer has is reported as missing, once', async () => {
  const { inbox, delivered, missing, settle } = lay([1]);
  inbox.take(message(3));
  await settle();
  assert.deepEqual([delivered, missing()], [[1], 1]);
});

test('a number that does not continue the sequence is reported as missing', async () => {
  const { inbox, missing, settle } = lay([]);
  inbox.take(message(1));
  inbox.take(message(1));
  await settle();
  assert.equal(missing(), 1);
});

test('a message that arrives during a request for an earlier one causes another request', async () => {
  const { inbox, delivered, missing, store, settle } = lay([]);
  const fetching = inbox.fetch();
  // The server sent the first one, which did not arrive, after it had answered.
  store.push(1);
  inbox.take(message(2));
  await fetching;
  await settle();
  assert.deepEqual([delivered, missing()], [[1, 2], 0]);
});

test('messages that wait when a request fails are delivered after the next fetch', async () => {
  const { inbox, delivered, failures, fail, settle } = lay([1]);
  fail(new Error('the connection was lost'));
  inbox.take(message(2));
  await settle();
  assert.deepEqual([delivered, failures.length], [[], 1]);
  await inbox.fetch();
  assert.deepEqual(delivered, [1, 2]);
});

test('a server that sends messages without end does not cause requests without end', async () => {
  const { inbox, delivered, missing } = lay(undefined);
  await inbox.fetch();
  assert.deepEqual([delivered.length > 1000, missing()], [true, 1]);
});

test('nothing is delivered after close', async () => {
  const { inbox, delivered, settle } = lay([1, 2]);
  inbox.take(message(3));
  inbox.close();
  await settle();
  assert.deepEqual(delivered, []);
});

interface Laid {
  readonly inbox: MessageInbox;
  /** Sequence numbers of the delivered messages. */
  readonly delivered: readonly number[];
  /** Sequence numbers of the requested messages. */
  readonly fetched: readonly number[];
  readonly failures: readonly unknown[];
  /** Numbers of the messages that the server has stored. */
  readonly store: number[];
  readonly missing: () => number;
  /** Has the next request fail. */
  readonly fail: (error: Error) => void;
  /** Resolves when nothing is fetched any more. */
  readonly settle: () => Promise<void>;
}

/** @param stored numbers of the messages that the server has stored; undefined: it has every one */
function lay(stored: readonly number[] | undefined): Laid {
  const delivered: number[] = [];
  const fetched: number[] = [];
  const failures: unknown[] = [];
  const store = [...(stored ?? [])];
  let missing = 0;
  let failure: Error | undefined;
  const inbox = new MessageInbox({
    async fetch(sequenceNumber) {
      fetched.push(sequenceNumber);
      const error = failure;
      failure = undefined;
      const has = stored === undefined || store.includes(sequenceNumber);
      await Promise.resolve();
      if (error !== undefined) throw error;
      return has ? message(sequenceNumber) : undefined;
    },
    deliver: ({ sequenceNumber }) => delivered.push(sequenceNumber),
    onMissing: () => (missing += 1),
    onFailure: (error) => failures.push(error),
  });
  return {
    inbox,
    delivered,
    fetched,
    failures,
    store,
    missing: () => missing,
    fail: (error) => (failure = error),
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

function message(sequenceNumber: number): NotificationMessage {
  return new NotificationMessage({ sequenceNumber, notificationData: [null] });
}

function keepAlive(sequenceNumber: number): NotificationMessage {
  return new NotificationMessage({ sequenceNumber, notificationData: [] });
}
