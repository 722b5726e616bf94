import { readFileSync } from 'node:fs';

// Watches a channel and switches another one: above the limit to false, below it to true. settings.json beside this file
// says which.

const settings = JSON.parse(readFileSync(new URL('settings.json', import.meta.url), 'utf8'));

let timer;

export function activate({ assets, logger }) {
  let isOpen;
  let trouble;
  async function look() {
    const [level] = await assets.read(settings.asset, [settings.levelChannel]);
    if (level.failure !== undefined) throw new Error(level.failure.message);
    const shouldBeOpen = level.value < settings.limit;
    if (shouldBeOpen === isOpen) return;
    const write = { name: settings.valveChannel, type: 'BOOLEAN', value: shouldBeOpen };
    const [outcome] = await assets.write(settings.asset, [write]);
    if (outcome.failure !== undefined) throw new Error(outcome.failure.message);
    isOpen = shouldBeOpen;
    logger.info(isOpen ? 'the valve is open' : 'the valve is closed', { level: level.value });
  }
  async function lookAgain() {
    const message = await look().catch((error) => error.message);
    // Told once, not every second.
    if (message !== undefined && message !== trouble)
      logger.warn('the tank is not watched', { reason: message });
    trouble = message;
    timer = setTimeout(lookAgain, settings.intervalMs);
  }
  timer = setTimeout(lookAgain, 0);
}

export function deactivate() {
  clearTimeout(timer);
}
