import type { Page } from 'playwright-core';

/** What a person did on a page, and what the page asked the gateway. */
export interface CountedSteps {
  /** Clicks, and keys that do the same. */
  clicks(): Promise<number>;
  /** Requests to the gateway, without those that a page repeats to show states. */
  requests(): number;
  /** Seconds since the begin. */
  seconds(): number;
}

const REPEATED = /\/_scans(\/|$)|\/_confirm$|\/events\/|\/drivers\/v1$|\/status|_listen|\/system|\/_status/;

/** Begins to count clicks and requests. A navigation within the page goes on counting. */
export async function countSteps(page: Page): Promise<CountedSteps> {
  const began = performance.now();
  let asked = 0;
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    const isRepeated = request.method() === 'GET' && REPEATED.test(pathname);
    if (pathname.startsWith('/services/') && !isRepeated) asked += 1;
  });
  // `change` of a list counts twice: a person opens it and chooses. Keyboards click as well, by `detail` 0.
  await page.evaluate(`
    window.countedClicks = 0;
    addEventListener('click', (event) => {
      const isLabelled = event.target instanceof HTMLInputElement && event.detail === 0 && event.target.closest('label');
      if (!isLabelled) window.countedClicks += 1;
    }, true);
    addEventListener('change', (event) => { if (event.target instanceof HTMLSelectElement) window.countedClicks += 2; }, true);
  `);
  return {
    clicks: () => page.evaluate<number>('window.countedClicks'),
    requests: () => asked,
    seconds: () => (performance.now() - began) / 1000,
  };
}
