import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isTracing } from '../../../daemon/channel/trace/tracing-driver.ts';
import type { TracedFrame } from '../../../daemon/channel/trace/tracing-driver.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';

test(
  'the trace of a server shows its services with their status, and no values',
  needs('asyncua'),
  async (t) => {
    await using server = await startAsyncuaServer();
    const dataDirectory = createTemporaryDirectory(t);
    const driver = createOpcuaDriver(
      { endpointUrl: `opc.tcp://127.0.0.1:${server.port}` },
      { dataDirectory },
    );
    assert.ok(isTracing(driver));
    const frames: TracedFrame[] = [];
    driver.trace((frame) => frames.push(frame));
    const { signal } = new AbortController();
    await driver.connect(signal, () => undefined);
    t.after(() => driver.disconnect());
    const shown = (pattern: RegExp): readonly string[] =>
      frames.flatMap(({ direction, meaning }) => (pattern.test(meaning) ? [`${direction} ${meaning}`] : []));
    assert.match(
      shown(/OpenSecureChannel/).join('\n'),
      /^SENT OpenSecureChannel, None, None\nRECEIVED .*: done, \d+ ms$/m,
    );
    assert.match(shown(/CreateSession/).join('\n'), /RECEIVED CreateSession, ActivateSession: done, \d+ ms/);

    frames.length = 0;
    const channels = [createOpcuaChannel('level', 'INTEGER'), createOpcuaChannel('absent', 'INTEGER')];
    await driver.prepareRead(channels).read(signal);
    const [request, response] = shown(/^Read .*2 (?:nodes|results)/);
    const [, handle] = /^SENT Read (\d+), 2 nodes, [1-9]\d* bytes$/.exec(request ?? '') ?? [];
    assert.ok(handle !== undefined, request);
    assert.match(
      response ?? '',
      new RegExp(`^RECEIVED Read ${handle}: Good, 2 results, 1 bad, [1-9]\\d* bytes, \\d+ ms$`),
    );

    const changed = Promise.withResolvers<undefined>();
    await driver.subscribe({
      channels: channels.slice(0, 1),
      onReading: () => changed.resolve(undefined),
      onEnd: () => undefined,
      minimumIntervalMs: 50,
      signal,
    });
    await changed.promise;
    assert.match(
      shown(/Publish/).join('\n'),
      /Publish \d+: Good, .*subscription \d+, notification 1, 1 changes/,
    );
    assert.ok(frames.every(({ bytes }) => bytes.length === 0));

    driver.trace(undefined);
    const { length } = frames;
    await driver.prepareRead(channels).read(signal);
    assert.equal(frames.length, length);
  },
);

test(
  'the bytes of a response are its own, also of the first one after the trace was started again',
  needs('asyncua'),
  async (t) => {
    await using server = await startAsyncuaServer();
    const driver = createOpcuaDriver(
      { endpointUrl: `opc.tcp://127.0.0.1:${server.port}` },
      { dataDirectory: createTemporaryDirectory(t) },
    );
    assert.ok(isTracing(driver));
    const { signal } = new AbortController();
    await driver.connect(signal, () => undefined);
    t.after(() => driver.disconnect());
    const reader = driver.prepareRead([createOpcuaChannel('level', 'INTEGER')]);
    // The driver has now learned what it needs for the read.
    await reader.read(signal);
    const trace = async (): Promise<readonly string[]> => {
      const sizes: string[] = [];
      driver.trace(({ direction, meaning }) => {
        if (direction === 'RECEIVED') sizes.push(/\d+ bytes/.exec(meaning)?.[0] ?? meaning);
      });
      await reader.read(signal);
      driver.trace(undefined);
      return sizes;
    };
    const sizes = await trace();
    assert.match(sizes.join(), /^\d+ bytes$/);
    await reader.read(signal);
    assert.deepEqual(await trace(), sizes);
  },
);
