import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import type { Locator, Page } from 'playwright-core';

import { needs } from '../support/tests-that-need.ts';
import { checkAccessibility, shareConsole, signIn } from './support/console-page.ts';
import { addLines, findEditor, readText, replaceText, waitForLine } from './support/edited-text.ts';

const CONSOLE = needs('chromium', 'libmodbus');
const openShared = shareConsole();
const LINE = '#/configuration/drivers/line';
const CHUNK = /\/assets\/code-editor-[^/]+\.js$/;
const WORKER = /\/assets\/reading-worker-[^/]+\.js$/;
const ASSETS = path.resolve(import.meta.dirname, '../../build/console/assets');
// 75 ms after they appeared.
const SUGGESTIONS_TAKE_KEYS_MS = 100;
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true } as const;

function findSuggestions(page: Page): Locator {
  return page.locator('.cm-tooltip-autocomplete [role=option]');
}

/** Waits for a suggestion, and until keys go to the suggestions: not before they could be seen. */
async function waitForSuggestion(page: Page, text: string): Promise<void> {
  await findSuggestions(page).getByText(text, { exact: true }).waitFor();
  await page.waitForTimeout(SUGGESTIONS_TAKE_KEYS_MS);
}

/** Returns the numbers of the lines that are marked as wrong. */
async function listMarkedLines(page: Page): Promise<readonly number[]> {
  return page.evaluate<readonly number[]>(`(() => {
    const root = document.querySelector('.text-editor > div').shadowRoot;
    const top = (element) => Math.round(element.getBoundingClientRect().top);
    const marks = [...root.querySelectorAll('.wrong-mark')].map((mark) => top(mark.parentElement));
    return [...root.querySelectorAll('.cm-lineNumbers .cm-gutterElement')]
      .filter((line) => marks.includes(top(line)))
      .map((line) => Number(line.textContent));
  })()`);
}

test(
  'keys and values are suggested from the schema of the driver, chosen by keyboard, and explained',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter(LINE);
    await findEditor(page).press('Control+End');
    await page.keyboard.type('response');
    await waitForSuggestion(page, 'responseTimeoutMs');
    await page.locator('.cm-completionInfo').getByText('whole number, 1 to 600000, default 1000').waitFor();
    await checkAccessibility(page);
    await page.keyboard.press('Enter');
    await waitForLine(page, 'responseTimeoutMs: ');
    const explained = page.locator('.key-line');
    await explained.getByText('Longest wait for one response').waitFor();
    await page.keyboard.type('3000\nwriteF');
    await waitForSuggestion(page, 'writeFunction');
    await page.keyboard.press('Enter');
    await waitForSuggestion(page, 'SINGLE');
    assert.deepEqual(await findSuggestions(page).allInnerTexts(), ['AUTO', 'SINGLE', 'MULTIPLE']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await waitForLine(page, 'writeFunction: SINGLE');
    await explained.getByText('one of AUTO, SINGLE, MULTIPLE').waitFor();
    await page.locator('.cm-line', { hasText: 'type: modbus' }).getByText('type').hover();
    await page.locator('.cm-tooltip-hover').getByText('one of modbus, opcua, serial').waitFor();
    await page.getByRole('combobox', { name: 'Format' }).selectOption('JSON');
    await waitForLine(page, '  "writeFunction": "SINGLE"');
    await findEditor(page).press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.type('\n"retr');
    await waitForSuggestion(page, 'retries');
    await page.keyboard.press('Enter');
    await page.keyboard.type('2,');
    await waitForLine(page, '  "retries": 2,');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Restarts line. No values from pump during the restart.').waitFor();
  },
);

test(
  'what the gateway refuses is marked at its line with its sentence, what cannot be read while it is typed',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter(LINE);
    await addLines(page, 'responseTimeoutMs: 0\nretries: 1');
    assert.deepEqual(await listMarkedLines(page), []);
    await page.keyboard.press('Control+Enter');
    await page.locator('.wrong').getByText('0', { exact: true }).waitFor();
    assert.deepEqual(await listMarkedLines(page), [5]);
    assert.equal(await findEditor(page).getAttribute('aria-invalid'), 'true');
    const sentence = await page.locator('.notice.fault li').innerText();
    await page.keyboard.press('F8');
    const said = await page.locator('.cm-tooltip.wrong-words').innerText();
    assert.notEqual(said, '');
    assert.ok(sentence.includes(said), sentence);
    await checkAccessibility(page);
    // A key that is missing is marked where it is missing.
    await replaceText(page, 'pid: line\ntype: modbus\nunits:\n  - unitId: 1\n  - retries: 2\nhost: a\n');
    await page.keyboard.press('Control+Enter');
    await page.locator('.wrong').first().waitFor();
    assert.deepEqual(await listMarkedLines(page), [5]);
    await replaceText(page, 'pid: line\ntype: [modbus\n');
    await page.getByText(/^Line \d+:/).waitFor();
    assert.equal((await listMarkedLines(page)).length, 1);
  },
);

