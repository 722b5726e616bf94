import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { startConsole } from './support/console-page.ts';

// The gateway shows a sign of life every 15 s, and a page that hears nothing for 20 s cannot vouch for its values.
const STEADY_MS = 50_000;

test('a steady value stays good as long as the stream lives', needs('chromium', 'libmodbus'), async (t) => {
  const { enter } = await startConsole(t);
  const page = await enter('#/assets/pump');
  const row = page.locator('.grid-row:not(.head)', { hasText: 'level' });
  await row.getByText('good').waitFor();
  const words = await page.evaluate<readonly string[]>(`new Promise((resolve) => {
    const words = new Set();
    const look = () => {
      const row = [...document.querySelectorAll('.grid-row')].find(({ textContent }) => textContent.startsWith('level'));
      words.add(['value', 'quality', 'age'].map((cell) => row?.querySelector('.cell.' + cell)?.textContent).join(' '));
    };
    look();
    new MutationObserver(look).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
    setTimeout(() => resolve([...words]), ${STEADY_MS});
  })`);
  assert.deepEqual(words, ['8 good now']);
});
