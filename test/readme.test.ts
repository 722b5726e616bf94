import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '..');
const PAGE = readFileSync(path.join(ROOT, 'docs/dev/architecture.md'), 'utf8');

/** Folders that are a row in the map as a whole; of the others each folder in them is a row. */
const WHOLE = ['bundles', 'packaging', 'systemd', 'docs'];
const QUARTERS = ['security', 'plant', 'software', 'server', 'machine'].map((name) => `daemon/${name}`);
const DIVIDED = ['daemon', ...QUARTERS, 'drivers', 'test'];
/** Made by programs, or hidden from the index of the repository. */
const NOT_OF_THE_PROJECT = new Set(['build', 'node_modules']);

function listFolders(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
}

test('README.md stays short', () => {
  const lines = readFileSync(path.join(ROOT, 'README.md'), 'utf8').split('\n');
  assert.ok(lines.length <= 121, `${lines.length - 1} lines, allowed 120`);
});

test('the map of folders in docs/dev/architecture.md names every room, and no other', () => {
  const [, section = ''] = /^## Folders$([^]*)/m.exec(PAGE) ?? [];
  const named = [...section.matchAll(/^\| `([\w/]+)` +\| \S/gm)].map(([, folder = '']) => folder);
  const rooms = DIVIDED.flatMap((folder) => listFolders(folder).map((name) => `${folder}/${name}`)).filter(
    (room) => !QUARTERS.includes(room),
  );
  assert.deepEqual(named.toSorted(), [...rooms, ...WHOLE].toSorted());
});

test('every folder of the project is in the map of folders, whole or divided', () => {
  const folders = listFolders('.').filter((name) => !NOT_OF_THE_PROJECT.has(name));
  assert.deepEqual(
    folders.toSorted(),
    [...WHOLE, ...DIVIDED].filter((folder) => !QUARTERS.includes(folder)).toSorted(),
  );
});