test(
  'Tab leaves the text, keys of the page stay out of it, and a draft outlives the page',
  CONSOLE,
  async (t) => {
    const { base, enter } = await openShared(t);
    const page = await enter(LINE);
    await addLines(page, 'retries: 2');
    const editor = page.getByRole('textbox', { name: 'Text of drivers/line' });
    assert.match((await editor.getAttribute('aria-description')) ?? '', /Tab leaves the text/);
    await editor.press('Tab');
    assert.equal(await page.evaluate('document.activeElement?.textContent'), 'Find');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await page.evaluate('document.activeElement?.shadowRoot?.activeElement?.role'), 'textbox');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await page.evaluate('document.activeElement?.shadowRoot ?? undefined'), undefined);
    await editor.press('Control+End');
    // Anywhere else these go to the overview.
    await page.keyboard.type('# go');
    await waitForLine(page, '# go');
    assert.equal(new URL(page.url()).hash, LINE);
    // Longer than what is shown at once.
    await page.locator('.tree a', { hasText: 'pump' }).click();
    await page.getByRole('textbox', { name: 'Text of assets/pump' }).waitFor();
    await findEditor(page).waitFor();
    await checkAccessibility(page);
    await page.locator('.rail a', { hasText: 'Overview' }).click();
    await page.locator('.text-editor').waitFor({ state: 'detached' });
    await page.goto(`${base}/${LINE}`);
    assert.match(await readText(page), /\nretries: 2\n# go$/);
    await editor.press('Control+End');
    await page.keyboard.type('es on');
    await page.keyboard.press('Control+z');
    await waitForLine(page, '# go');
  },
);

test(
  'the editor comes only where text is edited; until then and without it a plain field has the same text',
  CONSOLE,
  async (t) => {
    const { base, enter } = await openShared(t);
    const sizes = await Promise.all(
      (await readdir(ASSETS))
        .filter((name) => name.startsWith('code-editor-') && name.endsWith('.br'))
        .map(async (name) => (await stat(path.join(ASSETS, name))).size),
    );
    assert.equal(sizes.length, 2);
    assert.ok(
      sizes[0] !== undefined && sizes[1] !== undefined && sizes[0] + sizes[1] <= 90_000,
      String(sizes),
    );

    const page = await enter();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route(CHUNK, async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.locator('.rail a', { hasText: 'Configuration' }).click();
    await page.locator('.tree').waitFor();
    assert.deepEqual(
      asked.filter((url) => CHUNK.test(url)),
      [],
    );
    await page.goto(`${base}/${LINE}`);
    const field = page.locator('.text-editor textarea');
    await field.press('Control+End');
    await page.keyboard.type('responseTimeoutMs: 30');
    await page.keyboard.press('ArrowLeft');
    release();
    await findEditor(page).waitFor();
    await page.keyboard.type('00');
    await waitForLine(page, 'responseTimeoutMs: 3000');
    assert.equal(await field.count(), 0);
    assert.equal(asked.filter((url) => CHUNK.test(url)).length, 2);

    const without = await enter();
    await without.route(CHUNK, (route) => route.abort());
    await without.goto(`${base}/${LINE}`);
    await without.getByText('Cannot load the editor.').waitFor();
    const plain = without.locator('.text-editor textarea');
    await plain.fill(`${await plain.inputValue()}responseTimeoutMs: 3000\n`);
    await plain.press('Control+Enter');
    await without.getByText('Restarts line. No values from pump during the restart.').waitFor();
    await checkAccessibility(without);
  },
);

test('what was typed last is still there after a reload, and nothing with a secret', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter(LINE);
  await addLines(page, 'retries: 2');
  await page.reload();
  await waitForLine(page, 'retries: 2');
  await addLines(page, 'keyPassphrase: nothing');
  await page.reload();
  await waitForLine(page, 'type: modbus');
  assert.doesNotMatch(await readText(page), /keyPassphrase/);
});

