import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { createBundle } from '../../../../support/bundle-program.ts';
import { createBridgeBench } from '../../../../support/bundle-program-bench.ts';
import { createRecordedJournal, createSample } from '../../../../support/recorded-journal.ts';
import { createScriptedFactory } from '../../../../support/scripted-driver.ts';
import type { Owner } from '../../../../support/temporary-directory.ts';

const SHOW = `const show = (value) => JSON.stringify(value, (_key, each) =>
  typeof each === 'bigint' ? each + 'n' : each instanceof Uint8Array ? [...each] : each);`;

async function createBench(owner: Owner) {
  const recorded = await createRecordedJournal(owner);
  const bench = await createBridgeBench(owner, {
    builtIn: [createScriptedFactory()],
    findJournal: () => recorded.open,
  });
  const channels = ['level', 'flow'].map((name) => ({
    name,
    type: 'READ',
    valueType: 'DOUBLE',
    address: {},
  }));
  const drivers = [{ pid: 'x', type: 'scripted', line: 'x' }];
  assert.equal(
    await bench.configure({ drivers, assets: [{ pid: 'tank', driver: 'x', channels }] }),
    undefined,
  );
  const messages = (): readonly unknown[] =>
    bench.lines
      .filter(({ event }) => event === 'bundle.logged')
      .map(({ fields }) => JSON.parse(String(fields['message'])) as unknown);
  return { ...bench, ...recorded, messages };
}

/** Waits until a bundle has logged so many messages. */
async function awaitMessages({ messages }: { messages: () => readonly unknown[] }, count: number) {
  while (messages().length < count) await wait(10);
  return messages();
}

test('a bundle reads the journal of a recorder with its grants, and acknowledges it', async (t) => {
  const bench = await createBench(t);
  bench.identities.create({
    name: 'bundle:org.example.test',
    permissions: [],
    grants: [{ assets: ['tank'], channels: ['level'], operations: ['READ'] }],
    passwordChangeNeeded: false,
  });
  const source = `${SHOW}
    export async function activate({ journal, logger, gateway, interfaceVersion }) {
      const fast = journal('fast');
      logger.info(show([gateway.name, interfaceVersion, await fast.acknowledged(), await fast.tail()]));
      void (async () => {
        const batch = await fast.read({ waitMs: 60_000 });
        await fast.acknowledge(batch.next);
        logger.info(show([batch.series, batch.values, batch.next, await fast.acknowledged()]));
      })();
    }`;
  await bench.record(createSample());
  await bench.supervisor.start(createBundle(t, { source }));
  assert.deepEqual((await awaitMessages(bench, 1))[0], ['gateway.test', 2, 1, 1]);
  const flow = { asset: 'tank', channel: 'flow', valueType: 'DOUBLE' } as const;
  await bench.record(createSample({ value: 2 }), createSample({ series: flow, value: 3 }));
  assert.deepEqual((await awaitMessages(bench, 2))[1], [
    [{ asset: 'tank', channel: 'level', valueType: 'DOUBLE' }],
    [2],
    3,
    3,
  ]);
  assert.equal(bench.cursors.find('bundle:org.example.test/fast')?.sequence, 3);
});

