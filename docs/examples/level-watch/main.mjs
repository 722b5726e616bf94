import { readFileSync } from 'node:fs';

// Watches a channel and switches another one: above the limit to false, below it to true. settings.json beside this file
// says which.

const settings = JSON.parse(readFileSync(new URL('settings.json', import.meta.url), 'utf8'));

let timer;

export function activate({ assets, logger }) {
  let isOpen;
  async function look() {
    const [level] = await assets.read(settings.asset, [settings.levelChannel]);
    if (level.failure !== undefined) {
      logger.warn('the level is not known', { reason: level.failure.message });
      return;
    }
    const shouldBeOpen = level.value < settings.limit;
    if (shouldBeOpen === isOpen) return;
    const write = { name: settings.valveChannel, type: 'BOOLEAN', value: shouldBeOpen };
    const [outcome] = await assets.write(settings.asset, [write]);
    if (outcome.failure !== undefined) return;
    isOpen = shouldBeOpen;
    logger.info(isOpen ? 'the valve is open' : 'the valve is closed', { level: level.value });
  }
  async function lookAgain() {
    await look().catch((error) => logger.warn('the level cannot be read', { reason: error.message }));
    timer = setTimeout(lookAgain, settings.intervalMs);
  }
  timer = setTimeout(lookAgain, 0);
}

export function deactivate() {
  clearTimeout(timer);
}