test(
  'a text is read in a worker, for the last key alone, and on the page where there is none',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter(LINE);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route(WORKER, async (route) => {
      await isReleased;
      await route.continue();
    });
    const asked = page.waitForRequest(WORKER);
    await addLines(page, 'half: [');
    await asked;
    assert.deepEqual(await listMarkedLines(page), []);
    await page.keyboard.press('Control+z');
    await addLines(page, '\n\nother: ]');
    release();
    await page.getByText(/^Line \d+:/).waitFor();
    const [line = 0, ...more] = await listMarkedLines(page);
    assert.deepEqual(more, []);
    assert.ok(line > 5, String(line));

    const without = await enter(LINE);
    await without.route(WORKER, (route) => route.abort());
    await addLines(without, 'half: [');
    await without.getByText(/^Line \d+:/).waitFor();
  },
);

test('on a telephone in German the editor fits, finds, and selects what it found', CONSOLE, async (t) => {
  const { base, open } = await openShared(t);
  const page = await open({ ...PHONE, locale: 'de-DE' });
  await signIn(page);
  await page.goto(`${base}/${LINE}`);
  await addLines(page, `# ${'as long as the line of a letter '.repeat(3)}\nunits: [{ unitId: 1 }]`);
  await page.getByRole('button', { name: 'Suchen', exact: true }).click();
  const search = page.getByRole('textbox', { name: 'Suchen' });
  await search.pressSequentially('unitId');
  await search.press('Enter');
  await page.locator('.found.here').getByText('unitId').waitFor();
  await page.getByRole('button', { name: 'Schließen' }).waitFor();
  await checkAccessibility(page);
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  assert.ok(
    await page.evaluate(`(() => {
      const { scrollWidth, clientWidth } =
        document.querySelector('.text-editor > div').shadowRoot.querySelector('.cm-scroller');
      return scrollWidth <= clientWidth;
    })()`),
  );
  await search.press('Escape');
  await findEditor(page).press('Control+End');
  await page.keyboard.press('ArrowLeft');
  await page.locator('.cm-matchingBracket').first().waitFor();
  assert.deepEqual(await page.locator('.cm-matchingBracket').allTextContents(), ['[', ']']);
});

test('what is found is counted, and replaced one by one or everywhere', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter(LINE);
  await replaceText(page, 'a: one\nb: One\nc: [one, two]\n');
  await findEditor(page).press('Control+Home');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('one');
  const places = page.getByRole('search').getByRole('status');
  await places.getByText('- of 3').waitFor();
  await page.keyboard.press('Enter');
  await places.getByText('1 of 3').waitFor();
  await page.keyboard.press('Shift+Enter');
  await places.getByText('3 of 3').waitFor();
  await page.getByRole('checkbox', { name: 'Match case' }).check();
  await places.getByText('2 of 2').waitFor();
  await page.getByRole('textbox', { name: 'Replace with' }).fill('1$&');
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await waitForLine(page, 'c: [1$&, two]');
  await places.getByText('1 of 1').waitFor();
  await page.getByRole('checkbox', { name: 'Match case' }).uncheck();
  await page.getByRole('button', { name: 'Replace all' }).click();
  await waitForLine(page, 'b: 1$&');
  await places.getByText('Not found').waitFor();
  await checkAccessibility(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+z');
  await waitForLine(page, 'b: One');
  assert.equal(await readText(page), 'a: one\nb: One\nc: [1$&, two]\n');
});

test('the find form keeps the focus when the text becomes wrong and right again', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter(LINE);
  await findEditor(page).press('Control+f');
  const words = page.getByRole('search').getByRole('textbox', { name: 'Find' });
  await words.fill('type');
  await page.getByRole('textbox', { name: 'Replace with' }).fill('"type');
  const replace = page.getByRole('button', { name: 'Replace all' });
  for (const [label, isWrong] of [
    ['replaced', 'true'],
    ['replaced again', 'false'],
  ] as const) {
    await replace.focus();
    await page.keyboard.press('Enter');
    await page.locator(`.cm-content[aria-invalid="${isWrong}"]`).waitFor();
    assert.equal(await page.locator('.find button:focus').textContent(), 'Replace all', label);
    await words.fill('"type');
    await page.getByRole('textbox', { name: 'Replace with' }).fill('type');
  }
});

