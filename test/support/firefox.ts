import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

/** A page of Firefox, driven over WebDriver BiDi (W3C Working Draft). */
export interface FirefoxPage {
  goTo(url: string): Promise<void>;
  /** Returns the value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until an expression is true in the page. */
  waitFor(expression: string): Promise<void>;
  /** Clicks with the pointer in the middle of the first element with these words, until it has the click. */
  click(selector: string, words?: string): Promise<void>;
  /** Types on the element with the focus; `\uE009` holds Control for the next key. */
  type(text: string): Promise<void>;
}

const PREFERENCES = {
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'intl.accept_languages': 'en-GB',
};
const CONTROL = '\uE009';
const POLL_MS = 50;

// Runs in the page. A box that moves from one frame to the next is missed by a click, and so is one below another element.
const isAtRest = `async (e) => {
  if (e === undefined || e.disabled) return false;
  e.scrollIntoView({ block: 'center' });
  const nextBox = () => new Promise((resolve) => requestAnimationFrame(() => resolve(e.getBoundingClientRect())));
  const [one, other] = [await nextBox(), await nextBox()];
  const hit = document.elementFromPoint(other.x + other.width / 2, other.y + other.height / 2);
  return e.contains(hit) && ['x', 'y', 'width', 'height'].every((side) => one[side] === other[side]);
}`;

// Runs in the page, and returns the element.
const watchClick = `(e) => {
  globalThis.isClicked = false;
  e?.addEventListener('click', () => { globalThis.isClicked = true; }, { once: true, capture: true });
  return e;
}`;

/** Starts Firefox with a profile of its own; it ends with the test. */
export async function startFirefox(t: Owner): Promise<FirefoxPage> {
  const profile = createTemporaryDirectory(t);
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(path.join(profile, 'user.js'), lines.join(''));
  const options = ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', profile];
  const child = spawn(programOf('firefox'), options, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: profile },
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  });
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error('Firefox ended')));
  });
  return openPage(await connect(`${address}/session`));
}

type Send = (method: string, parameters: object) => Promise<Readonly<Record<string, unknown>>>;

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as {
      readonly id?: number;
      readonly result?: Readonly<Record<string, unknown>>;
      readonly error?: string;
      readonly message?: string;
    };
    const { id = 0, result, error = '', message: words = '' } = message;
    const pending = waiting.get(id);
    waiting.delete(id);
    if (result === undefined) pending?.reject(new Error(`${error}: ${words}`));
    else pending?.resolve(result);
  });
  let count = 0;
  return (method, params) => {
    count += 1;
    const pending = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    waiting.set(count, pending);
    socket.send(JSON.stringify({ id: count, method, params }));
    return pending.promise;
  };
}

async function openPage(send: Send): Promise<FirefoxPage> {
  await send('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
  const { contexts } = (await send('browsingContext.getTree', {})) as {
    readonly contexts: readonly { readonly context: string }[];
  };
  const context = contexts[0]?.context ?? '';

  async function evaluate(expression: string): Promise<unknown> {
    // As JSON: the protocol has a form of its own for values.
    const wrapped = `(async () => JSON.stringify(await (${expression})) ?? 'null')()`;
    const target = { context };
    const given = await send('script.evaluate', { expression: wrapped, target, awaitPromise: true });
    const { result, exceptionDetails } = given as {
      readonly result?: { readonly value: string };
      readonly exceptionDetails?: { readonly text: string };
    };
    if (result === undefined) throw new Error(exceptionDetails?.text ?? 'no result');
    return JSON.parse(result.value);
  }

  async function waitFor(expression: string): Promise<void> {
    while ((await evaluate(`(async () => Boolean(await (${expression})))()`)) !== true) await pause(POLL_MS);
  }

  /** Returns the reference by which a command names an element; undefined if it is gone. */
  async function shareElement(expression: string): Promise<string | undefined> {
    const given = await send('script.evaluate', { expression, target: { context }, awaitPromise: false });
    const { result } = given as { readonly result?: { readonly sharedId?: string } };
    return result?.sharedId;
  }

  const perform = (source: object): Promise<unknown> =>
    send('input.performActions', { context, actions: [source] });

  return {
    goTo: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    evaluate,
    waitFor,
    async click(selector, words = '') {
      const found = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((e) => e.checkVisibility() && e.textContent.includes(${JSON.stringify(words)}))`;
      for (;;) {
        await waitFor(`(${isAtRest})(${found})`);
        const sharedId = await shareElement(`(${watchClick})(${found})`);
        if (sharedId === undefined) continue;
        const origin = { type: 'element', element: { sharedId } };
        await perform({
          type: 'pointer',
          id: 'mouse',
          actions: [
            { type: 'pointerMove', x: 0, y: 0, origin },
            { type: 'pointerDown', button: 0 },
            { type: 'pointerUp', button: 0 },
          ],
        });
        // Content that came in between has moved the element away; a new page has no such mark.
        if ((await evaluate('globalThis.isClicked')) !== false) return;
      }
    },
    async type(text) {
      const isHeld = text.startsWith(CONTROL);
      const keys = (isHeld ? text.slice(1) : text).split('').flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
      const held = isHeld
        ? [{ type: 'keyDown', value: CONTROL }, ...keys, { type: 'keyUp', value: CONTROL }]
        : keys;
      await perform({ type: 'key', id: 'keyboard', actions: held });
    },
  };
}
