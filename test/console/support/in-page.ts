import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';

import type { Page } from 'playwright-core';

/** Calls a function without parameters that a file of `in-page` exports, in the page, and returns what it returns. */
export async function callInPage<Result>(page: Page, file: string, name: string): Promise<Result> {
  const source = readFileSync(path.join(import.meta.dirname, 'in-page', `${file}.ts`), 'utf8');
  const script = stripTypeScriptTypes(source).replaceAll(/^export (?=function)/gm, '');
  return page.evaluate<Result>(`(() => {${script}\nreturn ${name}(); })()`);
}
