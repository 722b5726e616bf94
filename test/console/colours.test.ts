import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import type { Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

type Triple = readonly [number, number, number];
type Tokens = ReadonlyMap<string, string>;

const FILE = path.resolve(import.meta.dirname, '../../daemon/console/style/tokens.css');

/** The tokens of the light and of the dark look. */
function readTokens(): Readonly<Record<'light' | 'dark', Tokens>> {
  const [first = '', second = ''] = readFileSync(FILE, 'utf8').split('@media');
  const read = (text: string): Tokens =>
    new Map(
      [...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
    );
  return { light: read(first), dark: read(second) };
}

function colourOf(tokens: Tokens, name: string): Triple {
  const value = tokens.get(name);
  assert.ok(value !== undefined, name);
  const part = (from: number): number => toLinear(Number.parseInt(value.slice(from, from + 2), 16) / 255);
  return [part(1), part(3), part(5)];
}

// IEC 61966-2-1.
const toLinear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

/** Contrast of two colours (WCAG 2.2, definition of contrast ratio). */
function contrastOf(one: Triple, other: Triple): number {
  const [dark = 0, light = 0] = [one, other]
    .map(([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue)
    .toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const WHITE = [0.95047, 1, 1.08883] as const;

/** CIE 1976 L*a*b* of a colour under D65. */
function toLab([red, green, blue]: Triple): Triple {
  const bend = (part: number): number =>
    part > 216 / 24_389 ? Math.cbrt(part) : (24_389 / 27 / 116) * part + 16 / 116;
  const x = bend((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / WHITE[0]);
  const y = bend(0.2126729 * red + 0.7151522 * green + 0.072175 * blue);
  const z = bend((0.0193339 * red + 0.119192 * green + 0.9503041 * blue) / WHITE[2]);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

// Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency (2009), severity 1.0.
const EYES: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  'all cones': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function seeWith([first, second, third]: readonly [Triple, Triple, Triple], colour: Triple): Triple {
  const mix = (row: Triple): number =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, weight, index) => sum + weight * (colour[index] ?? 0), 0),
      ),
    );
  return [mix(first), mix(second), mix(third)];
}

function differenceOf(one: Triple, other: Triple): number {
  const [a, b] = [toLab(one), toLab(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

const CURVES = [1, 2, 3, 4, 5, 6].map((index) => `curve-${index}`);
// What text stands on.
const GROUNDS = ['ground', 'surface', 'sunken', 'flash'];
const TEXTS = ['text', 'soft', 'faint', 'accent', 'good', 'info', 'attention', 'fault'];

for (const [look, tokens] of Object.entries(readTokens())) {
  test(`texts and edges are seen on whatever they stand, in ${look}`, () => {
    const pairs: readonly (readonly [string, string, number])[] = [
      ...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground, 4.5] as const)),
      ['attention', 'attention-tint', 4.5],
      ['fault-text', 'fault', 4.5],
      ['fault', 'fault-tint', 4.5],
      ['text', 'fault-tint', 4.5],
      ['surface', 'accent', 4.5],
      ...GROUNDS.slice(0, 3).map((ground) => ['edge', ground, 3] as const),
    ];
    const weak = pairs.filter(
      ([one, other, least]) => contrastOf(colourOf(tokens, one), colourOf(tokens, other)) < least,
    );
    assert.deepEqual(weak, []);
  });

  test(`curves are seen, and told apart by all eyes, in ${look}`, () => {
    const curves = CURVES.map((name) => colourOf(tokens, name));
    for (const ground of ['surface', 'ground']) {
      for (const [index, curve] of curves.entries()) {
        assert.ok(contrastOf(curve, colourOf(tokens, ground)) >= 3, `${CURVES[index]} on ${ground}`);
      }
    }
    for (const [eye, matrix] of Object.entries(EYES)) {
      const seen = curves.map((curve) => seeWith(matrix, curve));
      for (const [index, one] of seen.entries()) {
        for (const [later, other] of seen.slice(index + 1).entries()) {
          const difference = differenceOf(one, other);
          assert.ok(difference >= 24, `${eye}: curves ${index + 1} and ${index + later + 2}: ${difference}`);
        }
      }
    }
  });
}

/** The colour of the middle of what the browser shows. */
async function readPixel(page: Page): Promise<readonly number[]> {
  const png = (await page.screenshot()).toString('base64');
  const reader = await page.context().newPage();
  const pixel = await reader.evaluate<number[]>(`(async () => {
    const picture = new Image();
    picture.src = 'data:image/png;base64,${png}';
    await picture.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [picture.width, picture.height];
    const pen = canvas.getContext('2d');
    pen.drawImage(picture, 0, 0);
    return [...pen.getImageData(picture.width >> 1, picture.height >> 1, 1, 1).data].slice(0, 3);
  })()`);
  await reader.close();
  return pixel;
}

test(
  'in the dark the page is dark before a script or a style has come',
  needs('chromium', 'libmodbus'),
  async (t) => {
    const { open, base } = await startConsole(t);
    const page = await open({ colorScheme: 'dark' });
    await page.waitForSelector('.sign-in');
    await page.context().route('**/*.js', (route) => route.abort());
    await page.goto(base);
    assert.equal(await page.locator('.sign-in').count(), 0);
    assert.deepEqual(await readPixel(page), [0x0f, 0x15, 0x13]);
    await page.context().route('**/*.css', (route) => route.abort());
    await page.goto(base);
    assert.ok(Math.max(...(await readPixel(page))) < 0x30);
  },
);
