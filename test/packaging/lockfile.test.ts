import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface Entry {
  readonly engines?: Readonly<Record<string, string>>;
  readonly resolved?: string;
}

const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Entry>>;
};

test('package-lock.json names no range of Node.js, by which npm of an older one leaves native modules out', () => {
  const strange = Object.entries(packages).filter(([, { engines }]) => engines?.['node'] !== undefined);
  assert.deepEqual(strange, []);
});

test('package-lock.json names no registry', () => {
  assert.deepEqual(
    Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined),
    [],
  );
});
