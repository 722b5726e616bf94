import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, CHIEF, signIn, startConsole } from './support/console-page.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const GUEST = { name: 'guest', password: 'turbine-kettle-9' };

test('who may read nothing sees so on the overview, and nothing that seems to load', CONSOLE, async (t) => {
  const { open } = await startConsole(t, {
    identities: [
      { ...CHIEF, permissions: ['rest.admin'] },
      { ...GUEST, permissions: [] },
    ],
  });
  const page = await open();
  await signIn(page, GUEST);
  await page.getByText('You have no access to any asset.').waitFor();
  assert.equal(await page.locator('.shell :is(.outline, .outline-word, .notice)').count(), 0);
  await checkAccessibility(page);
});
