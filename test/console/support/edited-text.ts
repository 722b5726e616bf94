import type { Locator, Page } from 'playwright-core';

/** Finds the text that is edited, once its editor is loaded. */
export function findEditor(page: Page): Locator {
  return page.locator('.cm-content');
}

/** Reads the text that is edited, as far as it is drawn: some sixty lines. */
export async function readText(page: Page): Promise<string> {
  await findEditor(page).waitFor();
  return (await page.locator('.cm-line').allTextContents()).join('\n');
}

/** Types another text over the one that is there. */
export async function replaceText(page: Page, text: string): Promise<void> {
  await findEditor(page).press('Control+a');
  await page.keyboard.insertText(text);
}

/** Adds lines to the text that is edited. */
export async function addLines(page: Page, lines: string): Promise<void> {
  await findEditor(page).press('Control+End');
  await page.keyboard.insertText(`${lines}\n`);
}

/** Waits until the text that is edited has a line. */
export async function waitForLine(page: Page, line: string): Promise<void> {
  await page.locator('.cm-line').getByText(line, { exact: true }).waitFor();
}