test('a new line begins below what it belongs to, and a bracket ends below its line', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter(LINE);
  await replaceText(page, 'list:');
  await page.keyboard.press('Enter');
  await page.keyboard.type('- x: 1');
  await page.keyboard.press('Enter');
  await page.keyboard.type('z: [');
  await page.keyboard.press('Enter');
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await page.keyboard.type(']');
  assert.equal(await readText(page), 'list:\n  - x: 1\n    z: [\n      5\n    ]');
  await page.keyboard.press('Control+/');
  await waitForLine(page, '    # ]');
});

test(
  'no way to type has the policy of the page refuse a style, and none stands in the page',
  CONSOLE,
  async (t) => {
    const { enter } = await openShared(t);
    const page = await enter(LINE);
    // What the browser refuses fails the test, as everywhere.
    await addLines(page, 'retries: 2\nunits:\n  - unitId: 1');
    const selectHalfLines = async (): Promise<void> => {
      await findEditor(page).press('Control+Home');
      await page.keyboard.press('ArrowRight');
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(`Shift+${key}`);
    };
    await selectHalfLines();
    await page.keyboard.type('x');
    await page.locator('.cm-line').getByText(/^px/).waitFor();
    await page.keyboard.press('Control+z');
    await waitForLine(page, 'type: modbus');
    await selectHalfLines();
    await page.keyboard.insertText('a: 1\nb');
    await page
      .locator('.cm-line')
      .getByText(/^pa: 1/)
      .waitFor();
    await selectHalfLines();
    await page.keyboard.press('Control+x');
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Control+Space');
    const found = await page.evaluate<readonly number[]>(`(() => {
    const { shadowRoot } = document.querySelector('.text-editor > div');
    const styles = [...document.querySelectorAll('style'), ...shadowRoot.querySelectorAll('style')];
    return [styles.length, shadowRoot.adoptedStyleSheets.length];
  })()`);
    assert.deepEqual(found, [0, 1]);
  },
);

const COLOURED = `# a remark
%x: &a "quoted" # another
"y": 'in quotes'
pem: |
  block
list: [1, two, { three: *a }]
`;

test('every colour of the text stands out from its ground, in light and in dark', CONSOLE, async (t) => {
  const { enter } = await openShared(t);
  const page = await enter(LINE);
  await replaceText(page, COLOURED);
  // The colours come a moment after the text.
  await page.locator('.cm-line span').getByText('# another').waitFor();
  await findEditor(page).press('Control+Home');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('quoted');
  await page.getByRole('search').getByRole('status').getByText('- of ').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.found.here').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const pairs =
      await page.evaluate<
        readonly { readonly what: string; readonly colour: string; readonly ratio: number }[]
      >(CONTRASTS);
    assert.ok(pairs.length > 20, 'every part of the text is measured');
    assert.ok(new Set(pairs.map(({ colour }) => colour)).size >= 6, JSON.stringify(pairs));
    assert.deepEqual(
      pairs.filter(({ ratio }) => ratio < 4.5),
      [],
      colorScheme,
    );
  }
});

/** Measures each piece of text against what is painted below it, on lines of every kind, and against selected ground (WCAG 2.2, 1.4.3). */
const CONTRASTS = `(() => {
  const root = document.querySelector('.text-editor > div').shadowRoot;
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const toRgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((each) => {
      const part = each / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [high, low] = [luminance(toRgb(one)), luminance(toRgb(other))].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const groundOf = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const { backgroundColor } = getComputedStyle(each);
      if (toRgb(backgroundColor)[3] === 255) return backgroundColor;
    }
    return '';
  };
  const pieces = [...root.querySelectorAll('.cm-line, .cm-line *, .cm-lineNumbers .cm-gutterElement')];
  return pieces.flatMap((piece) => {
    const { color } = getComputedStyle(piece);
    const own = groundOf(piece);
    const selected = getComputedStyle(piece, '::selection');
    const isLine = piece.closest('.cm-line') !== null;
    return [
      { what: piece.textContent, colour: color, ground: own, ratio: contrast(color, own) },
      ...(isLine ? [{ what: 'selected ' + piece.textContent, colour: selected.color, ratio: contrast(selected.color, selected.backgroundColor) }] : []),
    ];
  });
})()`;
