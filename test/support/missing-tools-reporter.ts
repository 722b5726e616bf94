import type { TestEvent } from 'node:test/reporters';

import { joinCommands, parseMissing } from './tools.ts';

/** Reporter for node:test: reports at the end how many tests lacked a tool, and the one command that installs all of them. */
export default async function* reportMissingTools(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const reasons: string[] = [];
  for await (const event of events) {
    if (event.type !== 'test:pass') continue;
    if (typeof event.data.skip === 'string') reasons.push(event.data.skip);
  }
  yield summarizeMissing(reasons);
}

/**
 * Counts those reasons of skipped tests that name a missing tool.
 *
 * @returns two lines that begin with an empty one; empty when no tool was missing
 */
export function summarizeMissing(reasons: readonly string[]): string {
  const lacking = reasons.map(parseMissing).filter((origins) => origins.length > 0);
  if (lacking.length === 0) return '';
  const [subject, verb] = lacking.length === 1 ? ['test', 'was'] : ['tests', 'were'];
  const count = `${lacking.length} ${subject} ${verb} skipped for want of tools. To run them as well:`;
  return `\n${count}\n  ${joinCommands(lacking.flat())}\n`;
}
