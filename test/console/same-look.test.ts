import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';
import { callInPage } from './support/in-page.ts';
import { visitPlaces } from './support/places.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../daemon/console');
const SHEETS = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.css'),
);

// Sizes of letters with the heights of their lines, distances, widths of edges.
const TYPE = new Set(['12px/16px', '13px/20px', '14px/20px', '16px/24px', '24px/32px', '28px/32px']);
const SIZES = new Set([...TYPE].map((size) => size.split('/')[0]));
const SPACE = new Set([0, 1, 2, 4, 8, 12, 16, 24, 32, 48]);

interface Look {
  /** Font and place of the heading, from the edges of the page. */
  readonly heading: string;
  readonly margins: string;
  /** Fonts of the headings of sections. */
  readonly sections: readonly string[];
}

test('all pages have the same margins and headings', needs('chromium', 'libmodbus'), async (t) => {
  const started = await startConsole(t);
  const page = await started.enter('', { viewport: { width: 1280, height: 800 } });
  const looks = new Map<string, Look>();
  await visitPlaces(page, started.base, async (link) => {
    if (link !== 'no-such-page') looks.set(link, await callInPage<Look>(page, 'look', 'readLook'));
  });
  const [first] = looks.values();
  for (const [link, look] of looks) {
    assert.equal(look.heading, first?.heading, link);
    assert.equal(look.margins, first?.margins, link);
    for (const font of look.sections) assert.equal(font, '600 16px/24px', link);
  }
});

for (const sheet of SHEETS) {
  const text = readFileSync(path.join(FOLDER, sheet), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');

  test(`${sheet} keeps to the scales of type and space, and has no colours, shadows or gradients of its own`, () => {
    const declarations = [...text.matchAll(/([\w-]+): ([^;{}]+);/g)];
    const faults = declarations.flatMap(([declaration, name = '', value = '']) => {
      const sizes = [...value.matchAll(/(?<![\w.-])-?(\d+)px/g)].map(([, size]) => Number(size));
      const isSpace = /^(?:margin|padding|gap)/.test(name);
      if (isSpace && !value.includes('calc') && sizes.some((size) => !SPACE.has(size))) return [declaration];
      if (name === 'font-size' && value !== 'inherit' && !SIZES.has(value)) return [declaration];
      if (name === 'font' && !TYPE.has(value.split(' ')[1] ?? '')) return [declaration];
      if (name === 'border-radius' && !['0', '2px'].includes(value)) return [declaration];
      if (/shadow|gradient/.test(declaration)) return [declaration];
      const isToken = sheet === 'style/tokens.css';
      return !isToken && /#[0-9a-f]{3,8}\b|\brgba?\(/i.test(value) ? [declaration] : [];
    });
    assert.deepEqual(faults, []);
  });
}

test('every token that sheets and scripts use is declared', () => {
  const read = (file: string): string => readFileSync(path.join(FOLDER, file), 'utf8');
  const declared = new Set(
    SHEETS.flatMap((file) => [...read(file).matchAll(/(--[\w-]+):/g)].map(([, name]) => name)),
  );
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:css|tsx?)$/.test(file),
  );
  const used = files.flatMap((file) => [...read(file).matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name));
  assert.ok(used.length > 100);
  assert.deepEqual(
    [...new Set(used)].filter((name) => !declared.has(name)),
    [],
  );
});
