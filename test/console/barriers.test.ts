import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../support/tests-that-need.ts';
import { listBarriers, signIn, startConsole } from './support/console-page.ts';
import { visitPlaces } from './support/places.ts';

const SIZES = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
] as const;

for (const viewport of SIZES) {
  test(
    `at ${viewport.width} pixels no page has a barrier that a program can find`,
    needs('chromium', 'libmodbus'),
    async (t) => {
      const started = await startConsole(t);
      const page = await started.open({ viewport });
      const found: string[] = [];
      const look = async (link: string): Promise<void> => {
        found.push(...(await listBarriers(page)).map((words) => `${link}: ${words}`));
      };
      await page.waitForSelector('.sign-in');
      await look('sign-in');
      await signIn(page);
      await visitPlaces(page, started.base, look);
      assert.deepEqual(found, []);
    },
  );
}
