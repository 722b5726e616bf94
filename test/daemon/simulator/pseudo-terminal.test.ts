import assert from 'node:assert/strict';
import { existsSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { openPseudoTerminal } from '../../../daemon/simulator/pseudo-terminal.ts';
import { openScriptedInstrument } from '../../support/serial-instrument.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

test('a line carries every byte in both directions', async (t) => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const line = await openPseudoTerminal({ onChunk: (bytes) => line.send(bytes) });
  t.after(() => line.close());
  assert.match(line.path, /^\/dev\/pts\/\d+$/);
  using program = await openScriptedInstrument(line.path);
  program.send(every.toString('latin1'));
  await program.expect(every.toString('latin1'));
});

test('a line stays open when a program closes it', async (t) => {
  const line = await openPseudoTerminal({ onChunk: (bytes) => line.send(bytes) });
  t.after(() => line.close());
  for (const text of ['first', 'second']) {
    using program = await openScriptedInstrument(line.path);
    program.send(text);
    await program.expect(text);
  }
});

test('a line without a reader takes any number of bytes and continues', async (t) => {
  const line = await openPseudoTerminal({ onChunk: (bytes) => line.send(bytes) });
  t.after(() => line.close());
  for (let chunk = 0; chunk < 100; chunk += 1) line.send(Buffer.alloc(4096, 'x'));
  using program = await openScriptedInstrument(line.path);
  // Bytes beyond the buffer are lost, answers to the first questions as well.
  const asking = setInterval(() => program.send('question'), 20);
  t.after(() => clearInterval(asking));
  await program.expect('question');
});

test('the link points to the line, and is removed with it', async (t) => {
  const link = path.join(createTemporaryDirectory(t), 'line');
  const line = await openPseudoTerminal({ link, onChunk: () => undefined });
  assert.equal(line.path, link);
  assert.match(readlinkSync(link), /^\/dev\/pts\/\d+$/);
  await line.close();
  assert.equal(existsSync(link), false);
});

test('a link is refused where a file exists already, and the file stays', async (t) => {
  const link = path.join(createTemporaryDirectory(t), 'line');
  writeFileSync(link, 'mine');
  await assert.rejects(openPseudoTerminal({ link, onChunk: () => undefined }), { code: 'LINK_UNAVAILABLE' });
  assert.ok(existsSync(link));
});

test('without perl the error names it', async (t) => {
  const { PATH } = process.env;
  t.after(() => {
    process.env['PATH'] = PATH;
  });
  process.env['PATH'] = createTemporaryDirectory(t);
  await assert.rejects(openPseudoTerminal({ onChunk: () => undefined }), { code: 'PERL_MISSING' });
});
