import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import type { OVERVIEW } from '../../daemon/console/text/overview.ts';
import { readStaticSite } from '../../daemon/server/http/static-site.ts';
import { buildConsole, layConsole, listBundledFolders } from '../../packaging/build-console.ts';
import { readLicences, writeCopyright } from '../../packaging/copyright.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const MODULES = path.resolve(import.meta.dirname, '../../node_modules');

test('the package has the built console, which a gateway can read, and what its code is made of', async (t) => {
  await buildConsole({ isForced: false });
  const folder = path.join(createTemporaryDirectory(t), 'console');
  await layConsole(folder);
  const site = await readStaticSite(folder);
  const page = site?.get('/')?.plain.toString() ?? '';
  const [, script = ''] = /<script type="module"[^>]* src="\.(\/assets\/[^"]+)"/.exec(page) ?? [];
  assert.deepEqual([...(site?.get(script)?.coded.keys() ?? [])], ['br', 'gzip']);
  // The policy of the pages runs nothing that stands in them.
  assert.doesNotMatch(page, /<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/);
  assert.doesNotMatch(page, /https?:/);

  // Each language is a file: the code has none of the texts.
  const code = site?.get(script)?.plain.toString() ?? 'Anmelden';
  assert.doesNotMatch(code, /Anmelden|Sign out/);

  // Tables whose texts are read by their keys alone are left out.
  const scripts = [...(site ?? [])].filter(([name]) => name.endsWith('.js')).map(([, { plain }]) => plain);
  const keys: readonly (keyof typeof OVERVIEW)[] = ['attentionMany', 'secretWrong', 'moreAssets'];
  const found = keys.filter((key) => new RegExp(String.raw`\b${key}\b`).test(scripts.join('\n')));
  assert.deepEqual(found, []);

  const folders = await listBundledFolders();
  const names = new Set(folders.map((each) => path.relative(MODULES, each)));
  for (const name of ['preact', 'uplot', '@codemirror/view', 'yaml']) assert.ok(names.has(name), name);
  assert.ok(!names.has('vite'));
  const licences = await readLicences(folders);
  const copyright = writeCopyright('{"components":[]}', { console: licences, programs: [], packages: [] });
  assert.deepEqual(new Set(licences.flatMap((each) => each.names)), names);
  for (const { names: own, text } of licences) {
    for (const name of own) assert.ok(copyright.includes(`\n - ${name}\n`), name);
    assert.ok(copyright.includes(text.split('\n')[0] ?? '?'), own.join());
  }
  // An empty line would end the paragraph (Debian policy, 5.1).
  const [, own = '', ...more] = copyright.split('\nFiles: usr/share/penstock/console/*\n');
  assert.deepEqual(more, []);
  assert.doesNotMatch(own.trimEnd(), /\n\n/);
});