test('a bundle lists the channels that a recorder takes and it may read, again only once they have changed', async (t) => {
  const bench = await createBench(t);
  bench.identities.create({
    name: 'bundle:org.example.test',
    permissions: [],
    grants: [
      { assets: ['tank'], operations: ['READ'] },
      { assets: ['tank'], channels: ['setpoint'], operations: ['READ', 'WRITE'] },
    ],
    passwordChangeNeeded: false,
  });
  const drivers = [{ pid: 'x', type: 'scripted', line: 'x' }];
  const level = { name: 'level', type: 'READ', valueType: 'DOUBLE', unit: 'm', address: {} };
  const setpoint = {
    name: 'setpoint',
    type: 'READ_WRITE',
    valueType: 'INTEGER',
    write: { minimum: 1, maximum: 5 },
    address: {},
  };
  const others = [
    { name: 'reset', type: 'WRITE', valueType: 'BOOLEAN', address: {} },
    { name: 'spare', type: 'READ', valueType: 'FLOAT', isEnabled: false, address: {} },
  ];
  const configure = async (channels: readonly object[]) =>
    bench.configure({
      drivers,
      assets: [
        { pid: 'tank', driver: 'x', channels },
        { pid: 'pump', driver: 'x', channels: [level] },
      ],
    });
  assert.equal(await configure([level, setpoint, ...others]), undefined);
  const source = `${SHOW}
    export async function activate({ journal, logger }) {
      const fast = journal('fast');
      const first = await fast.channels();
      logger.info(show([first.channels, await fast.channels({ known: first.revision })]));
      void (async () => {
        for (;;) {
          const next = await fast.channels({ known: first.revision });
          if (next !== undefined) return logger.info(show(next.channels));
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      })();
    }`;
  await bench.supervisor.start(createBundle(t, { source }));
  const tank = { asset: 'tank', channel: 'level', valueType: 'DOUBLE', unit: 'm', isWritable: false };
  assert.deepEqual((await awaitMessages(bench, 1))[0], [
    [
      tank,
      {
        asset: 'tank',
        channel: 'setpoint',
        valueType: 'INTEGER',
        minimum: 1,
        maximum: 5,
        isWritable: true,
      },
    ],
    null,
  ]);
  assert.equal(await configure([level]), undefined);
  assert.deepEqual((await awaitMessages(bench, 2))[1], [tank]);
});

test('a bundle that is killed between read and acknowledge reads the same samples again', async (t) => {
  const bench = await createBench(t);
  const source = `${SHOW}
    import { existsSync, writeFileSync } from 'node:fs';
    export async function activate({ journal, logger, bundle }) {
      const again = bundle.dataDirectory + '/again';
      const fast = journal('fast');
      const begin = await fast.acknowledged();
      void (async () => {
        const batch = await fast.read({ waitMs: 30_000 });
        if (existsSync(again)) await fast.acknowledge(batch.next);
        writeFileSync(again, '');
        logger.info(show([begin, batch.sequences, batch.next]));
      })();
    }`;
  await bench.supervisor.start(createBundle(t, { source }));
  await bench.record(createSample({ value: 1 }), createSample({ value: 2 }));
  await awaitMessages(bench, 1);
  process.kill(bench.supervisor.list()[0]?.pid ?? 0, 'SIGKILL');
  const [first, second] = await awaitMessages(bench, 2);
  assert.deepEqual(first, [0, [1, 2], 2]);
  assert.deepEqual(second, first);
  assert.equal(bench.cursors.find('bundle:org.example.test/fast')?.sequence, 2);
});

test('a signal ends the wait of a read, and an unknown recorder is an error with its code as cause', async (t) => {
  const bench = await createBench(t);
  const source = `${SHOW}
    export async function activate({ journal, logger }) {
      const codeOf = (error) => [error.code, error.cause];
      const signal = AbortSignal.timeout(1);
      const ended = await journal('fast').read({ waitMs: 30_000, signal }).catch(codeOf);
      const unknown = await journal('other').read().catch(codeOf);
      logger.info(show([ended[0], unknown]));
    }`;
  await bench.supervisor.start(createBundle(t, { source }));
  assert.deepEqual((await awaitMessages(bench, 1))[0], [
    'BUNDLE_CALL_CANCELLED',
    ['BUNDLE_CALL_FAILED', 'RECORDER_UNKNOWN'],
  ]);
});

test('a bundle declares the recorders that it reads', async (t) => {
  const bench = await createBench(t);
  const source = `
    export async function activate({ declareRecorders, journal, logger }) {
      await declareRecorders(['fast', 'later']);
      const failure = await declareRecorders(new Array(1001).fill('fast')).catch((error) => error);
      logger.info(JSON.stringify([await journal('fast').acknowledged(), String(failure)]));
    }`;
  await bench.supervisor.start(createBundle(t, { source }));
  const [first] = await awaitMessages(bench, 1);
  assert.match(JSON.stringify(first), /^\[0,".*at most 1000 items/);
});
