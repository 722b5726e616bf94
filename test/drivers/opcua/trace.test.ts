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
