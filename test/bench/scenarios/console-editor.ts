import type { Page } from 'playwright-core';

import {
  HALL_CHANNELS,
  openPage,
  ROOM_CHANNELS,
  SLOWDOWN,
  startBrowser,
  startConsolePlant,
} from '../console-plant.ts';
import type { Scenario } from '../scenario.ts';
import { measureInTurn, median } from '../statistics.ts';

const KEYS = '# eight keys';
// What is read once nobody types is read by then.
const SETTLED_MS = 5000;

/** The text of an asset with many channels beside that of one with few: how long each key takes. */
export const consoleEditor: Scenario = {
  name: 'console-editor',
  async run(bench) {
    const plant = await startConsolePlant(bench);
    const { page } = await openPage(plant, await startBrowser(bench));
    const type = async (pid: string): Promise<number> => {
      await page.goto(`${plant.base}#/configuration/assets/${pid}`);
      await page.getByRole('textbox', { name: `Text of assets/${pid}` }).press('Control+End');
      await page.waitForTimeout(SETTLED_MS);
      const keyMs = median(await typeKeys(page));
      await page.waitForTimeout(SETTLED_MS);
      return keyMs;
    };
    const { room, hall } = await measureInTurn(bench.choose({ full: 6, quick: 3 }), {
      room: () => type('room'),
      hall: () => type('hall'),
    });
    return [
      {
        name: `console, a key in the text of an asset of ${HALL_CHANNELS} channels, processor slowed ${SLOWDOWN} ×`,
        value: `${median(hall).toFixed(0)} ms`,
        floor: `${median(room).toFixed(0)} ms (${ROOM_CHANNELS} channels)`,
        rounds: hall.map((ms, index) => ms / (room[index] ?? ms)),
        unit: '×',
      },
    ];
  },
};

async function typeKeys(page: Page): Promise<readonly number[]> {
  const times: number[] = [];
  for (const key of KEYS) {
    const start = performance.now();
    await page.keyboard.press(key === ' ' ? 'Space' : key);
    times.push(performance.now() - start);
  }
  return times;
}
