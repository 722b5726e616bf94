import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { createBundle, createSupervisor } from '../../../support/bundle-program.ts';

const MIB = 1_048_576;
const LIMITS = { storage: { bytes: 4 * MIB, entries: 50 }, storageCheckIntervalMs: 50 };

/** Runs `body` after the start, with `write(name, bytes)`, `wait()` and the modules `fs` and `path`. */
function filling(body: string): string {
  return `
    import fs from 'node:fs';
    import path from 'node:path';
    const wait = () => new Promise((resolve) => setTimeout(resolve, 20));
    export async function activate({ bundle, logger }) {
      const at = (name) => path.join(bundle.dataDirectory, name);
      const write = (name, bytes) => fs.writeFileSync(at(name), Buffer.alloc(bytes, 1), { flag: 'a' });
      setTimeout(async () => { ${body} }, 0);
      await wait();
    }`;
}

test('a bundle that fills its data directory gets EFBIG, deletes, and writes again', async (t) => {
  const limits = { ...LIMITS, storage: { bytes: 16 * MIB, entries: 50 } };
  const { supervisor, lines } = createSupervisor(t, { limits });
  const bundle = createBundle(t, {
    source: filling(`
      let code;
      // Slowly from here on: on a busy machine a measurement may be late.
      write('log-0', 15.5 * 1_048_576);
      for (let file = 0; code === undefined; file += 1) {
        try { write('log-' + (file % 8), 16_384); } catch (error) { code = error.code; }
        await wait();
      }
      logger.info('write ' + code);
      // Nothing but deleting helps.
      try { write('another', 1); } catch (error) { logger.info('another ' + error.code); }
      for (let file = 0; file < 8; file += 1) fs.rmSync(at('log-' + file));
      for (;;) {
        try { write('again', 65_536); break; } catch { await wait(); }
      }
      logger.info('writes again');`),
  });
  await supervisor.start(bundle);
  const logged = () =>
    lines.filter(({ event }) => event === 'bundle.logged').map(({ fields }) => String(fields['message']));
  while (!logged().includes('writes again')) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(logged(), ['write EFBIG', 'another EFBIG', 'writes again']);
  assert.equal(supervisor.stateOf(bundle.id), 'ACTIVE');
  assert.deepEqual(
    lines.map(({ event }) => event).filter((event) => event.startsWith('bundle.storage')),
    ['bundle.storageFilled', 'bundle.storageFreed'],
  );
  const { storage } = supervisor.list()[0] ?? {};
  assert.deepEqual([storage?.limits, storage?.isFull], [limits.storage, false]);
  assert.ok(readdirSync(bundle.dataDirectory).includes('again'));
});

for (const [what, body, cause] of [
  [
    'makes too many files',
    `for (let file = 0; ; file += 1) { fs.mkdirSync(at('folder-' + file)); if (file % 10 === 0) await wait(); }`,
    'the bundle stores more than 50 files and directories',
  ],
  [
    'writes far beyond the limit at once',
    `write('large', 20 * 1_048_576); await new Promise(() => {});`,
    'the bundle stores more than 4194304 bytes',
  ],
  [
    'writes into a file that it has deleted',
    `const fd = fs.openSync(at('hidden'), 'w'); fs.rmSync(at('hidden'));
     fs.writeSync(fd, Buffer.alloc(20 * 1_048_576, 1)); await new Promise(() => {});`,
    'the bundle stores more than 4194304 bytes',
  ],
] as const) {
  test(`a bundle that ${what} is stopped, and not started again`, async (t) => {
    const { supervisor, awaitStatus, lines } = createSupervisor(t, { limits: LIMITS });
    const bundle = createBundle(t, { source: filling(body) });
    await supervisor.start(bundle).catch(() => undefined);
    const failed = await awaitStatus(({ state }) => state === 'FAILED');
    assert.equal(failed.cause, cause);
    assert.equal(supervisor.list()[0]?.restartAtMs, undefined);
    const line = lines.find(({ event }) => event === 'bundle.failed');
    assert.equal(line?.fields['code'], 'BUNDLE_STORAGE_EXCEEDED');
  });
}

test('a bundle whose data exceeds the limits is not started until files are deleted', async (t) => {
  const { supervisor, awaitStatus, states } = createSupervisor(t, { limits: LIMITS });
  const bundle = createBundle(t, { source: 'export function activate() {}' });
  mkdirSync(bundle.dataDirectory);
  const large = path.join(bundle.dataDirectory, 'large');
  writeFileSync(large, Buffer.alloc(20 * MIB, 1));
  await assert.rejects(supervisor.start(bundle), { code: 'BUNDLE_STORAGE_EXCEEDED' });
  assert.equal(supervisor.list()[0]?.restartAtMs, undefined);
  rmSync(large);
  const count = states.length;
  supervisor.restart(bundle.id.name);
  await awaitStatus(({ state }) => state === 'ACTIVE', count);
});
