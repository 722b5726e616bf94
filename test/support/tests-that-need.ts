import { after, before, beforeEach, test } from 'node:test';
import type { TestContext } from 'node:test';

import { describeMissing } from './tools.ts';
import type { Tool } from './tools.ts';

type Hook = () => unknown;
type Run = (t: TestContext) => void | Promise<void>;

/** The functions of `node:test`, for tests that some machines cannot run. */
export interface Tests {
  readonly test: (name: string, run: Run) => void;
  readonly before: (prepare: Hook) => void;
  readonly beforeEach: (prepare: Hook) => void;
  readonly after: (cleanUp: Hook) => void;
}

/** Every test runs. */
export const everyTest: Tests = {
  test: (name, run) => void test(name, run),
  before: (prepare) => before(async () => void (await prepare())),
  beforeEach: (prepare) => beforeEach(async () => void (await prepare())),
  after: (cleanUp) => after(async () => void (await cleanUp())),
};

/** Returns the option with which a test is skipped where one of these tools is missing; the reason describes how to install it. */
export function needs(...tools: readonly Tool[]): { readonly skip: string | false } {
  return { skip: describeMissing(tools) ?? false };
}

/** Returns functions whose tests are skipped, and whose hooks do nothing, where one of these tools is missing. */
export function testsThatNeed(...tools: readonly Tool[]): Tests {
  const { skip } = needs(...tools);
  if (skip === false) return everyTest;
  return {
    test: (name, run) => void test(name, { skip }, run),
    before: () => undefined,
    beforeEach: () => undefined,
    after: () => undefined,
  };
}
